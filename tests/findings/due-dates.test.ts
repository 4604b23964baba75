import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SEVERITIES } from '../../db/schema/values.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const NONE = { critical: null, high: null, medium: null, low: null, info: null };
const DAYS = { critical: 7, high: 30, medium: 90, low: null, info: null };

let t: TestApp;
/** Another process over the same database. */
let other: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  other = await startApp({ databaseUrl: t.databaseUrl });
});

beforeEach(async () => {
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

const set = (days: object, as: object = org.asOwner) =>
  t.api.put('/settings/due-dates', { ...as, body: days });
const setOfProject = (days: object, id = org.projectId) =>
  t.api.put(`/projects/${id}/due-dates`, { ...org.asOwner, body: days });
const read = async (id: string) => must(await t.api.get(`/findings/${id}`, org.asOwner));
const change = async (id: string, body: object) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));
/** The days between a time and the due date. */
const daysFrom = (at: string, { due_at }: { due_at?: string }) =>
  due_at === undefined ? undefined : (Date.parse(due_at) - Date.parse(at)) / DAY_MS;
const entriesOf = async (id: string, kind: string) => {
  const entries = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
  return entries.filter((entry: { kind: string }) => entry.kind === kind);
};

describe('/settings/due-dates', () => {
  it('has no days at first, and then those that were set', async () => {
    expect(must(await t.api.get('/settings/due-dates', org.asOwner))).toEqual(NONE);
    expect(must(await set({ critical: 7, high: 30, medium: 90 }))).toEqual(DAYS);
    expect(must(await t.api.get('/settings/due-dates', org.asOwner))).toEqual(DAYS);
    expect(must(await set({ low: 3_650 }))).toEqual({ ...NONE, low: 3_650 });
  });

  it.each([[0], [-1], [3_651], [1.5], ['7'], [true]])(
    'refuses %j days, and changes nothing',
    async (days) => {
      must(await set(DAYS));
      const answer = await set({ ...DAYS, high: days });
      expect(answer.refusal).toBe('400 validation_error/field_invalid high');
      expect(must(await t.api.get('/settings/due-dates', org.asOwner))).toEqual(DAYS);
    },
  );

  it('is not emptied by a body without any severity', async () => {
    must(await set(DAYS));
    must(await setOfProject(DAYS));
    for (const answer of [await set({}), await set({ Critical: 7 }), await setOfProject({})])
      expect([answer.error, answer.badFields]).toEqual(['validation_error/field_required', ['critical']]);
    expect((await setOfProject({ high: -1 })).badFields).toEqual(['high']);
    for (const path of ['/settings', `/projects/${org.projectId}`])
      expect(must(await t.api.get(`${path}/due-dates`, org.asOwner))).toEqual(DAYS);
    expect(must(await set({ info: null }))).toEqual(NONE);
  });
});

describe('/projects/{id}/due-dates', () => {
  it("inherits the organization's days where its own are null, and has none where they are 0", async () => {
    must(await set(DAYS));
    const own = { ...NONE, critical: 2, high: 0 };
    expect(must(await setOfProject(own))).toEqual(own);
    expect(must(await t.api.get(`/projects/${org.projectId}/due-dates`, org.asOwner))).toEqual(own);
    const due = await Promise.all(
      SEVERITIES.map(async (severity) => {
        const finding = await push(t.api, org, scanId, { severity });
        return [severity, daysFrom(finding.created_at, finding)];
      }),
    );
    expect(Object.fromEntries(due)).toEqual({
      ...{ critical: 2, high: undefined, medium: 90, low: undefined, info: undefined },
    });
  });

  it("does not count for other projects, and is not found in another organization's", async () => {
    const foreign = await createOrg(t.api);
    for (const id of [foreign.projectId, crypto.randomUUID(), '00000000-0000-0000-0000-000000000000'])
      expect((await setOfProject(DAYS, id)).error).toBe('resource_error/not_found');
    must(await setOfProject(DAYS));
    const finding = await push(t.api, foreign, await createScan(t.api, foreign));
    expect(finding.due_at).toBeUndefined();
    expect(must(await t.api.get('/settings/due-dates', foreign.asOwner))).toEqual(NONE);
    expect(must(await t.api.get('/settings/due-dates', org.asOwner))).toEqual(NONE);
  });
});

describe('a new finding', () => {
  it('is due as many days after it was found as its severity has', async () => {
    must(await set(DAYS));
    const finding = await push(t.api, org, scanId, { severity: 'high' });
    expect(daysFrom(finding.created_at, finding)).toBe(30);
    expect(await read(finding.id)).toEqual((({ deduplicated, ...stored }) => stored)(finding));
    const harmless = await push(t.api, org, scanId, { severity: 'info' });
    expect(harmless).not.toHaveProperty('due_at');
    expect(await entriesOf(finding.id, 'due_at')).toEqual([]);
  });

  it('is due also when it comes in a batch with a key, or in a report', async () => {
    must(await set(DAYS));
    const pushed = { scan_id: scanId, project_id: org.projectId, title: 'x', description: 'x' };
    const body = { findings: [{ ...pushed, fingerprint: 'one', severity: 'critical' }] };
    const options = { ...org.asAgent, body, headers: { 'idempotency-key': 'k' } };
    const { results } = must(await t.api.post('/agent/findings/batch', options));
    const report = { findings: [{ title: 'Weak cipher', severity: 'medium', description: 'x' }] };
    must(await t.api.post(`/agent/reports?project_id=${org.projectId}`, { ...org.asAgent, body: report }));
    const one = await read(results[0].id);
    const [weak] = must(await t.api.get('/findings?q=weak&page=1', org.asOwner));
    expect([daysFrom(one.created_at, one), daysFrom(weak.created_at, weak)]).toEqual([7, 90]);
  });

  it('keeps its due date when the setting changes', async () => {
    must(await set(DAYS));
    const before = await push(t.api, org, scanId);
    must(await set({ high: 1 }));
    const after = await push(t.api, org, scanId);
    expect((await read(before.id)).due_at).toBe(before.due_at);
    expect(daysFrom(after.created_at, after)).toBe(1);
  });

  it('follows a change that another process made, from its next push on', async () => {
    for (const high of [5, 6, null, 7]) {
      must(await set({ high }));
      for (const { api } of [other, t, other]) {
        const finding = await push(api, org, scanId);
        expect(daysFrom(finding.created_at, finding) ?? null).toBe(high);
      }
    }
  });

  it('is written once while the setting changes all the time', async () => {
    const pushes = Array.from({ length: 60 }, (_, i) =>
      push((i % 2 ? t : other).api, org, scanId, { fingerprint: `f${i}` }),
    );
    const changes = Array.from({ length: 30 }, (_, i) => set({ high: i + 1 }).then(must));
    const found = await Promise.all(pushes);
    await Promise.all(changes);
    expect(found.map(({ seen_count }) => seen_count)).toEqual(found.map(() => 1));
    for (const finding of found) {
      const days = daysFrom(finding.created_at, finding) ?? 1;
      expect(days >= 1 && days <= 30 && Number.isInteger(days)).toBe(true);
    }
  });
});

describe('a finding that is seen again', () => {
  it('is due by its new severity, as many days after it was found', async () => {
    must(await set(DAYS));
    const first = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'medium' });
    t.advance(HOUR_MS);
    // Its due dates are those of the setting when it was found.
    must(await set({ ...DAYS, critical: 1 }));
    const worse = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'critical' });
    expect(daysFrom(first.created_at, worse)).toBe(7);
    const harmless = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'info' });
    expect(harmless).not.toHaveProperty('due_at');
    const back = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'medium' });
    expect(back.due_at).toBe(first.due_at);
    const entries = await entriesOf(first.id, 'due_at');
    expect(entries.map(({ from, to }: { from?: string; to?: string }) => [from, to])).toEqual([
      [undefined, first.due_at],
      [worse.due_at, undefined],
      [first.due_at, worse.due_at],
    ]);
    expect(entries[0].actor).toMatchObject({ type: 'token', id: org.tokenId });
  });

  it('keeps a due date that someone has set or removed when its severity changes', async () => {
    must(await set(DAYS));
    const pushed = await push(t.api, org, scanId, { fingerprint: 'set', severity: 'medium' });
    const removed = await push(t.api, org, scanId, { fingerprint: 'removed', severity: 'medium' });
    const due_at = '2040-01-01T00:00:00.000Z';
    await change(pushed.id, { due_at });
    await change(removed.id, { due_at: null });
    const again = (fingerprint: string) =>
      push(t.api, org, scanId, { fingerprint, severity: 'critical' }).then((finding) => finding.due_at);
    expect([await again('set'), await again('removed')]).toEqual([due_at, undefined]);
  });

  it('keeps its due date when something else about it is changed', async () => {
    must(await set(DAYS));
    const first = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'medium' });
    await change(first.id, { status: 'confirmed' });
    const worse = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'critical' });
    expect(daysFrom(first.created_at, worse)).toBe(7);
  });

  it('is due from its regression on, by the days of now, and once only', async () => {
    must(await set(DAYS));
    const first = await push(t.api, org, scanId, { fingerprint: 'f' });
    const byHand = await push(t.api, org, scanId, { fingerprint: 'by hand' });
    await change(byHand.id, { due_at: '2040-01-01T00:00:00Z' });
    for (const { id } of [first, byHand]) await change(id, { status: 'fixed' });
    must(await set({ high: 3 }));
    t.advance(5 * HOUR_MS);
    for (const fingerprint of ['f', 'by hand']) {
      const regressed = await push(t.api, org, scanId, { fingerprint });
      expect(regressed.regressed).toBe(true);
      expect(daysFrom(regressed.regressed_at, regressed)).toBe(3);
      t.advance(HOUR_MS);
      const later = await push(t.api, org, scanId, { fingerprint });
      expect(later.due_at).toBe(regressed.due_at);
    }
    const [entry] = await entriesOf(first.id, 'due_at');
    expect(entry.from).toBe(first.due_at);
  });

  it('keeps what someone has set when it regresses and the setting has no days', async () => {
    const due_at = '2040-01-01T00:00:00.000Z';
    const first = await push(t.api, org, scanId, { fingerprint: 'f' });
    await change(first.id, { status: 'fixed', due_at });
    expect((await push(t.api, org, scanId, { fingerprint: 'f' })).due_at).toBe(due_at);
    must(await set({ critical: 3 }));
    const second = await push(t.api, org, scanId, { fingerprint: 'g' });
    await change(second.id, { status: 'fixed', due_at });
    expect((await push(t.api, org, scanId, { fingerprint: 'g' })).due_at).toBe(due_at);
  });

  it('of before the first setting gets no due date', async () => {
    await push(t.api, org, scanId, { fingerprint: 'f' });
    must(await set(DAYS));
    const again = await push(t.api, org, scanId, { fingerprint: 'f', severity: 'critical' });
    expect(again).not.toHaveProperty('due_at');
  });
});
