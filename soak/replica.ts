import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import { migrateShared } from '../db/migrations/migrate.ts';
import { sharedMigrations } from '../drizzle/migrations.ts';
import { type Api, createClient, type TestOrg } from '../tests/support/api/client.ts';
import { type OwnPostgres, startOwnPostgres } from '../tests/support/database/own-postgres.ts';
import { seedOrg } from '../tests/support/database/seed.ts';
import { PRIMARY_SETTINGS, type Standby, startStandby } from '../tests/support/database/standby.ts';
import { download, readOf } from '../tests/support/http/requests.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import { treeCpuSecondsOf } from '../tests/support/server/proc.ts';
import { startReaders } from './support/replica-readers.ts';

/** The time of normal operation before and after each fault. */
const CALM_MS = 3_000;
const AWAY_MS = 6_000;
/** A server asks its replica twice a second. */
const BACK_MS = 10_000;
/** The largest share of its CPU time that the primary may still use: for look-ups, and the position of its log. */
const AT_MOST = 0.25;

interface Fault {
  does(standby: Standby): Promise<void>;
  undoes(standby: Standby): Promise<void>;
}

const FAULTS: Record<string, Fault> = {
  'replay paused': { does: (it) => it.pauseReplay(), undoes: (it) => it.resumeReplay() },
  stopped: { does: (it) => it.stop('SIGINT'), undoes: (it) => it.start() },
  killed: { does: (it) => it.stop('SIGKILL'), undoes: (it) => it.start() },
  silent: { does: (it) => it.pause(), undoes: (it) => it.resume() },
};

export const replica = scenario({
  summary:
    'a read replica stopped, killed, silent and lagging under load: no failed request, nothing stale, and what it saves',
  options: { findings: 20_000, rounds: 1, reads: 5 },
  minutes: 30,
  async run(scene, { findings, rounds, reads }) {
    const { site } = scene;
    const primary = await startOwnPostgres(site, PRIMARY_SETTINGS);
    const admin = openDatabase({ url: primary.url, max: 1, statementMs: 0 });
    site.onClose(() => admin.close());
    await migrateShared(admin.sql, sharedMigrations);
    const standby = await startStandby(site, primary, { settings: { hot_standby_feedback: 'on' } });
    const alone = await scene.server({ databaseUrl: primary.url });
    const env = {
      DATABASE_REPLICA_URL: standby.url,
      SVC_SEARCH_TIMEOUT: '30',
      // The clients stay within the share of their organization: any refusal is caused by the replica.
      SVC_DB_POOL_MAX: '20',
    };
    const [first, second] = await Promise.all(
      [0, 1].map(() => scene.server({ databaseUrl: primary.url, env })),
    );
    if (!first || !second) throw new Error('two servers were started');
    site.say(`  making ${findings.toLocaleString('en-US')} findings`);
    const org = await seedOrg(admin, alone, { findings, bytes: 1_500 });
    await standby.caughtUp();

    const saved: Figure[] = [];
    for (const [name, path] of Object.entries({
      export: '/findings?format=csv',
      search: '/findings?q=injection+handler&sort=cvss_score&page=1',
    })) {
      await routedAgain(first.url);
      const without = await costOf(primary, standby, alone.url, org, path, reads);
      const withReplica = await costOf(primary, standby, first.url, org, path, reads);
      site.say(`  ${name}: without ${JSON.stringify(without)}, with ${JSON.stringify(withReplica)}`);
      saved.push(
        {
          ...{ name: `primary CPU s per ${name}`, value: withReplica.primary, limit: without.primary },
          ...{ limitedBy: 'the same without a replica', aim: { atMost: AT_MOST } },
        },
        { name: `replica CPU s per ${name}`, value: withReplica.standby },
      );
    }
    await alone.stop();

    const [scanId = ''] = org.scanIds;
    const apis: [Api, Api] = [createClient(fetch, first.url), createClient(fetch, second.url)];
    const all = { pushes: 0, searches: 0, exports: 0, broken: 0, slowest: 0 };
    const wrong = { stale: 0, failed: 0 };
    let slowestBack = 0;
    for (let round = 0; round < rounds; round++)
      for (const [name, fault] of Object.entries(FAULTS)) {
        const { counts, stop } = startReaders({ apis, org, scanId, writers: 4, exporters: 2 });
        await sleep(CALM_MS);
        await fault.does(standby);
        await sleep(AWAY_MS);
        await fault.undoes(standby);
        const began = performance.now();
        await Promise.all([routedAgain(first.url), routedAgain(second.url)]);
        slowestBack = Math.max(slowestBack, performance.now() - began);
        await sleep(CALM_MS);
        await stop();
        site.say(`  ${name}: ${JSON.stringify(counts)}`);
        for (const key of ['pushes', 'searches', 'exports', 'broken'] as const) all[key] += counts[key];
        all.slowest = Math.max(all.slowest, counts.slowest);
        wrong.stale += counts.stale.length;
        wrong.failed += counts.failed.length;
      }
    return [
      ...saved,
      { name: 'pushes', value: all.pushes },
      { name: 'searches right after', value: all.searches, aim: { atLeast: 1 } },
      { name: 'complete exports', value: all.exports, aim: { atLeast: 1 } },
      { name: 'exports aborted', value: all.broken },
      { name: 'stale reads', value: wrong.stale, aim: NONE },
      { name: 'failed requests', value: wrong.failed, aim: NONE },
      { name: 'slowest search ms', value: all.slowest },
      { name: 'used again after ms', value: slowestBack, aim: { atMost: BACK_MS } },
    ];
  },
});

/** Processor seconds of the primary and its standby for one read, on average. */
async function costOf(
  primary: OwnPostgres,
  standby: Standby,
  url: string,
  org: TestOrg,
  path: string,
  reads: number,
) {
  const spent = async () => [await treeCpuSecondsOf(primary.pid()), await treeCpuSecondsOf(standby.pid())];
  const before = await spent();
  for (let i = 0; i < reads; i++) {
    const { status, bytes } = await download(url, readOf(org, path));
    if (status !== 200) throw new Error(`${path} answered ${status} with ${bytes} bytes`);
  }
  const after = await spent();
  const perRead = after.map((seconds, i) => (seconds - (before[i] ?? 0)) / reads);
  return { primary: perRead[0] ?? Number.NaN, standby: perRead[1] ?? Number.NaN };
}

/** Waits until a server may use its replica. */
async function routedAgain(url: string): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const lag = /^svc_db_replica_lag_seconds (\S+)$/m.exec(text)?.[1];
    if (/^svc_db_replica_up 1$/m.test(text) && Number(lag) < 1) return;
    await sleep(50);
  }
}
