import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { renameStatement } from '../../db/findings/ingest/previous-fingerprints.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import {
  type Answer,
  type Api,
  createOrg,
  createScan,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import { tapWire, type Wire } from '../support/database/tap.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Pushes with `previous_fingerprints` through two servers at the same time, each step held where it matters by a lock. */

let t: TestApp;
let second: TestApp;
/** Beside the servers' connections: one that holds locks, one that looks on. */
let locker: Database;
let watcher: Database;
let org: TestOrg;
let scanId: string;
let schema: string;

beforeAll(async () => {
  t = await startApp();
  second = await startApp({ databaseUrl: t.databaseUrl });
  locker = openDatabase({ url: t.databaseUrl, max: 2 });
  watcher = openDatabase({ url: t.databaseUrl, max: 1 });
});
afterAll(async () => {
  await locker.close();
  await watcher.close();
});
beforeEach(async () => {
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  schema = `"${orgSchemaName(org.id)}"`;
});

const pushRaw = (fields: Record<string, unknown>, to: Api) =>
  to.post('/agent/findings', { ...org.asAgent, body: finding(org, scanId, fields) });
const renaming = (to: Api, fingerprint: string, ...previous_fingerprints: string[]) =>
  pushRaw({ fingerprint, previous_fingerprints }, to);
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

/** The number of sightings of each finding by its fingerprint. */
async function stored(): Promise<Record<string, number>> {
  const rows = await watcher.sql.unsafe<{ fingerprint: string; seen_count: number }[]>(
    `select fingerprint, seen_count from ${schema}.findings`,
  );
  return Object.fromEntries(rows.map(({ fingerprint, seen_count }) => [fingerprint, seen_count]));
}

/** Starts pushes while a transaction that ran `statement` is open, and ends it when all of them wait. */
async function behind(statement: string, pushes: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const { answers } = await locker.sql.begin(async (tx) => {
    await tx.unsafe(statement);
    const answers = Promise.all(pushes.map((start) => start()));
    await untilBlocked(watcher.sql, pushes.length);
    return { answers };
  });
  return answers;
}

const lockFindings = () => `select from ${schema}.findings for update`;

describe('two servers at the same instant', () => {
  it('give a finding the same new fingerprint once, and count both pushes', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const answers = await behind(
      lockFindings(),
      [t, second].map(
        ({ api }) =>
          () =>
            renaming(api, 'new', 'old'),
      ),
    );
    expect(answers.map(({ status, result }) => [status, result.id])).toEqual([
      [200, id],
      [200, id],
    ]);
    expect(await stored()).toEqual({ new: 3 });
  });

  it('give a finding one of two new fingerprints; the other push is a new finding', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const answers = await behind(lockFindings(), [
      () => renaming(t.api, 'new-1', 'old'),
      () => renaming(second.api, 'new-2', 'old'),
    ]);
    expect(statusesOf(answers).sort()).toEqual([200, 201]);
    const winner = answers.find(({ status }) => status === 200);
    expect(winner?.result.id).toBe(id);
    const loser = answers.find(({ status }) => status === 201);
    expect(await stored()).toEqual({ [winner?.result.fingerprint]: 2, [loser?.result.fingerprint]: 1 });
  });

  it('let the push that lost a finding take the next one of its list', async () => {
    const a = await push(t.api, org, scanId, { fingerprint: 'a' });
    const b = await push(t.api, org, scanId, { fingerprint: 'b' });
    const answers = await behind(`select from ${schema}.findings where fingerprint = 'a' for update`, [
      () => renaming(t.api, 'new-1', 'a', 'b'),
      () => renaming(second.api, 'new-2', 'a', 'b'),
    ]);
    expect(statusesOf(answers)).toEqual([200, 200]);
    expect(new Set(answers.map(({ result }) => result.id))).toEqual(new Set([a.id, b.id]));
    expect(await stored()).toEqual({ 'new-1': 2, 'new-2': 2 });
  });

  it('give one of two findings the same new fingerprint, and the other finding keeps its own', async () => {
    await push(t.api, org, scanId, { fingerprint: 'a' });
    await push(t.api, org, scanId, { fingerprint: 'b' });
    // Both have seen that no finding has the new fingerprint: the unique index stops the second.
    const answers = await behind(lockFindings(), [
      () => renaming(t.api, 'new', 'a'),
      () => renaming(second.api, 'new', 'b'),
    ]);
    expect(statusesOf(answers)).toEqual([200, 200]);
    expect(new Set(answers.map(({ result }) => result.id)).size).toBe(1);
    const { new: seen, ...kept } = await stored();
    expect([seen, Object.values(kept)]).toEqual([3, [1]]);
  });

  it('rename nothing when the new fingerprint was stored while they waited', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const insert = `insert into ${schema}.findings
      select (r).* from (
        select jsonb_populate_record(f, '{"id": "0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07", "fingerprint": "new"}') as r
        from ${schema}.findings f
      ) copied`;
    const [answer] = await behind(insert, [() => renaming(t.api, 'new', 'old')]);
    expect([answer?.status, answer?.result.id === id]).toEqual([200, false]);
    expect(await stored()).toEqual({ old: 1, new: 2 });
  });
});

describe('a finding that is being triaged', () => {
  it('is waited for: the decision is kept', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const decide = `update ${schema}.findings set status = 'false_positive', updated_at = updated_at`;
    const [answer] = await behind(decide, [() => renaming(t.api, 'new', 'old')]);
    expect(answer?.status).toBe(200);
    expect(answer?.result).toMatchObject({ id, status: 'false_positive', fingerprint: 'new', seen_count: 2 });
  });

  it('while pushes rename it ends in the state of the decision', async () => {
    const prints = times(40, (i) => i);
    const ids: string[] = [];
    for (const i of prints) ids.push((await push(t.api, org, scanId, { fingerprint: `old-${i}` })).id);
    const triage = (status: string, some: string[]) =>
      second.api.patch('/findings', {
        ...org.asOwner,
        body: { changes: some.map((id) => ({ id, status })) },
      });
    const [pushed, ...triaged] = await Promise.all([
      Promise.all(prints.map((i) => renaming(t.api, `new-${i}`, `old-${prints.length - 1 - i}`))),
      triage('wontfix', ids),
      triage('wontfix', ids.toReversed()),
    ]);
    expect(statusesOf(pushed)).toEqual(prints.map(() => 200));
    expect(statusesOf(triaged)).toEqual([200, 200]);
    const all = must(await t.api.get('/findings', org.asOwner));
    expect(all.map(({ status }: { status: string }) => status)).toEqual(prints.map(() => 'wontfix'));
    expect(await stored()).toEqual(Object.fromEntries(prints.map((i) => [`new-${i}`, 2])));
    await expectKeptCounts(watcher, org);
  });
});

it('a connection lost between renaming and writing leaves a finding that the next push finds', async () => {
  const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
  // Renaming reads the scan, writing locks it.
  const [lost] = await locker.sql.begin(async (tx) => {
    await tx.unsafe(`select from ${schema}.scans for update`);
    const waiting = renaming(t.api, 'new', 'old');
    await untilBlocked(watcher.sql, 1);
    expect(await stored()).toEqual({ new: 1 });
    await watcher.sql.unsafe(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return [await waiting];
  });
  expect([lost?.status, lost?.error]).toEqual([500, 'server_error/unavailable']);
  const retried = await renaming(t.api, 'new', 'old');
  expect([retried.status, retried.result.id, retried.result.seen_count]).toEqual([200, id, 2]);
});

it('pushes of everything at once lose nothing and never fail', async () => {
  const prints = times(12, (i) => `print-${i}`);
  const any = () => prints[Math.floor(Math.random() * prints.length)] as string;
  const made: Answer[] = [];
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all(
      times(60, (i) => {
        const previous = times(Math.floor(Math.random() * 6), any);
        const { api } = i % 2 ? t : second;
        return i % 5 === 0 ? pushRaw({ fingerprint: any() }, api) : renaming(api, any(), ...previous);
      }),
    );
    made.push(...answers);
  }
  expect(made.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
  const rows = await stored();
  expect(Object.keys(rows)).toHaveLength(made.filter(({ status }) => status === 201).length);
  expect(Object.values(rows).reduce((sum, seen) => sum + seen, 0)).toBe(made.length);
  const sightings = made.map(({ result }) => `${result.id} ${result.seen_count}`);
  expect(new Set(sightings).size).toBe(made.length);
  await expectKeptCounts(watcher, org);
});

describe('statements', () => {
  let wire: Wire;
  let tapped: TestApp;
  beforeAll(async () => {
    wire = await tapWire(t.databaseUrl);
    tapped = await startApp({ databaseUrl: wire.url });
  });
  afterAll(() => wire.close());

  const sentFor = async (fields: Record<string, unknown>) => {
    wire.take();
    must(await pushRaw(fields, tapped.api));
    return wire.take().filter((text) => text.includes('json_to_recordset'));
  };

  it('are no more for pushes without the field, and one more for those with it', async () => {
    const plain = { fingerprint: 'plain' };
    await sentFor(plain);
    expect(await sentFor(plain)).toHaveLength(1);
    expect(await sentFor({ ...plain, previous_fingerprints: [] })).toHaveLength(1);
    const [rename, write, ...more] = await sentFor({ fingerprint: 'new', previous_fingerprints: ['plain'] });
    expect([rename, write]).toEqual([
      expect.stringContaining('previous_fingerprints text[]'),
      expect.stringContaining('on conflict (project_id, fingerprint)'),
    ]);
    expect(more).toEqual([]);
    expect(await stored()).toEqual({ new: 4 });
  });

  it('look up fingerprints in the unique index, also when they are planned for an empty table', async () => {
    const tables = defineOrgTables(orgSchemaName(org.id));
    const query = renameStatement(tables).query({ pushes: '[]' });
    const plan = await watcher.sql.unsafe<{ 'QUERY PLAN': string }[]>(
      `explain ${query.sql}`,
      query.params as never[],
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    const scans = text
      .match(/Scan (using \w+ )?on findings.*/g)
      ?.map((scan) => scan.match(/using (\w+)/)?.[1]);
    const ofKeys = ['findings_fingerprint', 'findings_fingerprint'];
    expect(scans).toEqual([...ofKeys, 'findings_pkey']);
  });
});
