import { v7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { withoutOutbox } from '../support/server/no-outbox.ts';

/* The deliveries of webhooks: their list, tests, repetition, and what a change of a webhook does to them. */

const INPUT = { url: 'https://hooks.acme.example/findings', events: ['scan.completed'] };
const MINUTE = 60_000;

let t: TestApp;
let org: TestOrg;
let webhook: string;

beforeAll(async () => {
  t = await startApp();
  await withoutOutbox(t);
});

beforeEach(async () => {
  org = await createOrg(t.api);
  webhook = must(await t.api.post('/webhooks', { ...org.asOwner, body: INPUT })).id;
});

const sql = (text: string, params: unknown[] = []) =>
  t.services.database.sql.unsafe(
    text.replaceAll('ORG', `"org_${org.id.replaceAll('-', '')}"`),
    params as string[],
  );
const list = (query = '', id = webhook) => t.api.get(`/webhooks/${id}/deliveries${query}`, org.asOwner);
const test = (id = webhook) => t.api.post(`/webhooks/${id}/test`, org.asOwner);
const redeliver = (delivery: string, id = webhook) =>
  t.api.post(`/webhooks/${id}/deliveries/${delivery}/redeliver`, org.asOwner);
const patch = (body: object) => t.api.patch(`/webhooks/${webhook}`, { ...org.asOwner, body });
const stateOf = async () => {
  const [row] = await sql(
    `select enabled, disabled_reason as reason, failures, failing_since is not null as failing, wakes, leases,
      round(extract(epoch from due_at) * 1000)::float8 as due from shared.destinations where id = $1`,
    [webhook],
  );
  return row;
};
const now = () => t.services.clock().getTime();
const entries = async () =>
  must(await t.api.get('/audit', org.asOwner)).filter(({ action }: { action: string }) =>
    /^webhook\.(tested|redelivered)/.test(action),
  );

/** Adds a delivery of an event that an attempt of a process has left behind. */
async function add(fields: Record<string, unknown> = {}): Promise<string> {
  const { at = later(0), id = v7(), ...others } = fields;
  const event = v7();
  await sql('insert into ORG.events (id, seq, at, type) values ($1, 1, $2, $3)', [
    event,
    at,
    'scan.completed',
  ]);
  const row = { destination_id: webhook, id, event_id: event, created_at: at, state: 'delivered', ...others };
  const names = Object.keys(row);
  await sql(
    `insert into ORG.deliveries (${names}) values (${names.map((_, i) => `$${i + 1}`)})`,
    Object.values(row),
  );
  return id as string;
}

/** A time, as text. */
const later = (minutes: number) => new Date(now() + minutes * MINUTE).toISOString();

describe('the list of deliveries', () => {
  it('has those of the webhook, newest first, with their events', async () => {
    expect(must(await list())).toEqual([]);
    const tried = { tried_at: later(0), duration_ms: 84 };
    const ok = await add({ at: later(-3), attempts: 1, ...tried, status: 200, response: 'ok' });
    const failed = await add({ at: later(-2), state: 'failed', attempts: 8, ...tried, error: 'no answer' });
    const waits = await add({
      at: later(-1),
      state: 'pending',
      attempts: 2,
      ...tried,
      next_at: later(5),
      status: 500,
    });
    const event = { id: expect.any(String), type: 'scan.completed', at: expect.any(String) };
    const common = { event, created_at: expect.any(String), tried_at: expect.any(String), duration_ms: 84 };
    const shown = [
      { ...common, id: waits, state: 'pending', attempts: 2, next_at: expect.any(String), status: 500 },
      { ...common, id: failed, state: 'failed', attempts: 8, error: 'no answer' },
      { ...common, id: ok, state: 'delivered', attempts: 1, status: 200, response: 'ok' },
    ];
    expect(must(await list())).toEqual(shown);
    const { id: other } = must(await t.api.post('/webhooks', { ...org.asOwner, body: INPUT }));
    expect(must(await list('', other))).toEqual([]);
    const found = must(await list('?state=pending,failed'));
    expect(found).toEqual(shown.slice(0, 2));
    expect((await list('?state=lost')).badFields).toEqual(['state']);
  });

  it('is paged', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await add({ at: later(i) }));
    const idsOf = (answer: Answer) => must(answer).map(({ id }: { id: string }) => id);
    const first = await list('?per_page=2');
    expect([idsOf(first), first.json.result_info]).toEqual([
      ids.slice(0, 2),
      { page: 1, per_page: 2, total: 5, total_pages: 3, has_next: true, has_prev: false },
    ]);
    expect(idsOf(await list('?per_page=2&page=3'))).toEqual(ids.slice(4));
    const behind = await list('?per_page=2&page=9');
    expect([idsOf(behind), behind.json.result_info.total]).toEqual([[], 5]);
  });
});

describe('a test', () => {
  it('is pending at once, and there is one at a time', async () => {
    const answers = await Promise.all([test(), test()]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const [first, second] = answers.map(must);
    expect(first).toEqual({
      ...{ id: expect.any(String), state: 'pending', attempts: 0 },
      ...{ created_at: expect.any(String), next_at: first.created_at },
    });
    expect(second).toEqual(first);
    expect(must(await list())).toEqual([first]);
    expect(await stateOf()).toMatchObject({ wakes: 2, due: expect.any(Number) });
    expect(await entries()).toHaveLength(1);
    await sql("update ORG.deliveries set state = 'delivered', next_at = null");
    expect(must(await test()).id).not.toBe(first.id);
    expect(await entries()).toHaveLength(2);
  });

  it('of a disabled webhook is refused', async () => {
    must(await patch({ enabled: false }));
    expect((await test()).refusal).toBe('409 resource_error/conflict');
    expect(must(await list())).toEqual([]);
  });

  it.each([
    ['that nobody sends to', { leases: 2, due: null }, 'now'],
    ['that waits', { leases: 2, due: later }, 'now'],
    ['that is leased', { leases: 3, due: later }, 'later'],
    ['whose process stopped while it was disabled', { leases: 3, due: null }, 'now'],
  ])('makes a webhook due %s', async (_, { leases, due }, expected) => {
    const at = due?.(10) ?? null;
    await sql('update shared.destinations set leases = $1, due_at = $2 where id = $3', [leases, at, webhook]);
    must(await test());
    const state = await stateOf();
    expect(state).toMatchObject({ wakes: 1, leases });
    if (expected === 'later') expect(state?.due).toBe(Date.parse(at ?? ''));
    else expect(state?.due).toBeLessThanOrEqual(now());
  });
});

describe('a delivery', () => {
  it('is sent again, once if two ask at once', async () => {
    const id = await add({ state: 'failed', attempts: 8, status: 500, tried_at: later(-1), duration_ms: 1 });
    const answers = await Promise.all([redeliver(id), redeliver(id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const [first, second] = answers.map(must);
    expect(first).toMatchObject({ id, state: 'pending', attempts: 0, status: 500, event: {} });
    expect(first.next_at <= new Date(now()).toISOString()).toBe(true);
    expect(second).toEqual(first);
    expect(await stateOf()).toMatchObject({ wakes: 1, due: expect.any(Number) });
    expect(await entries()).toMatchObject([
      { action: 'webhook.redelivered', target: { id: webhook }, changes: { delivery: { to: id } } },
    ]);
  });

  it.each([
    ['that was delivered', { attempts: 1 }],
    ['that waits for its next attempt', { state: 'pending', attempts: 3, next_at: later }],
  ])('%s is sent again', async (_, fields) => {
    const next = 'next_at' in fields ? { next_at: fields.next_at(60) } : {};
    const id = await add({ ...fields, ...next });
    const again = must(await redeliver(id));
    expect(again).toMatchObject({ state: 'pending', attempts: 0 });
    expect(Date.parse(again.next_at)).toBeLessThanOrEqual(now());
  });

  it('of a disabled webhook, or of another one, is not', async () => {
    const id = await add({ state: 'failed' });
    const { id: other } = must(await t.api.post('/webhooks', { ...org.asOwner, body: INPUT }));
    expect((await redeliver(id, other)).refusal).toBe('404 resource_error/not_found');
    expect((await redeliver(v7())).refusal).toBe('404 resource_error/not_found');
    expect((await redeliver('nonsense')).refusal).toBe('404 resource_error/not_found');
    must(await patch({ enabled: false }));
    expect((await redeliver(id)).refusal).toBe('409 resource_error/conflict');
    expect(must(await list())).toMatchObject([{ id, state: 'failed' }]);
  });
});

describe('a webhook', () => {
  const fail = (reason: string | null) =>
    sql(
      `update shared.destinations set enabled = $1, disabled_reason = $2, failures = 9, failing_since = now(), due_at = null
       where id = $3`,
      [reason === null, reason, webhook],
    );

  it('that the service has disabled starts again', async () => {
    const waits = await add({ state: 'pending', attempts: 3, next_at: later(60) });
    await fail('failing');
    const [shown] = must(await t.api.get('/webhooks', org.asOwner));
    expect(shown).toMatchObject({
      ...{ enabled: false, disabled_reason: 'failing', failures: 9, failing_since: expect.any(String) },
    });
    must(await patch({ events: ['scan.failed'] }));
    expect(await stateOf()).toMatchObject({ enabled: false, reason: 'failing', failures: 9, due: null });
    const enabled = must(await patch({ enabled: true }));
    expect(enabled.enabled).toBe(true);
    for (const name of ['disabled_reason', 'failures', 'failing_since'])
      expect(enabled).not.toHaveProperty(name);
    const state = await stateOf();
    expect(state).toMatchObject({ reason: null, failures: 0, failing: false, wakes: 1 });
    expect(state?.due).toBeLessThanOrEqual(now());
    const [pending] = must(await list());
    expect(pending).toMatchObject({ id: waits, state: 'pending', attempts: 3 });
    expect(Date.parse(pending.next_at)).toBeLessThanOrEqual(now());
  });

  it('that an admin disables is not due', async () => {
    await add({ state: 'pending', next_at: later(0) });
    must(await test());
    must(await patch({ enabled: false }));
    expect(await stateOf()).toMatchObject({ enabled: false, reason: null, due: null });
    must(await patch({ enabled: false }));
    must(await patch({ enabled: true }));
    expect((await stateOf())?.due).toBeLessThanOrEqual(now());
  });

  it('that gets another address starts again, one that is changed otherwise does not', async () => {
    await add({ state: 'pending', attempts: 3, next_at: later(60) });
    await fail(null);
    must(await patch({ url: INPUT.url, enabled: true, min_severity: 'high' }));
    expect(await stateOf()).toMatchObject({ failures: 9, failing: true, due: null, wakes: 0 });
    must(await patch({ url: 'https://new.acme.example' }));
    expect(await stateOf()).toMatchObject({ failures: 0, failing: false, wakes: 1, due: expect.any(Number) });
  });

  it('is deleted with its deliveries', async () => {
    const { id: other } = must(await t.api.post('/webhooks', { ...org.asOwner, body: INPUT }));
    must(await test(other));
    await add();
    await sql(
      `insert into ORG.deliveries (destination_id, id, created_at, state)
       select $1, gen_random_uuid(), now(), 'delivered' from generate_series(1, 5001)`,
      [webhook],
    );
    expect((await t.api.delete(`/webhooks/${webhook}`, org.asOwner)).status).toBe(204);
    const left = await sql('select destination_id from ORG.deliveries');
    expect([...left]).toEqual([{ destination_id: other }]);
    expect((await list()).status).toBe(404);
    expect((await t.api.delete(`/webhooks/${webhook}`, org.asOwner)).status).toBe(404);
  });
});
