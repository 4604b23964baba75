import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { type Api, createClient } from '../../tests/support/api/client.ts';
import type { Scene } from '../../tests/support/scenario/scene.ts';
import type { LaunchedServer } from '../../tests/support/server/process.ts';
import { STEPS } from './next-version.ts';
import { killDatabase, killReader, killServer, postmasterIn } from './victim.ts';
import { findHalves } from './wholeness.ts';
import { findLost, type Ledger, openLedger, write } from './writers.ts';

/** The processes to kill, and the operation during which they are killed. */
export interface Kind {
  name: string;
  database: 'embedded' | 'standing';
  whom?: Parameters<typeof killServer>[2];
  /** Only the database or a process that reads a report is killed; the server continues. */
  only?: 'postmaster' | 'backend' | 'reading process';
  /** The server has migrations that the database does not have yet. */
  upgrade?: true;
}

/** A database, and the writes that its servers have answered. */
export interface Place {
  dataDir: string;
  /** The database of the server: `embedded` or the URL. */
  server: string;
  /** The URL of the running database. */
  databaseUrl(): Promise<string>;
  /** Migrations beyond those of this checkout. */
  steps: number;
  ledgers: Ledger[];
}

const MOMENT_MS = 3_000;
const MIGRATED_WITHIN_MS = 60_000;
const BACK_WITHIN_MS = 30_000;
/** A probe that has not failed by then has missed the outage. */
const MISSED_MS = 3_000;

export interface Round {
  scene: Scene;
  entry: string;
  kind: Kind;
  place: Place;
  /** Verifies all answered writes, not only those of this round. */
  last: boolean;
}

/** Duration of the recovery; `sinceUp` starts when the database is up, and is unset when it never was down. */
interface Back {
  ms: number;
  sinceUp?: number | undefined;
}

/** Starts a server, writes, kills it or its database, waits for the recovery and verifies the data. */
export async function playRound(round: Round) {
  const { scene, entry, kind, place, last } = round;
  const { only } = kind;
  const start = () =>
    scene.launch({
      ...{ entry, databaseUrl: place.server },
      env: { SVC_DATA_DIR: place.dataDir, [STEPS]: `${place.steps}` },
    });
  const before = await start();
  const api = apiOf(await before.listening);
  const ledger = await openLedger(api);
  place.ledgers.push(ledger);
  const killed = await (only ? killTheDatabase : kind.upgrade ? killTheNext : killTheServer)({
    ...round,
    start,
    before,
    api,
    ledger,
  });
  const { victim, back } = killed;
  const sql = postgres(await place.databaseUrl(), { max: 1, onnotice: () => {} });
  try {
    const version = orgMigrations.length + place.steps;
    await untilMigrated(sql, version);
    const ledgers = last ? place.ledgers : [ledger];
    const lost: string[] = [];
    const after = apiOf(await victim.listening);
    for (const each of ledgers) lost.push(...(await findLost(after, each)));
    const halves = await findHalves(sql, {
      version,
      counted: ledgers.map(({ org }) => org.id),
    });
    return { back, halfWay: kind.upgrade && (await wasHalfWay(victim, sql)), found: { lost, halves } };
  } finally {
    await sql.end({ timeout: 1 });
    await victim.stop();
  }
}

interface Scenario extends Round {
  start(): Promise<LaunchedServer>;
  before: LaunchedServer;
  api: Api;
  ledger: Ledger;
}

/** @returns the server that is there afterwards, and how it came back */
type Killing = (scenario: Scenario) => Promise<{ victim: LaunchedServer; back: Back }>;

const killTheServer: Killing = async ({ kind, place, start, before, api, ledger }) => {
  const writing = write(api, ledger, { signal: new AbortController().signal });
  await sleep(randomInt(MOMENT_MS));
  await killServer(before, place.dataDir, kind.whom ?? 'server');
  await writing;
  return startAgain(start);
};

/** Writes, then kills the next version while it migrates them. */
const killTheNext: Killing = async ({ kind, place, start, before, api, ledger }) => {
  const over = new AbortController();
  const writing = write(api, ledger, { signal: over.signal });
  await sleep(randomInt(MOMENT_MS));
  over.abort();
  await writing;
  await before.stop();
  place.steps++;
  const next = await start();
  const writingOn = next.listening.then((origin) =>
    write(apiOf(origin), ledger, { signal: new AbortController().signal }),
  );
  writingOn.catch(() => {});
  // One in three is killed during its start.
  if (randomInt(3) === 0) await sleep(randomInt(MOMENT_MS / 2));
  else await next.listening.then(() => sleep(randomInt(MOMENT_MS / 6)));
  await killServer(next, place.dataDir, kind.whom ?? 'server');
  await writingOn.catch(() => {});
  return startAgain(start);
};

const killTheDatabase: Killing = async ({ kind, place, before, api, ledger }) => {
  const over = new AbortController();
  const writing = write(api, ledger, { signal: over.signal, patient: true });
  await sleep(randomInt(MOMENT_MS));
  const back = untilHealthyAgain(api, place.dataDir);
  if (kind.only === 'reading process') await killReader(before);
  else await killDatabase(place.dataDir, kind.only ?? 'postmaster');
  const came = await back;
  await sleep(randomInt(MOMENT_MS));
  over.abort();
  await writing;
  return { victim: before, back: came };
};

async function startAgain(
  start: () => Promise<LaunchedServer>,
): Promise<{ victim: LaunchedServer; back: Back }> {
  const began = Date.now();
  const victim = await start();
  await victim.listening;
  return { victim, back: { ms: Date.now() - began } };
}

/** Waits until the probe has failed and succeeds again. It may miss a short outage. */
async function untilHealthyAgain(api: Api, dataDir: string): Promise<Back> {
  const began = Date.now();
  const first = await postmasterIn(dataDir);
  let failed = false;
  let up: number | undefined;
  while (Date.now() - began < BACK_WITHIN_MS) {
    const [health, postmaster] = await Promise.all([api.get('//healthz'), postmasterIn(dataDir)]);
    if (postmaster?.ready && postmaster.pid !== first?.pid) up ??= Date.now();
    if (health.status !== 200) failed = true;
    else if (failed || Date.now() - began > MISSED_MS) {
      return { ms: failed ? Date.now() - began : 0, sinceUp: up && Date.now() - up };
    }
    await sleep(10);
  }
  throw new Error('the service does not come back');
}

/** Whether some organizations were migrated and others were not when this server started. */
async function wasHalfWay(victim: LaunchedServer, sql: Sql): Promise<boolean> {
  const [row] = await sql.unsafe<{ orgs: number }[]>('select count(*)::int as orgs from shared.orgs');
  const behind = /migrating organizations.*count=(\d+)/.exec(victim.log())?.[1];
  return behind !== undefined && Number(behind) < (row?.orgs ?? 0);
}

const apiOf = (origin: string): Api => createClient((request) => fetch(request), origin);

async function untilMigrated(sql: Sql, version: number): Promise<void> {
  for (const deadline = Date.now() + MIGRATED_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
    const [behind] = await sql.unsafe('select from shared.orgs where schema_version not in (0, $1) limit 1', [
      version,
    ]);
    if (!behind) return;
  }
}

/** Kills servers during their first start, repeatedly, and lets the next one start. */
export async function playStarts(scene: Scene, entry: string, starts: number): Promise<string[]> {
  const failed: string[] = [];
  for (let i = 0; i < starts; i++) {
    const dataDir = join(scene.site.workDir, `first-${i}`);
    const start = () => scene.launch({ entry, databaseUrl: 'embedded', env: { SVC_DATA_DIR: dataDir } });
    for (let attempt = 0; attempt < 3; attempt++) {
      const victim = await start();
      await sleep(randomInt(2_000));
      await killServer(victim, dataDir, i % 2 ? 'server' : 'all');
    }
    const victim = await start();
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
