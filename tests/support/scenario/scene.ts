import { openScratchDatabase, type ScratchDatabase } from '../database/scratch.ts';
import { type SeededOrg, type SeedOptions, seedOrg } from '../database/seed.ts';
import { type LoadGenerator, NODE } from '../load/load.ts';
import {
  buildServer,
  type LaunchedServer,
  launchServer,
  ROOT,
  type ServerProcess,
} from '../server/process.ts';
import type { Figure } from './figure.ts';
import type { Site } from './site.ts';

/** A benchmark or a soak test: a program that measures the service or injects a fault into it. */
export interface Scenario<Options extends Record<string, number> = Record<string, number>> {
  /** One line: what is done, and what must not happen. */
  summary: string;
  /** Whole numbers that the command line may set (`--rounds 5`), with their defaults. */
  options: Options;
  /** It fails after this many minutes. */
  minutes: number;
  run(scene: Scene, options: Options): Promise<Figure[]>;
}

/** A scenario with options of its own, whose names the compiler then knows. */
export const scenario = <Options extends Record<string, number>>(made: Scenario<Options>): Scenario =>
  made as unknown as Scenario;

export interface SceneServerOptions {
  /** The scene's by default; `embedded` lets the server start its own PostgreSQL. */
  databaseUrl?: string;
  /** A file that runs instead of the checkout's dist/server.js. */
  entry?: string | undefined;
  env?: Record<string, string>;
}

/** The tools of a scenario. Everything is made on first use, and all servers stop when the scenario ends. */
export interface Scene {
  site: Site;
  loader: LoadGenerator;
  /** The checkout whose server is measured. */
  checkout: string;
  /** Where CPU profiles are written, if they are. */
  profileDir: string | undefined;
  database(): Promise<ScratchDatabase>;
  /** Builds the server and starts it. */
  launch(options?: SceneServerOptions): Promise<LaunchedServer>;
  /** The same, and waits until it listens. */
  server(options?: SceneServerOptions): Promise<ServerProcess>;
  /** An organization full of findings. Scenarios of the same scene share it. */
  seed(server: Pick<ServerProcess, 'url'>, options: SeedOptions): Promise<SeededOrg>;
  stopServers(): Promise<void>;
}

export interface SceneOptions {
  loader?: LoadGenerator;
  checkout?: string;
  /** Writes CPU profiles of the servers into bench/results. */
  profile?: boolean;
}

/** The secret of session tokens. */
export const SESSION_SECRET = 'a secret for benchmarks and soak tests only';

/** Settings of all servers: scenarios make more of everything than the limits allow. */
const SETTINGS = {
  JWT_SECRET: SESSION_SECRET,
  ...Object.fromEntries(
    [
      ...['MAILS_PER_HOUR', 'ORGS_PER_ACCOUNT', 'TOKENS_PER_ORG', 'TOKENS_PER_PROJECT'],
      ...['PROJECTS_PER_ORG', 'MEMBERS_PER_ORG'],
    ].map((name) => [`SVC_MAX_${name}`, '1000000']),
  ),
};
const STOP_MS = 30_000;

/** Opens a scene; closing the site stops its servers. */
export function openScene(
  site: Site,
  { loader = NODE, checkout = ROOT, profile = false }: SceneOptions = {},
): Scene {
  let opened: Promise<ScratchDatabase> | undefined;
  let built: Promise<void> | undefined;
  const servers = new Set<LaunchedServer>();
  const seeded = new Map<string, Promise<SeededOrg>>();

  const profileDir = profile ? `${site.root}/bench/results` : undefined;

  const stopServers = async () => {
    await Promise.all([...servers].map(stopInTime));
    servers.clear();
  };

  const scene: Scene = {
    ...{ site, loader, checkout, profileDir, stopServers },
    database() {
      opened ??= openScratchDatabase(site, process.env.DATABASE_URL);
      return opened;
    },
    async launch({ databaseUrl, entry, env } = {}) {
      built ??= buildServer(checkout);
      await built;
      const url = databaseUrl ?? (await scene.database()).url;
      const server = launchServer({
        ...{ root: checkout, entry, workDir: site.workDir },
        env: { ...SETTINGS, ...(url !== 'embedded' && { DATABASE_URL: url }), ...env },
        profileDir,
      });
      servers.add(server);
      // Closing the site undoes the last step first: the server stops before its database.
      site.onClose(() => stopInTime(server));
      return server;
    },
    async server(options) {
      const server = await scene.launch(options);
      return { ...server, url: await server.listening };
    },
    async seed(server, options) {
      const key = JSON.stringify(options);
      let org = seeded.get(key);
      if (!org) {
        site.say(`  making ${options.findings.toLocaleString('en-US')} findings`);
        org = seedOrg(await scene.database(), server, options);
        seeded.set(key, org);
      }
      return org;
    },
  };
  return scene;
}

async function stopInTime(server: LaunchedServer): Promise<void> {
  const late = setTimeout(() => server.signal('SIGKILL'), STOP_MS);
  await server.stop();
  clearTimeout(late);
}
