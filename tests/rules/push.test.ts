import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { tapWire, type Wire } from '../support/database/tap.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { activityOf, createRule, IGNORE } from './kit.ts';

/* Decisions of rules about pushed findings. */

const DAY_MS = 24 * 60 * 60 * 1_000;

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

const pushTest = (fields: object = {}, api = t.api) =>
  push(api, org, scanId, { file: 'lib/test/a.ts', ...fields });
const read = async (id: string) => must(await t.api.get(`/findings/${id}`, org.asOwner));
const change = async (id: string, body: object) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));
const patchRule = async (id: string, body: object) =>
  must(await t.api.patch(`/rules/${id}`, { ...org.asOwner, body }));
const daysDue = ({ created_at, due_at }: { created_at: string; due_at?: string }) =>
  due_at === undefined ? undefined : (Date.parse(due_at) - Date.parse(created_at)) / DAY_MS;

describe('a new finding that a rule matches', () => {
  it('has what the rule decides, in the response, in the list and in its activity', async () => {
    const { id: ruleId } = await createRule(t.api, org, {
      name: 'In tests',
      actions: { ...IGNORE, assignee_id: org.owner.id, due_days: 30 },
    });
    const pushed = await pushTest();
    expect(pushed).toMatchObject({
      ...{
        status: 'false_positive',
        reason: 'used_in_tests',
        assignee_id: org.owner.id,
        deduplicated: false,
      },
      ...{ status_changed_at: pushed.created_at, regressed: false },
    });
    expect(daysDue(pushed)).toBe(30);
    const { deduplicated, ...shown } = pushed;
    expect(await read(pushed.id)).toEqual(shown);
    expect(must(await t.api.get('/findings?status=false_positive', org.asOwner))).toEqual([shown]);
    const [created, ...decided] = await activityOf(t.api, org, pushed.id);
    expect(created).toMatchObject({ kind: 'created', by: 'ci' });
    expect(decided.toSorted((a, b) => (String(a.kind) < String(b.kind) ? -1 : 1))).toEqual([
      expect.objectContaining({ kind: 'assignee', by: 'In tests', to: org.owner.id, note: undefined }),
      expect.objectContaining({ kind: 'due_at', by: 'In tests', to: pushed.due_at, note: undefined }),
      {
        kind: 'status',
        by: 'In tests',
        from: 'open',
        to: 'false_positive',
        reason: IGNORE.reason,
        note: IGNORE.note,
      },
    ]);
    const [entry] = must(await t.api.get(`/findings/${pushed.id}/activity`, org.asOwner));
    expect(entry.actor).toEqual({ type: 'rule', id: ruleId, name: 'In tests' });
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('counts for the rule until it is undone or removed, and tells when the rule matched last', async () => {
    const { id } = await createRule(t.api, org, { actions: IGNORE });
    const unused = await createRule(t.api, org, { conditions: { title: ['nothing'] } });
    const matches = async (ruleId = id) => {
      const { rules } = must(await t.api.get('/rules', org.asOwner));
      const rule = rules.find((one: { id: string }) => one.id === ruleId);
      return [rule.matched_count, rule.last_matched_at];
    };
    expect(await matches()).toEqual([0, undefined]);
    const first = await pushTest({ fingerprint: 'one' });
    const last = await pushTest({ fingerprint: 'two' });
    await pushTest({ fingerprint: 'two' });
    await pushTest({ fingerprint: 'three', file: 'lib/main.ts' });
    expect(await matches()).toEqual([2, last.created_at]);
    expect(await matches(unused.id)).toEqual([0, undefined]);
    must(await t.api.delete(`/findings/${last.id}`, org.asOwner));
    expect(await matches()).toEqual([1, first.created_at]);
    must(await t.api.post(`/rules/${id}/undo`, org.asOwner));
    expect(await matches()).toEqual([0, undefined]);
  });

  it('is as usual without one, and with a rule that is disabled or deleted', async () => {
    const { id } = await createRule(t.api, org);
    expect(await push(t.api, org, scanId, { file: 'src/a.ts' })).toMatchObject({ status: 'open' });
    await patchRule(id, { enabled: false });
    expect((await pushTest()).status).toBe('open');
    await patchRule(id, { enabled: true });
    expect((await pushTest()).status).toBe('false_positive');
    await t.api.delete(`/rules/${id}`, org.asOwner);
    const last = await pushTest();
    expect(last.status).toBe('open');
    expect(await activityOf(t.api, org, last.id)).toHaveLength(1);
  });

  it('follows the first enabled rule that matches, and only that one', async () => {
    const first = await createRule(t.api, org, { actions: { due_days: 1 } });
    const second = await createRule(t.api, org, { actions: { status: 'wontfix', due_days: 2 } });
    const one = await pushTest();
    expect([one.status, daysDue(one)]).toEqual(['open', 1]);
    must(
      await t.api
        .put('/rules/order', { ...org.asOwner, body: { ids: [second.id, first.id] } })
        .then((answer) => ({ ...answer, result: answer.status })),
    );
    const two = await pushTest();
    expect([two.status, daysDue(two)]).toEqual(['wontfix', 2]);
    await patchRule(second.id, { conditions: { severity: ['low'] } });
    expect(daysDue(await pushTest())).toBe(1);
  });

  it('is matched by each condition', async () => {
    const scan = { scan_id: 'weekly', project_id: org.projectId, persona: 'killua' };
    must(await t.api.post('/agent/scans', { ...org.asAgent, body: scan }));
    for (const [i, conditions] of [
      { project_id: [org.projectId], source: ['gosec'] },
      { persona: ['killua'] },
      { cwe: ['CWE-79'] },
      { cve: ['CVE-2026-1234'] },
      { title: ['weak *'] },
      { rule_id: ['js/eval', 'js/exec'] },
    ].entries())
      await createRule(t.api, org, { conditions, actions: { due_days: i + 1 } });
    const days = async (fields: Record<string, unknown>, scan = scanId) =>
      daysDue(await push(t.api, org, scan, fields));
    expect(await days({})).toBeUndefined();
    expect(await days({ source: 'gosec' })).toBe(1);
    expect(await days({}, 'weekly')).toBe(2);
    expect(await days({}, 'weekly')).toBe(2);
    expect(await days({ cwe: 'CWE-79' })).toBe(3);
    expect(await days({ cve: 'CVE-2026-1234' })).toBe(4);
    expect(await days({ title: 'Weak cipher' })).toBe(5);
    expect(await days({ rule_id: 'js/exec' })).toBe(6);
    expect(await days({ rule_id: 'js/execute', title: 'js/exec' })).toBeUndefined();
    // Stored findings are matched in the same way.
    const body = { conditions: { rule_id: ['js/exec'] }, actions: { status: 'wontfix' } };
    expect(must(await t.api.post('/rules/preview', { ...org.asOwner, body }))).toMatchObject({ total: 1 });
  });

  it('in a batch and in a report', async () => {
    await createRule(t.api, org, { conditions: { title: ['weak *'] } });
    const findings = ['Weak cipher', 'Injection'].map((title) => finding(org, scanId, { title }));
    const options = { ...org.asAgent, body: { findings }, headers: { 'idempotency-key': 'k' } };
    for (const _ of ['first', 'repeated']) {
      const { results } = must(await t.api.post('/agent/findings/batch?include=finding_status', options));
      const statuses = results.map(({ finding_status }: { finding_status: string }) => finding_status);
      expect(statuses).toEqual(['false_positive', 'open']);
    }
    const report = { findings: [{ title: 'Weak hash', severity: 'medium', description: 'x' }] };
    must(await t.api.post(`/agent/reports?project_id=${org.projectId}`, { ...org.asAgent, body: report }));
    const [weak] = must(await t.api.get('/findings?q=hash&page=1', org.asOwner));
    expect(weak.status).toBe('false_positive');
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('has the due date of the rule in place of that of its severity', async () => {
    must(await t.api.put('/settings/due-dates', { ...org.asOwner, body: { high: 7, low: 90 } }));
    await createRule(t.api, org, { actions: { due_days: 30 } });
    const pushed = await pushTest({ fingerprint: 'f' });
    expect(daysDue(pushed)).toBe(30);
    const [entry] = must(await t.api.get(`/findings/${pushed.id}/activity`, org.asOwner));
    expect(daysDue({ ...pushed, due_at: entry.from })).toBe(7);
    // A new severity and a regression follow the setting, as those of every finding.
    expect(daysDue(await pushTest({ fingerprint: 'f', severity: 'low' }))).toBe(90);
    await change(pushed.id, { status: 'fixed' });
    t.advance(DAY_MS);
    const regressed = await pushTest({ fingerprint: 'f' });
    expect([regressed.regressed, regressed.status]).toEqual([true, 'fixed']);
    expect(daysDue({ created_at: regressed.regressed_at, due_at: regressed.due_at })).toBe(7);
  });

  it('has no assignee if the assignee has left, also for a process that read the rule before', async () => {
    const member = await addMember(t.api, org);
    await createRule(t.api, org, { actions: { assignee_id: member.id, due_days: 3 } });
    for (const { api } of [t, other]) expect((await pushTest({}, api)).assignee_id).toBe(member.id);
    must(await t.api.post('/members/leave', member.as).then((answer) => ({ ...answer, result: true })));
    for (const { api } of [t, other]) {
      const pushed = await pushTest({}, api);
      expect([pushed.assignee_id, daysDue(pushed)]).toEqual([undefined, 3]);
    }
    const body = { email: member.email, role: 'member' };
    must(await t.api.post('/members/invite', { ...org.asOwner, body }));
    for (const { api } of [t, other]) expect((await pushTest({}, api)).assignee_id).toBe(member.id);
    expect((await t.api.delete(`/members/${member.id}`, org.asOwner)).status).toBe(204);
    for (const { api } of [other, t]) expect((await pushTest({}, api)).assignee_id).toBeUndefined();
  });

  it('stays as it is if the rule only assigns somebody who has left', async () => {
    const member = await addMember(t.api, org);
    const rule = await createRule(t.api, org, { actions: { assignee_id: member.id } });
    await createRule(t.api, org, { actions: { status: 'wontfix' } });
    expect((await t.api.delete(`/members/${member.id}`, org.asOwner)).status).toBe(204);
    const pushed = await pushTest();
    // The first rule that matches decides, whatever it can do.
    expect(pushed.status).toBe('open');
    expect(await activityOf(t.api, org, pushed.id)).toHaveLength(1);
    const undone = await t.api.post(`/rules/${rule.id}/undo`, { ...org.asOwner, body: {} });
    expect(must(undone)).toEqual({ restored: 0, skipped: 0 });
  });

  it('follows a change that another process made, from its next push on', async () => {
    const { id } = await createRule(t.api, org, { actions: { due_days: 1 } });
    for (const due_days of [5, 6, 7]) {
      await patchRule(id, { actions: { due_days } });
      for (const { api } of [other, t, other]) expect(daysDue(await pushTest({}, api))).toBe(due_days);
    }
  });

  it('is written once, by one rule, while the rules change all the time', async () => {
    const { id } = await createRule(t.api, org, { actions: { due_days: 1 } });
    const pushes = Array.from({ length: 60 }, (_, i) =>
      pushTest({ fingerprint: `f${i}` }, (i % 2 ? t : other).api),
    );
    const changes = Array.from({ length: 20 }, (_, i) => patchRule(id, { actions: { due_days: i + 2 } }));
    const found = await Promise.all(pushes);
    await Promise.all(changes);
    for (const pushed of found) {
      expect([pushed.seen_count, Number.isInteger(daysDue(pushed))]).toEqual([1, true]);
      const [entry] = must(await t.api.get(`/findings/${pushed.id}/activity`, org.asOwner));
      expect(entry.to).toBe(pushed.due_at);
    }
  });
});

describe('a known finding', () => {
  it('is not changed by a rule, and its push writes no event', async () => {
    const before = await pushTest({ fingerprint: 'f' });
    const { id } = await createRule(t.api, org, {
      actions: { ...IGNORE, due_days: 3, assignee_id: org.owner.id },
    });
    const again = await pushTest({ fingerprint: 'f' });
    expect(again).toMatchObject({ id: before.id, status: 'open', deduplicated: true, seen_count: 2 });
    for (const field of ['due_at', 'assignee_id', 'reason']) expect(again).not.toHaveProperty(field);
    expect(await activityOf(t.api, org, before.id)).toHaveLength(1);
    expect(must(await t.api.post(`/rules/${id}/undo`, { ...org.asOwner, body: {} }))).toEqual({
      restored: 0,
      skipped: 0,
    });
  });

  it('that a rule decided about keeps that, and can be triaged', async () => {
    await createRule(t.api, org);
    const { id } = await pushTest({ fingerprint: 'f' });
    await change(id, { status: 'open' });
    expect((await pushTest({ fingerprint: 'f' })).status).toBe('open');
    await change(id, { status: 'fixed' });
    expect(await pushTest({ fingerprint: 'f' })).toMatchObject({ status: 'fixed', regressed: true });
    await expectRightCounts(t.services.database, t.api, org);
  });
});

it('metrics count a finding that a rule resolved, but not how long that took', async () => {
  await createRule(t.api, org);
  await pushTest();
  const slow = await push(t.api, org, scanId);
  t.advance(2 * 60 * 60 * 1_000);
  await change(slow.id, { status: 'fixed' });
  const { time_to_resolve, weeks } = must(await t.api.get('/dashboard/metrics', org.asOwner));
  expect(time_to_resolve.all).toMatchObject({ resolved: 1, mean_hours: 2, median_hours: 2 });
  const sum = (name: string) =>
    weeks.reduce((all: number, week: Record<string, number>) => all + (week[name] ?? 0), 0);
  expect([sum('found'), sum('resolved'), weeks.at(-1).open]).toEqual([2, 2, 0]);
});

describe('statements', () => {
  let wire: Wire;
  let tapped: TestApp;
  beforeAll(async () => {
    wire = await tapWire(t.databaseUrl);
    tapped = await startApp({ databaseUrl: wire.url });
  });
  afterAll(() => wire.close());

  /** The statements of a push on the tables of the organization, in a few words. */
  async function sentBy(scan = scanId): Promise<string[]> {
    wire.take();
    await push(tapped.api, org, scan);
    const texts = wire.take().filter((text) => /org_[0-9a-f]{32}"?\./.test(text));
    return texts.flatMap((text) =>
      text.includes('json_to_recordset')
        ? 'write'
        : text.includes('policy_versions')
          ? 'policies'
          : text.includes('select scan_id, persona')
            ? 'persona'
            : [],
    );
  }

  it('of pushes are no more without rules, and without a condition on the persona', async () => {
    await sentBy();
    expect(await sentBy()).toEqual(['write']);
    await createRule(t.api, org, { conditions: { severity: ['low'] } });
    // The first one notices that the policies have changed.
    expect(await sentBy()).toEqual(['write', 'policies', 'write']);
    expect(await sentBy()).toEqual(['write']);
  });

  it('read the persona of a scan once', async () => {
    await createRule(t.api, org, { conditions: { persona: ['killua'] } });
    await sentBy();
    expect(await sentBy()).toEqual(['write']);
    const weekly = await createScan(t.api, org);
    expect(await sentBy(weekly)).toEqual(['persona', 'write']);
    expect(await sentBy(weekly)).toEqual(['write']);
  });
});
