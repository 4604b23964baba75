import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openDatabase } from '../db/client.ts';
import { startEmbedded } from '../db/embedded/embedded.ts';
import { migrateShared } from '../db/migrations/migrate.ts';
import { sharedMigrations } from '../drizzle/migrations.ts';
import { ServiceError } from '../lib/client/index.ts';
import type { Config } from '../lib/config/config.ts';
import { ConfigError, parseConfig } from '../lib/config/parse.ts';
import { DAY_MS, runsUntil } from '../lib/demo/history.ts';
import { withTrialSecrets } from '../lib/node/trial-secrets.ts';
import { PROJECTS } from './seed/company.ts';
import { begin } from './seed/story.ts';
import { triagesUntil } from './seed/triages.ts';
import { openWorld } from './seed/world.ts';

/*
 * Makes a demo organization: eight weeks of scans of five projects, and what a team made of them. It is written by the
 * service's own handlers, in this process, over the database that the servers use, while their clock is moved from
 * then until now; so all is as it would be had it happened. Servers may run meanwhile.
 */

const USAGE = `npm run seed -- [options]
  --slug SLUG   of the organization (default lumen-books)
`;

const DAYS = 56;

const { values: options } = parseArgs({
  options: { slug: { type: 'string', default: 'lumen-books' }, help: { type: 'boolean' } },
});
if (options.help) {
  process.stdout.write(USAGE);
  process.exit();
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    interrupted = true;
  });

let undo = async () => {};
let code = 0;
try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = await withTrialSecrets(parseConfig(process.env, { refuse: false }));
  const databaseUrl = config.databaseUrl ?? (await embedded(config));
  const database = openDatabase({ url: databaseUrl, max: 1 });
  await migrateShared(database.sql, sharedMigrations);
  const taken = await database.sql.unsafe('select from shared.orgs where slug = $1', [options.slug]);
  await database.close();
  if (taken.length > 0)
    throw new ConfigError(`organization "${options.slug}" already exists: use another --slug`);
  await seed(config, databaseUrl, options.slug);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof ServiceError;
  process.stderr.write(`${expected ? error.message : (error as Error).stack}\n`);
  code = 1;
}
await undo();
process.exit(code);

/** Starts the embedded database, or joins the server that has started it. */
async function embedded({ dataDir }: Config): Promise<string> {
  const quiet = () => {};
  const { url, stop } = await startEmbedded({ dataDir, log: { debug: quiet, info: quiet, warn: quiet } });
  undo = stop;
  return url;
}

async function seed(config: Config, databaseUrl: string, slug: string): Promise<void> {
  const started = Date.now();
  const password = `${randomBytes(9).toString('base64url')}aA1`;
  const runs = runsUntil(PROJECTS, started, DAYS);
  const first = Math.floor(started / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
  const world = await openWorld(config, databaseUrl, first);
  const userIds: string[] = [];
  try {
    const story = await begin(world, { slug, password, userIds });
    const events = [
      ...runs.map((run) => ({ at: run.at, happens: () => story.scan(run) })),
      ...triagesUntil(started, DAYS).map((at) => ({ at, happens: () => story.triage() })),
    ].sort((a, b) => a.at - b.at);
    for (const { at, happens } of events) {
      if (interrupted) throw new ConfigError('interrupted: nothing is left of the organization');
      world.goTo(at);
      await happens();
    }
    world.goTo(Date.now() - 5 * 60_000);
    const [run] = runs.filter(({ schedule }) => schedule.persona === 'sharingan').slice(-1);
    if (run) await story.beginScan(run);

    const { projects, scans, findings } = story.counts();
    const seconds = Math.round((Date.now() - started) / 1000);
    const url = new URL(config.publicUrl);
    if (config.baseDomain) url.host = `${slug}.${url.host}`;
    else url.pathname = `/o/${slug}`;
    process.stdout.write(
      [
        `${findings} findings of ${scans} scans in ${projects} projects, in ${seconds} s.`,
        `Sign in at ${url.href} with the password ${password} as`,
        ...story.addresses.map(({ email, role }) => `  ${email.padEnd(30)} ${role}`),
        '',
      ].join('\n'),
    );
  } catch (error) {
    await world.remove(userIds);
    throw error;
  } finally {
    await world.close();
  }
}
