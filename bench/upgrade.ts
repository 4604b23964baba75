import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import { orgSchemaStatements } from '../db/migrations/migrate.ts';
import { trigramSchema } from '../db/migrations/search-index.ts';
import type { Sql } from '../db/pool/query.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { orgMigrations } from '../drizzle/migrations.ts';
import { createClient, createOrg, createScan, must } from '../tests/support/api/client.ts';
import { seedOrg } from '../tests/support/database/seed.ts';
import { pushOf, readOf, wire } from '../tests/support/http/requests.ts';
import { MARK, type Sent, type Stream, startLoad } from '../tests/support/load/load.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { percentile } from '../tests/support/scenario/stats.ts';
import { useOlderSchema } from './support/older-schema.ts';
import { bench } from './support/rounds.ts';

/** The last migration of the schema that is upgraded. */
const LAST = '0009';
const PUSHES_PER_SECOND = 20;
const READS_PER_SECOND = 5;
const SAMPLE_MS = 20;
/** The load goes on for this long after the upgrade. */
const AFTER_MS = 3_000;
const LONGEST_WAIT = { atMost: 2_000 };

/** Table locks that pushes wait for, and those that reads wait for as well. */
const BLOCKS_PUSHES = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock'];
const BLOCKS_ALL = ['AccessExclusiveLock'];

/** Organizations stay usable while their schema is upgraded. */
export const upgrade = bench({
  summary: `an organization of 1,000,000 findings is upgraded from migration ${LAST} beside pushes to and reads of it and another one`,

  async run(scene, { rows }) {
    const { sql } = await scene.database();
    const first = await scene.server();
    scene.site.say(`  making ${rows.toLocaleString('en-US')} findings in the schema of ${LAST}`);
    const api = createClient(fetch, first.url);
    const other = await createOrg(api);
    const otherScan = await createScan(api, other);
    const large = await seedOrg({ sql }, first, {
      findings: rows,
      bytes: 1_000,
      isYear: true,
      prepare: (org) => useOlderSchema(sql, org, LAST),
    });
    // Otherwise each scan would miss the findings of the one before.
    await sql.unsafe(`update ${large.schema}.scans set target = json_build_object('path', scan_id)`);
    // Its cache has the organization as it was.
    await first.stop();
    const before = await validIndexes(sql, large.id);

    const watch = watchLocks(sql, large.id);
    const older = watchStatements((await scene.database()).url, large.id, large.findingIds);
    const began = performance.now();
    const server = await scene.server();
    const push = (org: typeof other, scanId: string): Stream => ({
      requests: [wire(server.url, pushOf(org, scanId, { fingerprint: MARK, title: `Finding ${MARK}` }))],
      ...{ status: 201, perSecond: PUSHES_PER_SECOND },
    });
    const read = (org: typeof other): Stream => ({
      requests: [wire(server.url, readOf(org, '/findings?page=1'))],
      ...{ status: 200, perSecond: READS_PER_SECOND },
    });
    const load = startLoad({
      url: server.url,
      streams: {
        push: push(large, large.scanIds[0] as string),
        read: read(large),
        'push to another': push(other, otherScan),
        'read of another': read(other),
      },
    });
    const ended = await untilUpgraded(sql, large.id, other.id);
    await sleep(AFTER_MS);
    const sent = await load.stop();
    const locked = await watch.stop();
    const longest = await older.stop();
    // It derives where the findings of earlier versions are present.
    const completed = performance.now();
    const end = { ...large.asAgent, body: { status: 'completed' } };
    must(await createClient(fetch, server.url).patch(`/agent/scans/${large.scanIds[0]}`, end));
    const firstEnd = performance.now() - completed;
    await server.stop();
    const alone = await indexAlone(sql, large.id, before);
    return [
      { name: 'until the schema is current, s', value: (ended.current - began) / 1_000 },
      {
        name: 'until all indexes exist, s',
        value: (ended.indexed - began) / 1_000,
        limit: alone / 1_000,
        limitedBy: 'the same CREATE INDEX alone',
        aim: { atMost: 4 },
      },
      { name: 'longest lock that pushes wait for, ms', value: locked.pushes },
      { name: 'longest lock that reads wait for, ms', value: locked.all },
      { name: 'end of the first scan, ms', value: firstEnd },
      { name: 'statement of an older server: longest ms', value: longest, aim: LONGEST_WAIT },
      ...Object.entries(sent).flatMap(([name, stream]) => figuresOf(name, stream)),
    ];
  },
});

function figuresOf(name: string, { times, others, slowestMs }: Sent): Figure[] {
  const errors = Object.entries(others);
  return [
    { name: `${name}: p99 ms`, value: percentile(times, 0.99) },
    { name: `${name}: longest ms`, value: slowestMs, aim: LONGEST_WAIT },
    {
      name: [`${name}: errors`, ...errors.map(([outcome]) => outcome)].join(' '),
      value: errors.reduce((total, [, count]) => total + count, 0),
      aim: NONE,
    },
  ];
}

async function validIndexes(sql: Sql, orgId: string): Promise<Set<string>> {
  const rows = await sql.unsafe<{ name: string }[]>(
    `select c.relname as name from pg_class c join pg_index i on i.indexrelid = c.oid
     where i.indisvalid and c.relnamespace = '${orgSchemaName(orgId)}'::regnamespace`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Waits for the version and the indexes of an organization that is new. @returns when it had them */
async function untilUpgraded(sql: Sql, orgId: string, newOrgId: string) {
  const wanted = await validIndexes(sql, newOrgId);
  let current: number | undefined;
  for (;;) {
    const [org] = await sql.unsafe<{ version: number }[]>(
      `select schema_version as version from shared.orgs where id = '${orgId}'`,
    );
    if (org?.version === orgMigrations.length) current ??= performance.now();
    const valid = await validIndexes(sql, orgId);
    if (current !== undefined && [...wanted].every((name) => valid.has(name)))
      return { current, indexed: performance.now() };
    await sleep(SAMPLE_MS);
  }
}

/** Samples the table locks in an organization's schema. @returns the longest time for which one was held, in milliseconds */
function watchLocks(sql: Sql, orgId: string) {
  const over = new AbortController();
  const longest = { pushes: 0, all: 0 };
  const since: { pushes?: number | undefined; all?: number | undefined } = {};
  const note = (kind: keyof typeof longest, isHeld: boolean) => {
    const now = performance.now();
    if (!isHeld) since[kind] = undefined;
    else since[kind] ??= now;
    if (isHeld) longest[kind] = Math.max(longest[kind], now - (since[kind] ?? now) + SAMPLE_MS);
  };
  const sampled = (async () => {
    while (!over.signal.aborted) {
      const rows = await sql.unsafe<{ mode: string }[]>(
        `select distinct l.mode from pg_locks l join pg_class c on c.oid = l.relation and c.relkind = 'r'
         where l.granted and c.relname in ('findings', 'scans')
           and c.relnamespace = '${orgSchemaName(orgId)}'::regnamespace`,
      );
      const modes = rows.map(({ mode }) => mode);
      note(
        'all',
        BLOCKS_ALL.some((mode) => modes.includes(mode)),
      );
      note(
        'pushes',
        [...BLOCKS_PUSHES, ...BLOCKS_ALL].some((mode) => modes.includes(mode)),
      );
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    async stop() {
      over.abort();
      await sampled;
      return longest;
    },
  };
}

/** Updates and reads findings as servers do that run since before the upgrade. @returns the longest time, in milliseconds */
function watchStatements(url: string, orgId: string, ids: readonly string[]) {
  const database = openDatabase({ url, max: 1 });
  const over = new AbortController();
  let longest = 0;
  const table = `${orgSchemaName(orgId)}.findings`;
  const running = (async () => {
    for (let i = 0; !over.signal.aborted; i++) {
      const began = performance.now();
      const id = ids[i % ids.length];
      if (i % 2) await database.sql.unsafe(`select title from ${table} where id = '${id}'`);
      else await database.sql.unsafe(`update ${table} set seen_count = seen_count + 1 where id = '${id}'`);
      longest = Math.max(longest, performance.now() - began);
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    async stop() {
      over.abort();
      await running;
      await database.close();
      return longest;
    },
  };
}

/** Drops the indexes that the upgrade made and makes them again. @returns the milliseconds that it took */
async function indexAlone(sql: Sql, orgId: string, before: ReadonlySet<string>): Promise<number> {
  const made = [...(await validIndexes(sql, orgId))].filter((name) => !before.has(name));
  const schema = orgSchemaName(orgId);
  const statements = orgSchemaStatements(orgId, orgMigrations, await trigramSchema(sql)).filter((text) =>
    made.some((name) => text.startsWith(`CREATE INDEX "${name}"`)),
  );
  for (const text of statements) {
    const [, name] = /"([^"]+)"/.exec(text) ?? [];
    await sql.unsafe(`drop index ${schema}."${name}"`);
  }
  const began = performance.now();
  for (const text of statements) await sql.unsafe(text);
  return performance.now() - began;
}
