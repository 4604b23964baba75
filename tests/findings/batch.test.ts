import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { pushBatch } from '../../lib/http/bulk/push-batch.ts';
import type { AgentCall } from '../../lib/http/call.ts';
import { addProject, createOrg, createScan, finding, must, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;
let admin: Database;

beforeAll(async () => {
  t = await startApp();
  admin = openDatabase({ url: t.databaseUrl, max: 1 });
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});
afterAll(() => admin.close());

interface Options {
  key?: string;
  agent?: TestOrg['asAgent'];
  api?: TestApp['api'];
}

const send = (findings: unknown, { key, agent = org.asAgent, api = t.api }: Options = {}) =>
  api.post('/agent/findings/batch', {
    ...agent,
    body: { findings },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

const aFinding = (fields: Record<string, unknown> = {}) => finding(org, scanId, fields);
const some = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => aFinding({ fingerprint: `${prefix}-${i}` }));

let keys = 0;
const freshKey = () => `key ${keys++}`;

interface Entry {
  status: string;
  id: string;
  regressed: boolean;
  error: { type: string; code: string; details?: { field: string; message: string }[] };
}
const statusesOf = (answer: { result: { results: Entry[] } }) =>
  answer.result.results.map(({ status, error }) => (error ? `${error.type}/${error.code}` : status));

/** `seen_count` by fingerprint. */
async function seen(prefix: string, { id }: { id: string } = org) {
  const rows = await admin.sql.unsafe<{ fingerprint: string; seen_count: number }[]>(
    `select fingerprint, seen_count from "${orgSchemaName(id)}".findings where starts_with(fingerprint, $1) order by id`,
    [prefix],
  );
  return Object.fromEntries(rows.map((row) => [row.fingerprint.slice(prefix.length), row.seen_count]));
}

describe('a batch', () => {
  it('has one entry for each finding, in their order', async () => {
    const known = must(await send([aFinding({ fingerprint: 'order-known' })])).results[0];
    const answer = await send([
      aFinding({ fingerprint: 'order-1' }),
      aFinding({ title: '' }),
      aFinding({ fingerprint: 'order-known' }),
      aFinding({ scan_id: 'unregistered' }),
      'not a finding',
    ]);
    expect(answer.status).toBe(200);
    expect(answer.result).toMatchObject({ created: 1, deduplicated: 1, failed: 3 });
    expect(statusesOf(answer)).toEqual([
      'created',
      'validation_error/field_invalid',
      'deduplicated',
      'resource_error/not_found',
      'validation_error/field_invalid',
    ]);
    expect(answer.result.results[1].error).toEqual({
      type: 'validation_error',
      code: 'field_invalid',
      ref: 'E50004',
      message: expect.any(String),
      details: [{ field: 'title', message: 'must not be empty' }],
    });
    expect(answer.result.results[2].id).toBe(known.id);
    expect(must(await t.api.get(`/findings/${answer.result.results[0].id}`, org.asOwner))).toMatchObject({
      fingerprint: 'order-1',
      seen_count: 1,
    });
  });

  it('counts two findings with one fingerprint as two pushes', async () => {
    const twice = aFinding({ fingerprint: 'twice', title: 'First' });
    const answer = await send([twice, { ...twice, title: 'Second' }]);
    expect(statusesOf(answer)).toEqual(['created', 'deduplicated']);
    const [first, second] = answer.result.results;
    expect(first.id).toBe(second.id);
    expect(must(await t.api.get(`/findings/${first.id}`, org.asOwner))).toMatchObject({
      seen_count: 2,
      title: 'Second',
    });
  });

  it('writes 1,000 findings, and keeps the counts', async () => {
    const answer = await send(some(1_000, 'thousand'));
    expect(answer.result).toMatchObject({ created: 1_000, deduplicated: 0, failed: 0 });
    const again = await send(some(1_000, 'thousand'));
    expect(again.result).toMatchObject({ created: 0, deduplicated: 1_000 });
    expect(again.result.results.map(({ id }: Entry) => id)).toEqual(
      answer.result.results.map(({ id }: Entry) => id),
    );
    await expectKeptCounts(admin, org);
  });

  it('lets findings take a new fingerprint', async () => {
    const [{ id }] = must(await send([aFinding({ fingerprint: 'former' })])).results;
    const answer = await send([
      aFinding({ fingerprint: 'latter', previous_fingerprints: ['former'] }),
      aFinding({ fingerprint: 'former' }),
    ]);
    expect(statusesOf(answer)).toEqual(['deduplicated', 'created']);
    expect(answer.result.results[0].id).toBe(id);
  });

  it.each([
    ['no findings', []],
    ['1,001 findings', Array.from({ length: 1_001 }, () => ({}))],
    ['something else than a list', { 0: {} }],
  ])('is refused with %s', async (_, findings) => {
    const answer = await send(findings);
    expect(answer.refusal).toBe('400 validation_error/field_invalid findings');
  });

  it('has at most 8 MiB', async () => {
    const description = 'x'.repeat(100_000);
    const most = Array.from({ length: 83 }, () => aFinding({ description }));
    expect((await send(most)).result.created).toBe(83);
    const answer = await send([...most, aFinding({ description })]);
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
  });

  it('is refused whole if the database is unavailable', async () => {
    const down = await startApp({ databaseUrl: t.databaseUrl });
    const api = down.api;
    must(await send([aFinding()], { api }));
    await down.services.database.close();
    const answer = await send([aFinding(), {}], { api });
    expect([answer.status, answer.error]).toEqual([500, 'server_error/unavailable']);
  });

  it('loses one finding that PostgreSQL refuses, and no other', async () => {
    const schema = orgSchemaName(org.id);
    await admin.sql.unsafe(
      `alter table "${schema}".findings add constraint no_poison check (title <> 'Poison') not valid`,
    );
    const answer = await send([...some(3, 'poisoned'), aFinding({ title: 'Poison' }), aFinding()]);
    await admin.sql.unsafe(`alter table "${schema}".findings drop constraint no_poison`);
    expect(statusesOf(answer)).toEqual(['created', 'created', 'created', 'server_error/internal', 'created']);
  });
});

describe('an idempotency key', () => {
  it('answers a repeated batch as at first, and changes nothing', async () => {
    const key = freshKey();
    const batch = [...some(600, 'repeated'), aFinding({ title: '' }), aFinding({ scan_id: 'unregistered' })];
    const first = await send(batch, { key });
    expect(first.result).toMatchObject({ created: 600, failed: 2 });
    const again = await send(batch, { key });
    expect(again.result).toEqual(first.result);
    expect(new Set(Object.values(await seen('repeated')))).toEqual(new Set([1]));
  });

  it('is refused with another body, which changes nothing', async () => {
    const key = freshKey();
    must(await send(some(2, 'body-a'), { key }));
    for (const body of [some(2, 'body-b'), some(3, 'body-a'), [{}]]) {
      const answer = await send(body, { key });
      expect([answer.status, answer.error]).toEqual([409, 'resource_error/conflict']);
    }
    expect(await seen('body-a')).toEqual({ '-0': 1, '-1': 1 });
    expect(await seen('body-b')).toEqual({});
  });

  it('is also bound to a batch of which nothing was valid', async () => {
    const key = freshKey();
    const first = await send([{}], { key });
    expect(statusesOf(first)).toEqual(['validation_error/field_required']);
    expect((await send([{}], { key })).result).toEqual(first.result);
    expect((await send([aFinding()], { key })).error).toBe('resource_error/conflict');
  });

  it('writes once what is sent many times at the same instant', async () => {
    const second = await startApp({ databaseUrl: t.databaseUrl });
    const key = freshKey();
    const batch = some(700, 'instant');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => send(batch, { key, api: i % 2 ? t.api : second.api })),
    );
    for (const answer of answers) expect(answer.result).toEqual(answers[0]?.result);
    expect(answers[0]?.result.created).toBe(700);
    expect(new Set(Object.values(await seen('instant')))).toEqual(new Set([1]));
  });

  it('lets one of several bodies through that are sent at the same instant', async () => {
    const key = freshKey();
    const bodies = Array.from({ length: 5 }, (_, i) => [
      // The first valid finding is at another position in each.
      ...Array.from({ length: i }, () => ({})),
      ...some(300, `race-${i}-`),
    ]);
    const answers = await Promise.all(bodies.map((body) => send(body, { key })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    expect(Object.keys(await seen('race-'))).toHaveLength(300);
  });

  it('writes each push once while repeated requests and failing pushes change the groups', async () => {
    const second = await startApp({ databaseUrl: t.databaseUrl });
    const key = freshKey();
    const batch = some(300, 'overlap');
    const schema = orgSchemaName(org.id);
    const refuse = (fingerprint: string) =>
      admin.sql.unsafe(
        `alter table "${schema}".findings add constraint refused check (fingerprint <> '${fingerprint}') not valid`,
      );
    const accept = () => admin.sql.unsafe(`alter table "${schema}".findings drop constraint refused`);
    await refuse('overlap-7');
    const first = Array.from({ length: 4 }, (_, i) => send(batch, { key, api: i % 2 ? t.api : second.api }));
    await first[0];
    await accept();
    const more = Array.from({ length: 4 }, (_, i) => send(batch, { key, api: i % 2 ? t.api : second.api }));
    await Promise.all([...first, ...more]);
    expect((await send(batch, { key })).result).toMatchObject({ created: 300, failed: 0 });
    const counts = await seen('overlap');
    expect(Object.keys(counts)).toHaveLength(300);
    expect(new Set(Object.values(counts))).toEqual(new Set([1]));
  });

  it('refreshes the summary of an ended scan, which the first request may not have reached', async () => {
    const key = freshKey();
    const endedScan = await createScan(t.api, org);
    must(await t.api.patch(`/agent/scans/${endedScan}`, { ...org.asAgent, body: { status: 'completed' } }));
    const batch = [aFinding({ scan_id: endedScan, fingerprint: 'late' })];
    must(await send(batch, { key }));
    await admin.sql.unsafe(`update "${orgSchemaName(org.id)}".scans set summary = null where scan_id = $1`, [
      endedScan,
    ]);
    must(await send(batch, { key }));
    const { summary } = must(await t.api.get(`/scans/${endedScan}`, org.asOwner));
    expect(summary).toMatchObject({ total: 1 });
  });

  it('continues a batch of which a part was not written', async () => {
    const key = freshKey();
    const batch = some(600, 'parts');
    const schema = orgSchemaName(org.id);
    // The second group fails as if the disk were full.
    await admin.sql.unsafe(`
      create function "${schema}".full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'no space' using errcode = '53100'; end $$;
      create trigger full_disk before insert on "${schema}".findings for each row
        when (new.fingerprint = 'parts-300') execute function "${schema}".full_disk()`);
    const first = await send(batch, { key });
    await admin.sql.unsafe(`drop function "${schema}".full_disk() cascade`);
    expect(first.status).toBe(200);
    expect(first.result.failed).toBeGreaterThan(0);
    expect(first.result.created + first.result.failed).toBe(600);
    expect(new Set(statusesOf(first))).toEqual(new Set(['created', 'server_error/unavailable']));
    const again = await send(batch, { key });
    expect(again.result).toMatchObject({ created: 600, failed: 0 });
    expect(new Set(Object.values(await seen('parts')))).toEqual(new Set([1]));
    expect((await send(batch, { key })).result).toEqual(again.result);
  });

  it('is kept for 24 hours', async () => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const key = freshKey();
    const options = { key, api: later.api };
    must(await send(some(1, 'day'), options));
    later.advance(24 * 3_600_000 - 60_000);
    must(await send(some(1, 'day'), options));
    expect(await seen('day')).toEqual({ '-0': 1 });
    later.advance(120_000);
    expect(statusesOf(await send(some(1, 'day'), options))).toEqual(['deduplicated']);
    expect(await seen('day')).toEqual({ '-0': 2 });
    later.advance(25 * 3_600_000);
    expect(statusesOf(await send(some(1, 'next-day'), options))).toEqual(['created']);
  });

  it('belongs to its organization', async () => {
    const key = freshKey();
    must(await send(some(1, 'mine'), { key }));
    const stranger = await createOrg(t.api);
    const scan = await createScan(t.api, stranger);
    const answer = await send([finding(stranger, scan, { fingerprint: 'theirs' })], {
      key,
      agent: stranger.asAgent,
    });
    expect(statusesOf(answer)).toEqual(['created']);
  });

  it('belongs to the project of its token, so that no other project can use it up', async () => {
    const key = freshKey();
    const other = await addProject(t.api, org);
    must(await send(some(1, 'claimed'), { key, agent: other.asAgent }));
    const batch = some(1, 'scoped');
    expect(statusesOf(await send(batch, { key }))).toEqual(['created']);
    expect(statusesOf(await send(batch, { key }))).toEqual(['created']);
    expect(await seen('scoped')).toEqual({ '-0': 1 });
    expect((await send(some(1, 'scoped-2'), { key })).error).toBe('resource_error/conflict');
  });

  it.each(['', 'x'.repeat(129), 'tab\there', 'ümlaut'])('is refused as %j', async (key) => {
    const answer = await send([aFinding()], { key });
    expect(answer.refusal).toBe('400 validation_error/invalid_request idempotency-key');
  });
});

it('a batch of invalid findings gives other requests their turn', async () => {
  let turn = 0;
  const count = () => {
    turn++;
    ticker = setImmediate(count);
  };
  let ticker = setImmediate(count);
  /** The number of findings that were validated in each turn of the event loop. */
  const validated = new Map<number, number>();
  const invalid = {
    get title() {
      validated.set(turn, (validated.get(turn) ?? 0) + 1);
      return 5;
    },
  };
  const call = { token: { projectId: org.projectId } } as AgentCall;
  const options = { key: undefined, withStatus: false };
  const { failed } = await pushBatch(call, Array(1_000).fill(invalid), options);
  clearImmediate(ticker);
  expect(failed).toBe(1_000);
  // Zod reads a field more than once.
  const reads = [...validated.values()];
  const readsOfEach = reads.reduce((sum, n) => sum + n) / 1_000;
  expect(Math.max(...reads)).toBeLessThanOrEqual(51 * readsOfEach);
});
