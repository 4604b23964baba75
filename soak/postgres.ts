import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../db/client.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { createClient, createOrg, createScan } from '../tests/support/api/client.ts';
import { type OwnPostgres, startOwnPostgres } from '../tests/support/database/own-postgres.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import { percentile, sum } from '../tests/support/scenario/stats.ts';
import { type Crowd, startCrowd } from './support/crowd.ts';

const MAX_CONNECTIONS = 40;
/** Duration of the fault, and of normal operation before and after. */
const AWAY_MS = 8_000;
const CALM_MS = 4_000;
/** Time within which the probe has to report the fault, and the recovery. */
const TELL_MS = 3_000;

/** Injects a fault with `does` and removes it with `undoes`, which is unset when the fault is temporary. */
interface Fault {
  does(postgres: OwnPostgres): Promise<void>;
  undoes?: (postgres: OwnPostgres) => Promise<void>;
}

const FAULTS: Record<string, () => Fault> = {
  stopped: () => ({ does: (it) => it.stop('SIGINT'), undoes: (it) => it.start() }),
  killed: () => ({ does: (it) => it.stop('SIGKILL'), undoes: (it) => it.start() }),
  restarted: () => ({
    async does(it) {
      await it.stop('SIGINT');
      await it.start();
    },
  }),
  paused: () => ({ does: (it) => it.pause(), undoes: (it) => it.resume() }),
  full: () => {
    let hog: Database | undefined;
    return {
      async does({ url }) {
        hog = await takeAllConnections(url);
      },
      undoes: async () => hog?.close(),
    };
  },
};

/** Terminates the service's connections and takes them, until none is left. */
async function takeAllConnections(url: string): Promise<Database> {
  const hog = openDatabase({ url, max: MAX_CONNECTIONS, applicationName: 'hog' });
  const take = () =>
    Promise.allSettled(Array.from({ length: MAX_CONNECTIONS }, () => hog.sql.unsafe('select pg_sleep(0.2)')));
  for (;;) {
    await take();
    const [row] = await hog.sql.unsafe<{ ended: number }[]>(
      `select count(pg_terminate_backend(pid))::int as ended
       from pg_stat_activity where backend_type = 'client backend' and application_name <> 'hog'`,
    );
    if (row?.ended === 0) return hog;
  }
}

/** PostgreSQL becomes unavailable under load in several ways, and recovers. */
export const postgres = scenario({
  summary:
    'PostgreSQL stopped, killed, restarted, paused and out of connections under load: no hang, no crash, nothing lost',
  options: { rounds: 2 },
  minutes: 15,
  async run({ site, server }, { rounds }) {
    const own = await startOwnPostgres(site, { max_connections: `${MAX_CONNECTIONS}` });
    const service = await server({ databaseUrl: own.url });
    const api = createClient(fetch, service.url);
    const org = await createOrg(api);
    const scanId = await createScan(api, org);
    const acknowledged = new Set<string>();
    const figures: Figure[] = [];
    for (const [name, make] of Object.entries(FAULTS)) {
      const seen: Observed[] = [];
      for (let round = 0; round < rounds; round++) {
        const fault = make();
        const crowd = startCrowd({ api, org, scanId, writers: 16, readers: 8 });
        await sleep(CALM_MS);
        await fault.does(own);
        const gone = performance.now();
        if (fault.undoes) await sleep(AWAY_MS);
        await fault.undoes?.(own);
        const back = performance.now();
        await sleep(CALM_MS);
        await crowd.stop();
        for (const fingerprint of crowd.acknowledged) acknowledged.add(fingerprint);
        seen.push(observe(crowd, gone, back));
        site.say(`  ${name}: ${JSON.stringify(seen.at(-1))}`);
      }
      figures.push(...figuresOf(name, seen));
    }
    let ended = false;
    void service.exited.then(() => {
      ended = true;
    });
    await sleep(0);
    if (ended) throw new Error('the server has ended');
    const running = openDatabase({ url: own.url, max: 1 });
    site.onClose(() => running.close());
    const rows = await running.sql.unsafe<{ fingerprint: string }[]>(
      `select fingerprint from "${orgSchemaName(org.id)}".findings`,
    );
    const there = new Set(rows.map(({ fingerprint }) => fingerprint));
    const lost = [...acknowledged].filter((fingerprint) => !there.has(fingerprint));
    return [
      ...figures,
      { name: 'pushes acknowledged', value: acknowledged.size },
      { name: 'of them lost', value: lost.length, aim: NONE },
    ];
  },
});

/** A fault as the clients saw it; times in milliseconds. */
interface Observed {
  /** From the fault to the first failed probe; undefined when none failed. */
  told: number | undefined;
  /** From its end to the first probe, and push, after which all succeeded. */
  ready: number;
  working: number;
  longest: number;
  /** 95th percentile of the refusals after the fault was detected. */
  refused: number;
  wrong: string[];
}

function observe({ seen }: Crowd, gone: number, back: number): Observed {
  const of = (kind: string) => seen.filter((one) => one.kind === kind);
  const firstGood = (kind: string) => {
    const lastBad = of(kind).findLast(({ outcome, began }) => outcome !== 'ok' && began > gone);
    const first = of(kind).find(
      ({ outcome, ended }) => outcome === 'ok' && ended > Math.max(back, lastBad?.ended ?? 0),
    );
    return first ? first.ended - back : Number.POSITIVE_INFINITY;
  };
  const told = of('probe').find(({ outcome, ended }) => outcome !== 'ok' && ended > gone);
  const noticed = seen.filter(
    ({ kind, began, ended }) => kind !== 'probe' && began > gone + TELL_MS + 1_000 && ended < back,
  );
  return {
    told: told && Math.max(0, told.ended - gone),
    ready: firstGood('probe'),
    working: firstGood('push'),
    longest: Math.max(...seen.map(({ began, ended }) => ended - began)),
    refused: percentile(Float64Array.from(noticed.map(({ began, ended }) => ended - began)).sort(), 0.95),
    wrong: seen.filter(({ outcome }) => outcome === 'wrong' || outcome === 'broken').map(({ text }) => text),
  };
}

function figuresOf(name: string, seen: readonly Observed[]): Figure[] {
  const worst = (of: (one: Observed) => number | undefined) =>
    Math.max(...seen.map((one) => of(one) ?? Number.NaN));
  const lasting = name !== 'restarted';
  return [
    ...(lasting
      ? [
          { name: `${name}: 503 after ms`, value: worst(({ told }) => told), aim: { atMost: TELL_MS } },
          { name: `${name}: refusals p95 ms`, value: worst(({ refused }) => refused), aim: { atMost: 250 } },
        ]
      : []),
    { name: `${name}: 200 after ms`, value: worst(({ ready }) => ready), aim: { atMost: TELL_MS } },
    { name: `${name}: pushes after ms`, value: worst(({ working }) => working), aim: { atMost: TELL_MS } },
    { name: `${name}: longest request ms`, value: worst(({ longest }) => longest), aim: { atMost: 6_000 } },
    {
      name: `${name}: other answers`,
      value: sum(seen.map(({ wrong }) => wrong.length)),
      aim: NONE,
    },
  ];
}
