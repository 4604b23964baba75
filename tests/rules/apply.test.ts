import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { addMember, finding, must, push } from '../support/api/api.ts';
import { createFiveFindings, type FiveFindings } from '../support/api/five-findings.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { activityOf, createRule, IGNORE } from './kit.ts';

/* POST /rules/{id}/apply and /undo. */

const DAY_MS = 24 * 60 * 60 * 1_000;

let t: TestApp;
let { org, scanId, ids, statuses }: FiveFindings = {} as FiveFindings;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  ({ org, scanId, ids, statuses } = await createFiveFindings(t.api));
});

const apply = (id: string, body: object = {}, as: object = org.asOwner) =>
  t.api.post(`/rules/${id}/apply`, { ...as, body });
const undo = (id: string, body: object = {}) => t.api.post(`/rules/${id}/undo`, { ...org.asOwner, body });
const read = async (id: string | undefined) => must(await t.api.get(`/findings/${id}`, org.asOwner));
const change = async (id: string | undefined, body: object) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));
const ALL = { severity: ['high'] };
const many = async (count: number, fields: object = {}) => {
  const findings = Array.from({ length: count }, () => finding(org, scanId, { severity: 'low', ...fields }));
  must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
};

describe('POST /rules/{id}/apply', () => {
  it('needs no body', async () => {
    const rule = await createRule(t.api, org, { actions: IGNORE });
    expect(must(await t.api.post(`/rules/${rule.id}/apply`, org.asOwner)).updated).toBe(2);
    expect(must(await t.api.post(`/rules/${rule.id}/undo`, org.asOwner)).restored).toBe(2);
    const answer = await t.api.post('/projects', org.asOwner);
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
  });

  it('changes findings that exist, as the rule', async () => {
    const rule = await createRule(t.api, org, {
      actions: { ...IGNORE, assignee_id: org.owner.id, due_days: 9 },
    });
    const { updated, change_ids, next } = must(await apply(rule.id, { expected_count: 2 }));
    expect([updated, change_ids, next]).toEqual([2, [expect.any(String)], undefined]);
    expect(await statuses()).toBe('open false_positive open false_positive open');
    const found = await read(ids[1]);
    expect(found).toMatchObject({ reason: 'used_in_tests', assignee_id: org.owner.id });
    expect(Date.parse(found.due_at) - Date.parse(found.created_at)).toBe(9 * DAY_MS);
    const [entry] = must(await t.api.get(`/findings/${ids[1]}/activity`, org.asOwner));
    expect(entry.actor).toEqual({ type: 'rule', id: rule.id, name: 'Tests' });
    expect(must(await apply(rule.id))).toEqual({ updated: 0, change_ids: [] });
    await expectRightCounts(t.services.database, t.api, org);
    const [recent] = must(await t.api.get('/changes', org.asOwner));
    expect(recent).toMatchObject({
      ...{ id: change_ids[0], findings: 2, actor: { type: 'rule', id: rule.id, name: 'Tests' } },
      what: { status: { to: 'false_positive' }, reason: 'used_in_tests' },
    });
    const { restored } = must(await t.api.post(`/changes/${change_ids[0]}/undo`, org.asOwner));
    expect(restored).toHaveLength(2);
    expect(await statuses()).toBe('open open open open open');
  });

  // In workerd, the services are not those of this process.
  it.skipIf(inject('edgePort'))(
    'holds a permit for searches for each transaction, as its undo does',
    async () => {
      const rule = await createRule(t.api, org);
      const acquire = vi.spyOn(t.services.searchPermits, 'acquire');
      must(await apply(rule.id));
      // The selection and the change.
      expect(acquire).toHaveBeenCalledTimes(2);
      must(await undo(rule.id));
      // The change, the search for earlier ones, and decisions in pushes.
      expect(acquire).toHaveBeenCalledTimes(2 + 3);
      expect(t.services.searchPermits.inUse()).toBe(0);
    },
  );

  it('leaves alone what somebody has decided, assigned or dated', async () => {
    const member = await addMember(t.api, org);
    await change(ids[0], { status: 'confirmed' });
    await change(ids[1], { assignee_id: member.id });
    await change(ids[2], { due_at: '2040-01-01T00:00:00.000Z' });
    await change(ids[3], { status: 'fixed' });
    await push(t.api, org, scanId, { fingerprint: (await read(ids[3])).fingerprint });
    const actions = { status: 'wontfix', assignee_id: org.owner.id, due_days: 5 };
    const rule = await createRule(t.api, org, { conditions: ALL, actions });
    expect(must(await apply(rule.id)).updated).toBe(3);
    expect(await statuses()).toBe('confirmed wontfix wontfix fixed wontfix');
    expect((await read(ids[1])).assignee_id).toBe(member.id);
    expect((await read(ids[2])).due_at).toBe('2040-01-01T00:00:00.000Z');
    expect((await read(ids[2])).assignee_id).toBe(org.owner.id);
    for (const id of [ids[0], ids[3]]) expect(await read(id)).not.toHaveProperty('assignee_id');
  });

  it('changes nothing if others match than expected', async () => {
    const { id } = await createRule(t.api, org);
    await push(t.api, org, scanId, { file: 'test/new.ts', status: 'open' });
    // The rule decided about the new one already.
    for (const expected_count of [0, 1, 3]) {
      const answer = await apply(id, { expected_count });
      expect([answer.error, answer.badFields]).toEqual(['resource_error/conflict', ['expected_count']]);
    }
    expect(await statuses()).toBe('open open open open open false_positive');
  });

  it('continues where the request before ended', async () => {
    const { id } = await createRule(t.api, org, { conditions: ALL });
    const first = must(await apply(id, { expected_count: 5, limit: 2 }));
    expect([first.updated, first.next]).toEqual([2, ids[3]]);
    expect(await statuses()).toBe('open open open false_positive false_positive');
    const second = must(await apply(id, { after: first.next, limit: 2 }));
    expect([second.updated, second.next]).toEqual([2, ids[1]]);
    expect(must(await apply(id, { after: second.next }))).toMatchObject({ updated: 1 });
  });

  it('changes 1,200 findings in transactions of 500', async () => {
    await many(1_000);
    await many(200);
    const { id } = await createRule(t.api, org, { conditions: { severity: ['low'] } });
    const { updated, change_ids, next } = must(await apply(id, { expected_count: 1_200 }));
    expect([updated, change_ids.length, next]).toEqual([1_200, 3, undefined]);
    await expectKeptCounts(t.services.database, org);
  });

  it('twice at once changes each finding once', async () => {
    const { id } = await createRule(t.api, org, { conditions: ALL });
    const answers = await Promise.all([apply(id), apply(id), apply(id)]);
    expect(answers.reduce((sum, answer) => sum + must(answer).updated, 0)).toBe(5);
    for (const finding of ids) expect(await activityOf(t.api, org, finding)).toHaveLength(2);
    await expectKeptCounts(t.services.database, org);
  });

  it('never overwrites what people decide meanwhile', async () => {
    await many(300);
    const all = must(await t.api.get('/findings?severity=low&per_page=300', org.asOwner));
    const some = all.filter((_: unknown, i: number) => i % 3 === 0).map(({ id }: { id: string }) => id);
    const { id } = await createRule(t.api, org, { conditions: { severity: ['low'] } });
    const body = { ids: some, status: 'confirmed', if_status: 'open' };
    const [applied, triaged] = await Promise.all([
      apply(id),
      t.api.patch('/findings', { ...org.asOwner, body }),
    ]);
    const { updated, conflicts } = must(triaged);
    expect(must(applied).updated + updated.length).toBe(300);
    for (const { id } of updated) expect((await read(id)).status).toBe('confirmed');
    for (const { id } of conflicts) expect((await read(id)).status).toBe('false_positive');
    await expectKeptCounts(t.services.database, org);
  });

  it('assigns nobody if the assignee has left', async () => {
    const member = await addMember(t.api, org);
    const actions = { assignee_id: member.id };
    const rule = await createRule(t.api, org, { conditions: ALL, actions });
    const dated = await createRule(t.api, org, { conditions: ALL, actions: { ...actions, due_days: 1 } });
    expect((await t.api.delete(`/members/${member.id}`, org.asOwner)).status).toBe(204);
    expect(must(await apply(rule.id))).toEqual({ updated: 0, change_ids: [] });
    expect(must(await apply(dated.id)).updated).toBe(5);
    expect(await read(ids[0])).not.toHaveProperty('assignee_id');
    expect(must(await t.api.get('/rules', org.asOwner)).rules[0].actions).toEqual(actions);
  });

  it.each([
    [{ expected_count: -1 }, ['expected_count']],
    [{ limit: 0 }, ['limit']],
    [{ limit: 5_001 }, ['limit']],
    [{ after: 'none' }, ['after']],
  ])('refuses %j', async (body, fields) => {
    const { id } = await createRule(t.api, org);
    const answer = await apply(id, body);
    expect([answer.status, answer.badFields]).toEqual([400, fields]);
    expect(await statuses()).toBe('open open open open open');
  });
});

describe('when a transaction fails after others', () => {
  /** Fails transactions that change one of these findings. */
  async function failFor(id: string | undefined): Promise<() => Promise<void>> {
    const { sql } = t.services.database;
    const schema = orgSchemaName(org.id);
    await sql.unsafe(
      `alter table "${schema}".finding_events add constraint fails check (finding_id <> '${id}') not valid`,
    );
    return async () => {
      await sql.unsafe(`alter table "${schema}".finding_events drop constraint fails`);
    };
  }

  it('applied decisions are kept, and the rest can be applied and undone later', async () => {
    await many(700, { severity: 'high' });
    const rule = await createRule(t.api, org, { conditions: ALL });
    // The oldest finding is in the second transaction.
    const repair = await failFor(ids[0]);
    const first = must(await apply(rule.id));
    expect([first.updated, first.change_ids.length, first.next]).toEqual([500, 1, expect.any(String)]);
    expect((await apply(rule.id, { after: first.next })).status).toBe(500);
    await expectKeptCounts(t.services.database, org);
    await repair();
    expect(must(await apply(rule.id, { after: first.next }))).toMatchObject({ updated: 205 });

    const again = await failFor(ids[0]);
    // The latest change comes first, and has the finding that fails.
    expect((await undo(rule.id)).status).toBe(500);
    await again();
    expect(must(await undo(rule.id))).toEqual({ restored: 705, skipped: 0 });
    await expectKeptCounts(t.services.database, org);
  });

  it('undone decisions stay undone, and the rest can be undone later', async () => {
    const rule = await createRule(t.api, org, { conditions: ALL });
    const oldest = await push(t.api, org, scanId);
    await many(600, { severity: 'high' });
    const repair = await failFor(oldest.id);
    const first = must(await undo(rule.id));
    expect(first).toEqual({ restored: 500, skipped: 0, next: expect.stringMatching(/^findings\./) });
    await expectKeptCounts(t.services.database, org);
    await repair();
    expect(must(await undo(rule.id, { after: first.next }))).toEqual({ restored: 101, skipped: 0 });
    expect(must(await undo(rule.id))).toEqual({ restored: 0, skipped: 0 });
  });
});

describe('POST /rules/{id}/undo', () => {
  it('restores what the rule decided in pushes', async () => {
    must(await t.api.put('/settings/due-dates', { ...org.asOwner, body: { high: 7 } }));
    const rule = await createRule(t.api, org, {
      actions: { ...IGNORE, assignee_id: org.owner.id, due_days: 30 },
    });
    const one = await push(t.api, org, scanId, { file: 'test/1.ts', fingerprint: 'one' });
    const two = await push(t.api, org, scanId, { file: 'test/2.ts' });
    await push(t.api, org, scanId, { file: 'test/1.ts', fingerprint: 'one' });
    await change(two.id, { note: 'I looked at it.' });
    expect(must(await undo(rule.id))).toEqual({ restored: 1, skipped: 1 });
    const found = await read(one.id);
    expect(found).toMatchObject({ status: 'open', status_changed_at: one.created_at, seen_count: 2 });
    for (const field of ['reason', 'assignee_id']) expect(found).not.toHaveProperty(field);
    expect(Date.parse(found.due_at) - Date.parse(found.created_at)).toBe(7 * DAY_MS);
    expect((await read(two.id)).status).toBe('false_positive');
    const entries = await activityOf(t.api, org, one.id);
    expect(
      entries
        .slice(-3)
        .map(({ kind, by }) => [kind, by])
        .toSorted(),
    ).toEqual(['assignee', 'due_at', 'status'].map((kind) => [kind, entries.at(-1)?.by]));
    expect(entries.at(-1)?.by).not.toBe('Tests');
    expect(must(await undo(rule.id))).toEqual({ restored: 0, skipped: 1 });
    await expectRightCounts(t.services.database, t.api, org);
    // Undone findings count as open ones that nobody has resolved.
    expect(must(await t.api.get('/findings?attention=true&page=1', org.asOwner))).toHaveLength(6);
  });

  it('restores what was applied, the latest first, and then what it decided in pushes', async () => {
    const rule = await createRule(t.api, org, { conditions: ALL, actions: { due_days: 3 } });
    const pushed = await push(t.api, org, scanId);
    expect(must(await apply(rule.id)).updated).toBe(5);
    const body = { actions: { status: 'wontfix', assignee_id: org.owner.id } };
    must(await t.api.patch(`/rules/${rule.id}`, { ...org.asOwner, body }));
    expect(must(await apply(rule.id)).updated).toBe(6);
    await change(ids[0], { status: 'confirmed' });
    // Each finding counts once for each time that the rule has changed it.
    expect(must(await undo(rule.id))).toEqual({ restored: 5 + 4 + 1, skipped: 1 + 1 });
    expect(await statuses()).toBe('confirmed open open open open open');
    for (const id of [...ids.slice(1), pushed.id]) {
      const found = await read(id);
      for (const field of ['due_at', 'assignee_id']) expect(found).not.toHaveProperty(field);
    }
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('restores a finding again once its later change is undone', async () => {
    const rule = await createRule(t.api, org);
    const { id } = await push(t.api, org, scanId, { file: 'test/c.ts' });
    const { change_id } = must(
      await t.api.patch('/findings', { ...org.asOwner, body: { ids: [id], status: 'confirmed' } }),
    );
    expect(must(await undo(rule.id))).toEqual({ restored: 0, skipped: 1 });
    must(await t.api.post(`/changes/${change_id}/undo`, org.asOwner));
    expect((await read(id)).status).toBe('false_positive');
    expect(must(await undo(rule.id))).toEqual({ restored: 1, skipped: 0 });
    expect((await read(id)).status).toBe('open');
  });

  it('continues where the request before ended, whatever was undone before', async () => {
    const rule = await createRule(t.api, org, { conditions: ALL });
    for (const file of ['x', 'y', 'z']) await push(t.api, org, scanId, { file });
    for (const limit of [2, 2]) must(await apply(rule.id, { limit }));
    const parts: number[] = [];
    let after: string | undefined;
    do {
      const part = must(await undo(rule.id, { limit: 1, after }));
      parts.push(part.restored);
      after = part.next;
    } while (after !== undefined && parts.length < 20);
    expect(parts.filter((part) => part > 0)).toEqual([2, 2, 1, 1, 1]);
    expect(await statuses()).toBe(Array(8).fill('open').join(' '));
    await expectKeptCounts(t.services.database, org);
  });

  it('twice at once restores each finding once', async () => {
    const rule = await createRule(t.api, org, { conditions: ALL });
    await many(600, { severity: 'high' });
    must(await apply(rule.id));
    const answers = await Promise.all([undo(rule.id), undo(rule.id)]);
    expect(answers.reduce((sum, answer) => sum + must(answer).restored, 0)).toBe(605);
    expect(must(await t.api.get('/findings?status=open&page=1&per_page=1', org.asOwner))).toHaveLength(1);
    await expectKeptCounts(t.services.database, org);
  });

  it.each(['x', 'changes.x', 'findings.', "findings.'; drop"])(
    'refuses to continue after %j',
    async (after) => {
      const { id } = await createRule(t.api, org);
      const answer = await undo(id, { after });
      expect([answer.status, answer.badFields]).toEqual([400, ['after']]);
    },
  );

  it('is not possible for a deleted rule, whose name the activity keeps', async () => {
    const { id } = await createRule(t.api, org, { name: 'Gone' });
    const pushed = await push(t.api, org, scanId, { file: 'test/c.ts' });
    must(await apply(id));
    await t.api.delete(`/rules/${id}`, org.asOwner);
    expect((await undo(id)).error).toBe('resource_error/not_found');
    for (const finding of [pushed.id, ids[1] as string])
      expect((await activityOf(t.api, org, finding)).at(-1)).toMatchObject({ kind: 'status', by: 'Gone' });
    const [recent] = must(await t.api.get('/changes', org.asOwner));
    expect(recent.actor).toEqual({ type: 'rule', id, name: 'Gone' });
  });
});

it('the changes of a deleted rule are forgotten, those of other rules are kept', async () => {
  const [gone, kept] = [
    await createRule(t.api, org, { conditions: { title: ['Gone'] } }),
    await createRule(t.api, org, { conditions: { title: ['Kept'] } }),
  ];
  for (const title of ['Gone', 'Kept', 'Gone']) await push(t.api, org, scanId, { title });
  const remaining = async () => {
    const text = `select rule_id, count(*)::int from "${orgSchemaName(org.id)}".rule_changes group by 1`;
    return Object.fromEntries(
      (await t.services.database.sql.unsafe(text)).map((row) => [row.rule_id, row.count]),
    );
  };
  await purgeOrgs(t.services);
  expect(await remaining()).toEqual({ [gone.id]: 2, [kept.id]: 1 });
  await t.api.delete(`/rules/${gone.id}`, org.asOwner);
  await purgeOrgs(t.services);
  expect(await remaining()).toEqual({ [kept.id]: 1 });
  expect(must(await undo(kept.id))).toEqual({ restored: 1, skipped: 0 });
});
