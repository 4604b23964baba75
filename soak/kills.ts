import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import type { Figure } from '../bench/support/bench.ts';
import { type Api, createClient } from '../tests/support/client.ts';
import { buildNextVersion, STEPS } from './support/next-version.ts';
import { type Scene, soak } from './support/soak.ts';
import { embeddedUrl, startVictim, type Victim } from './support/victim.ts';
import { findHalves, type Halves } from './support/wholeness.ts';
import { findLost, type Ledger, openLedger, write } from './support/writers.ts';

/** What is killed, and in the middle of what. */
interface Kind {
  name: string;
  database: 'embedded' | 'standing';
  workers?: number;
  whom?: Parameters<Victim['kill']>[0];
  /** It comes with migrations that this database has not had yet. */
  upgrade?: true;
}

const KINDS: readonly Kind[] = [
  { name: 'server', database: 'embedded' },
  { name: 'server, database elsewhere', database: 'standing' },
  { name: 'server and postmaster', database: 'embedded', whom: 'postmaster too' },
  { name: 'server that migrates', database: 'embedded', upgrade: true },
  { name: 'primary of two workers', database: 'embedded', workers: 2 },
  { name: 'server that migrates, database elsewhere', database: 'standing', upgrade: true },
  { name: 'all processes', database: 'embedded', whom: 'all' },
  { name: 'all of two workers that migrate', database: 'embedded', workers: 2, whom: 'all', upgrade: true },
];

/** A database, and what was answered by the servers that have used it. */
interface Place {
  dataDir: string;
  env: Record<string, string>;
  databaseUrl(): Promise<string>;
  /** Migrations beyond those of this checkout. */
  steps: number;
  ledgers: Ledger[];
}

const MOMENT_MS = 3_000;
const MIGRATED_WITHIN_MS = 60_000;

export const kills = soak({
  summary:
    'kill -9 at random moments of ingest, org creation, registration, migration, the first start: nothing is lost, half done or stuck',
  options: { rounds: 50, starts: 20 },
  minutes: 40,
  async run(scene, { rounds, starts }): Promise<Figure[]> {
    const entry = await buildNextVersion(scene.site);
    const places = await openPlaces(scene);
    const seen = {
      lost: [] as string[],
      halves: [] as Halves[],
      unexpected: [] as string[],
      restarts: [] as number[],
    };
    for (let round = 0; round < rounds; round++) {
      const kind = KINDS[round % KINDS.length] as Kind;
      const place = places[kind.database];
      const { ms, found } = await playRound({
        scene,
        entry,
        kind,
        place,
        last: round >= rounds - KINDS.length,
      });
      seen.restarts.push(ms);
      seen.lost.push(...found.lost);
      seen.halves.push(found.halves);
      seen.unexpected.push(...(place.ledgers.at(-1)?.unexpected ?? []));
      const faults = [found.lost, ...Object.values(found.halves)].flat() as string[];
      const answered = place.ledgers.at(-1)?.answered;
      scene.site.say(
        `  ${round + 1}: ${kind.name}: ${answered} writes answered, back after ${ms} ms${faults.map((fault) => `\n    ${fault}`).join('')}`,
      );
    }
    const unstartable = await playStarts(scene, entry, starts);
    const answered = Object.values(places).flatMap(({ ledgers }) => ledgers.map((ledger) => ledger.answered));
    const none = (name: string, all: readonly unknown[]): Figure => ({
      name,
      value: all.length,
      aim: { atMost: 0 },
    });
    const halves = (key: keyof Halves) => seen.halves.flatMap((found) => found[key]);
    return [
      { name: 'writes answered', value: answered.reduce((sum, n) => sum + n, 0) },
      none('of them lost', seen.lost),
      none('half organizations', halves('orgs')),
      none('half users', halves('users')),
      none('half migrations', halves('migrations')),
      none('wrong counts', halves('counts')),
      none('stuck locks', halves('locks')),
      none('answers neither success nor unavailable', seen.unexpected),
      { name: 'slowest start after a kill, ms', value: Math.max(...seen.restarts), aim: { atMost: 10_000 } },
      { ...none('first starts that did not recover', unstartable), rounds: { values: [starts] } },
    ];
  },
});

async function openPlaces({ site, database }: Scene): Promise<Record<Kind['database'], Place>> {
  const { url } = await database();
  const embedded = join(site.workDir, 'embedded');
  const common = { steps: 0, ledgers: [] };
  return {
    embedded: {
      ...common,
      ledgers: [],
      dataDir: embedded,
      env: {},
      databaseUrl: () => embeddedUrl(embedded),
    },
    standing: {
      ...common,
      ledgers: [],
      dataDir: join(site.workDir, 'standing'),
      env: { DATABASE_URL: url },
      databaseUrl: async () => url,
    },
  };
}

interface Round {
  scene: Scene;
  entry: string;
  kind: Kind;
  place: Place;
  /** All that was ever answered is looked for, not only what was answered in this round. */
  last: boolean;
}

/** Starts a server, writes, kills it, starts it again and looks what is there. */
async function playRound({ scene, entry, kind, place, last }: Round) {
  const { workers = 1, whom = 'server', upgrade } = kind;
  const start = () =>
    startVictim(scene.site, {
      entry,
      dataDir: place.dataDir,
      env: { ...place.env, SVC_WORKERS: `${workers}`, [STEPS]: `${place.steps}` },
    });
  const began = async (victim: Victim) => apiOf(await victim.listening);

  let victim = await start();
  let api = await began(victim);
  const ledger = await openLedger(api);
  place.ledgers.push(ledger);
  const over = new AbortController();
  const writing = write(api, ledger, { signal: over.signal });
  await sleep(randomInt(MOMENT_MS));
  if (upgrade) {
    // What there is now is what the next version will have to migrate: it is killed while it does.
    over.abort();
    await writing;
    await victim.stop();
    place.steps++;
    victim = await start();
    const next = victim.listening
      .then(apiOf)
      .then((after) => write(after, ledger, { signal: new AbortController().signal }));
    next.catch(() => {});
    await Promise.race([sleep(randomInt(MOMENT_MS)), victim.listening.then(() => sleep(randomInt(500)))]);
    await victim.kill(whom);
    await next.catch(() => {});
  } else {
    await victim.kill(whom);
    over.abort();
    await writing;
  }

  const killed = Date.now();
  victim = await start();
  api = await began(victim);
  const ms = Date.now() - killed;
  const sql = postgres(await place.databaseUrl(), { max: 1, onnotice: () => {} });
  try {
    await untilMigrated(sql);
    const ledgers = last ? place.ledgers : [ledger];
    const lost: string[] = [];
    for (const each of ledgers) lost.push(...(await findLost(api, each)));
    const halves = await findHalves(
      sql,
      ledgers.map(({ org }) => org.id),
    );
    return { ms, found: { lost, halves } };
  } finally {
    await sql.end({ timeout: 1 });
    await victim.stop();
  }
}

const apiOf = (origin: string): Api => createClient((request) => fetch(request), origin);

async function untilMigrated(sql: Sql): Promise<void> {
  for (const deadline = Date.now() + MIGRATED_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
    const [row] = await sql.unsafe<{ versions: number }[]>(
      'select count(distinct schema_version)::int as versions from shared.orgs',
    );
    if ((row?.versions ?? 0) <= 1) return;
  }
}

/** Kills servers that start for the first time ever, again and again, and lets the next one start. */
async function playStarts(scene: Scene, entry: string, starts: number): Promise<string[]> {
  const failed: string[] = [];
  for (let i = 0; i < starts; i++) {
    const dataDir = join(scene.site.workDir, `first-${i}`);
    for (let attempt = 0; attempt < 3; attempt++) {
      const victim = await startVictim(scene.site, { entry, dataDir });
      await sleep(randomInt(2_000));
      await victim.kill(i % 2 ? 'server' : 'all');
    }
    const victim = await startVictim(scene.site, { entry, dataDir });
    try {
      await openLedger(apiOf(await victim.listening));
    } catch (error) {
      failed.push((error as Error).message);
      scene.site.say(`  first start ${i + 1}: ${(error as Error).message}`);
    }
    await victim.stop();
  }
  return failed;
}
