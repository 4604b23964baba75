import { type BenchDatabase, openBenchDatabase } from '../database/scratch.ts';
import { type SeededOrg, seedOrg } from '../database/seed.ts';
import type { LoadGenerator } from '../load/load.ts';
import { type BenchServer, buildServer, startServer } from '../server/bench-server.ts';
import type { Bench, BenchOptions, Figure, Stage } from './figure.ts';
import type { Site } from './site.ts';

/** A {@link Stage} that benchmarks are performed on, one after the other. */
export interface OpenStage extends Stage {
  /** Runs a benchmark, and stops the servers it started. */
  perform(bench: Bench): Promise<{ figures: Figure[]; error?: Error }>;
}

export function openStage(given: {
  site: Site;
  options: BenchOptions;
  loader: LoadGenerator;
  databaseUrl: string | undefined;
}): OpenStage {
  const { site, options, loader, databaseUrl } = given;
  let opened: Promise<BenchDatabase> | undefined;
  let built: Promise<void> | undefined;
  let servers: BenchServer[] = [];
  const seeded = new Map<string, Promise<SeededOrg>>();

  const stage: Stage = {
    ...{ site, options, loader },
    database() {
      opened ??= openBenchDatabase(site, databaseUrl);
      return opened;
    },
    async server({ env } = {}) {
      built ??= buildServer(options.checkout);
      await built;
      const { url } = await stage.database();
      const server = await startServer(site, {
        ...{ root: options.checkout, databaseUrl: url, env: env ?? {} },
        profileDir: options.profile ? `${site.root}/bench/results` : undefined,
      });
      servers.push(server);
      return server;
    },
    async seed(server, seedOptions) {
      const key = JSON.stringify(seedOptions);
      let org = seeded.get(key);
      if (!org) {
        site.say(`  making ${seedOptions.findings.toLocaleString('en-US')} findings`);
        org = seedOrg(await stage.database(), server, seedOptions);
        seeded.set(key, org);
      }
      return org;
    },
  };
  return {
    ...stage,
    async perform(bench) {
      try {
        return { figures: await bench.run(stage) };
      } catch (error) {
        return { figures: [], error: error as Error };
      } finally {
        for (const server of servers) await server.stop();
        servers = [];
      }
    },
  };
}
