import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { undoChange } from '../../db/findings/changes/undo.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import {
  addMember,
  createOrg,
  createScan,
  must,
  push,
  type TestMember,
  type TestOrg,
} from '../support/api/api.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const DAY = 24 * 60 * 60_000;

let t: TestApp;
let org: TestOrg;
let scanId: string;
let member: TestMember;
let a: string;
let b: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  member = await addMember(t.api, org);
});

beforeEach(async () => {
  [a, b] = [await pushed(), await pushed()];
});

const pushed = async () => (await push(t.api, org, scanId)).id as string;
const now = () => t.services.clock();
const asMember = () => member.as;
const change = async (ids: string[], body: object, as: object = org.asOwner) =>
  must(await t.api.patch('/findings', { ...as, body: { ids, ...body } }));
const undo = (id: string, as: object = org.asOwner) => t.api.post(`/changes/${id}/undo`, as);
const read = async (id: string) => must(await t.api.get(`/findings/${id}`, org.asOwner));
const statusesOf = (...ids: string[]) => Promise.all(ids.map(async (id) => (await read(id)).status));
const mine = async (as: object = org.asOwner, query = '') =>
  must(await t.api.get(`/changes${query}`, as)) as Record<string, unknown>[];
const later = (ms: number) => new Date(now().getTime() + ms).toISOString();
/** The fields that a change sets, and when they were set. */
const decided = async (id: string) => {
  const { updated_at: _, ...finding } = await read(id);
  return finding;
};

describe('POST /changes/{id}/undo', () => {
  it('restores every field that the change has set', async () => {
    const before = { status: 'wontfix', reason: 'no_fix_available', due_at: later(DAY) };
    await change([a], { ...before, assignee_id: org.owner.id, accepted_until: later(9 * DAY) });
    const was = await decided(a);
    t.advance(60_000);
    const { change_id } = await change([a], {
      ...{ status: 'false_positive', reason: 'used_in_tests', note: 'Only in tests.' },
      ...{ assignee_id: member.id, due_at: null },
    });
    expect(await decided(a)).not.toEqual(was);
    t.advance(60_000);

    const { restored, conflicts } = must(await undo(change_id));
    expect(restored).toEqual([
      { id: a, status: 'wontfix', previous_status: 'false_positive', regressed: false },
    ]);
    expect(conflicts).toEqual([]);
    expect(await decided(a)).toEqual(was);
    const activity = must(await t.api.get(`/findings/${a}/activity?per_page=4`, org.asOwner));
    expect(
      activity.map(({ kind, from, to }: Record<string, string>) => [kind, from, to]).sort(),
    ).toMatchObject([
      ['accepted_until', undefined, was.accepted_until],
      ['assignee', member.id, org.owner.id],
      ['due_at', undefined, was.due_at],
      ['status', 'false_positive', 'wontfix'],
    ]);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('restores a status that only agents set, and that a finding has regressed', async () => {
    must(await t.api.patch(`/findings/${a}`, { ...org.asOwner, body: { status: 'fixed' } }));
    must(await t.api.patch(`/agent/findings/${a}`, { ...org.asAgent, body: { status: 'verified' } }));
    const { fingerprint } = await read(b);
    await change([b], { status: 'fixed' });
    expect((await push(t.api, org, scanId, { fingerprint })).regressed).toBe(true);
    const was = [await decided(a), await decided(b)];
    const { change_id } = await change([a, b], { status: 'wontfix' });
    expect((await read(b)).regressed).toBe(false);

    expect(must(await undo(change_id)).restored).toHaveLength(2);
    expect([await decided(a), await decided(b)]).toEqual(was);
    expect(was).toMatchObject([{ status: 'verified' }, { status: 'fixed', regressed: true }]);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('leaves alone what somebody has changed since, even if it looks the same', async () => {
    const c = await pushed();
    const { change_id } = await change([a, b, c], { status: 'fixed' });
    // Back and forth: the status is the one of the first change, the decision is not.
    await change([b], { status: 'open' }, asMember());
    await change([b], { status: 'fixed' }, asMember());
    must(await t.api.patch(`/findings/${c}`, { ...asMember(), body: { due_at: later(DAY) } }));

    const answer = must(await undo(change_id));
    expect(answer.restored.map(({ id }: { id: string }) => id)).toEqual([a]);
    expect(answer.conflicts).toEqual([
      { id: b, status: 'fixed' },
      { id: c, status: 'fixed' },
    ]);
    expect(await statusesOf(a, b, c)).toEqual(['open', 'fixed', 'fixed']);
    await expectKeptCounts(t.services.database, org);
  });

  it('leaves alone a finding that an agent has seen again, which has regressed', async () => {
    const { change_id } = await change([a], { status: 'fixed' });
    const { fingerprint } = await read(a);
    await push(t.api, org, scanId, { fingerprint });
    expect(must(await undo(change_id))).toEqual({ restored: [], conflicts: [{ id: a, status: 'fixed' }] });
    expect(await read(a)).toMatchObject({ status: 'fixed', regressed: true });
  });

  it('is not hindered by a push that only counts, nor by a comment', async () => {
    const { change_id } = await change([a], { status: 'confirmed' });
    const { fingerprint } = await read(a);
    await push(t.api, org, scanId, { fingerprint, severity: 'low' });
    must(await t.api.post(`/findings/${a}/comments`, { ...asMember(), body: { body: 'Why?' } }));
    expect(must(await undo(change_id)).restored).toHaveLength(1);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('undoes one change after another, the last one first', async () => {
    const first = await change([a], { status: 'confirmed', assignee_id: member.id });
    const second = await change([a], { status: 'fixed' }, asMember());
    expect(must(await undo(first.change_id)).restored).toEqual([]);
    must(await undo(second.change_id, asMember()));
    expect(must(await undo(first.change_id)).restored).toHaveLength(1);
    const { status, assignee_id } = await read(a);
    expect([status, assignee_id]).toEqual(['open', undefined]);
  });

  it('happens once, however often it is asked for at the same instant', async () => {
    const { change_id } = await change([a, b], { status: 'fixed' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => undo(change_id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.error).toContain('conflict');
    expect(await statusesOf(a, b)).toEqual(['open', 'open']);
    const activity = must(await t.api.get(`/findings/${a}/activity`, org.asOwner));
    expect(activity.map(({ kind }: { kind: string }) => kind)).toEqual(['status', 'status', 'created']);
    await expectKeptCounts(t.services.database, org);
  });

  it('happens once, also if all requests have found it before the first one undoes it', async () => {
    const { change_id } = await change([a, b], { status: 'fixed' });
    const tables = defineOrgTables(orgSchemaName(org.id));
    const undos = await Promise.all(
      Array.from({ length: 8 }, () =>
        undoChange(t.services.database.sql, tables, {
          id: change_id,
          actorId: org.owner.id,
          changeId: crypto.randomUUID(),
          now: now().toISOString(),
        }),
      ),
    );
    expect(undos.map((found) => found.length).sort()).toEqual([...Array(7).fill(0), 2]);
    expect(await statusesOf(a, b)).toEqual(['open', 'open']);
    await expectKeptCounts(t.services.database, org);
  });

  it('never loses a change that is made at the same instant', async () => {
    for (let round = 0; round < 10; round++) {
      const [before] = await statusesOf(a);
      const { change_id } = await change([a], { status: 'fixed' });
      const [undone, changed] = await Promise.all([
        undo(change_id),
        t.api.patch('/findings', {
          ...asMember(),
          body: { ids: [a], status: 'false_positive', if_status: 'fixed' },
        }),
      ]);
      const isUndone = must(undone).restored.length === 1;
      expect(must(changed).updated).toHaveLength(isUndone ? 0 : 1);
      expect(await statusesOf(a)).toEqual([isUndone ? before : 'false_positive']);
    }
    await expectKeptCounts(t.services.database, org);
  });

  it('is for the member who made the change, and for admins', async () => {
    const { change_id } = await change([a], { status: 'fixed' });
    const refused = await undo(change_id, asMember());
    expect([refused.status, refused.error]).toEqual([403, 'permission_error/denied']);
    const viewer = await addMember(t.api, org, 'viewer');
    expect((await undo(change_id, viewer.as)).status).toBe(403);
    const own = await change([b], { status: 'fixed' }, asMember());
    const admin = await addMember(t.api, org, 'admin');
    expect(must(await undo(own.change_id, admin.as)).restored).toHaveLength(1);
    expect(await statusesOf(a, b)).toEqual(['fixed', 'open']);
  });

  it('notes again until when a risk is accepted, and opens the finding if that time has passed', async () => {
    const accepted_until = later(60_000);
    await change([a], { status: 'wontfix', accepted_until });
    const { change_id } = await change([a], { status: 'confirmed' });
    t.advance(120_000);
    must(await undo(change_id));
    expect(await read(a)).toMatchObject({ status: 'wontfix', accepted_until });
    const notes = await t.services.database.sql.unsafe(
      'select due_at from shared.accepted_risks where org_id = $1 and finding_id = $2',
      [org.id, a],
    );
    expect(notes).toHaveLength(1);
  });
});

describe('the change of a finding', () => {
  it('is listed with its id, and not if nothing was changed', async () => {
    must(await t.api.patch(`/findings/${a}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const [last] = await mine();
    expect(must(await undo(last?.id as string)).restored).toHaveLength(1);
    const none = await change([a], { status: 'fixed', if_status: 'confirmed' });
    expect(none.change_id).toBeUndefined();
    expect(none.conflicts).toHaveLength(1);
  });

  it('cannot be undone after 30 days, when it is deleted', async () => {
    const { change_id } = await change([a], { status: 'fixed' });
    const rows = () =>
      t.services.database.sql.unsafe(`select from "${orgSchemaName(org.id)}".changes where id = $1`, [
        change_id,
      ]);
    const purgeIn = (ms: number) => purgeOrgs({ ...t.services, clock: () => new Date(now().getTime() + ms) });
    await purgeIn(29 * DAY);
    expect(await rows()).toHaveLength(1);
    await t.services.database.sql.unsafe(
      `update "${orgSchemaName(org.id)}".changes set at = $1 where id = $2`,
      [new Date(now().getTime() - 30 * DAY - 1).toISOString(), change_id],
    );
    expect((await undo(change_id)).status).toBe(404);
    await purgeIn(30 * DAY + 1);
    expect(await rows()).toHaveLength(0);
    expect(await statusesOf(a)).toEqual(['fixed']);
  });
});

describe('GET /changes', () => {
  it('lists the own changes of findings, newest first, in pages', async () => {
    const { title } = await read(b);
    t.advance(1_000);
    const body = { status: 'false_positive', reason: 'duplicate', note: 'See the other one.' };
    const first = await change([b, a], body);
    await change([a], { status: 'open' }, asMember());
    t.advance(1_000);
    const changes = [
      { id: a, status: 'fixed', assignee_id: null },
      { id: b, status: 'open', assignee_id: null },
    ];
    const second = must(await t.api.patch('/findings', { ...org.asOwner, body: { changes } }));
    must(await undo(second.change_id));

    const [newest, older] = await mine();
    expect(newest).toMatchObject({
      id: second.change_id,
      actor: { type: 'user', id: org.owner.id },
      findings: 2,
      // The statuses differ.
      what: { assignee_id: null },
      undone_at: expect.stringMatching(/Z$/),
    });
    expect(older).toMatchObject({
      ...{ id: first.change_id, findings: 2, finding_id: b, title },
      what: { status: { to: 'false_positive' }, reason: 'duplicate' },
    });
    expect(older).not.toHaveProperty('undone_at');
    const [next] = await mine(org.asOwner, '?per_page=1&page=2');
    expect(next).toEqual(older);
  });

  it('leaves out what others, agents and the service have changed', async () => {
    const reader = (await addMember(t.api, org)).as;
    await change([a], { status: 'fixed' });
    must(await t.api.patch(`/agent/findings/${a}`, { ...org.asAgent, body: { status: 'verified' } }));
    expect(await mine(reader)).toEqual([]);
    const viewer = await addMember(t.api, org, 'viewer');
    expect((await t.api.get('/changes', viewer.as)).status).toBe(403);
  });

  it('lists those of everybody with `of=all`, and says which the caller may undo', async () => {
    const grace = await addMember(t.api, org, 'member', 'Grace Hopper');
    const { change_id: hers } = await change([a], { status: 'fixed' }, grace.as);
    t.advance(1_000);
    const { change_id: ours } = await change([b], { status: 'wontfix' });
    const shown = async (as: object) =>
      (await mine(as, '?of=all&per_page=2')).map(({ id, actor, can_undo }) => ({ id, actor, can_undo }));
    const [author, owner] = [
      { type: 'user', id: grace.id, name: 'Grace Hopper' },
      { type: 'user', id: org.owner.id, name: 'Ada Lovelace' },
    ];
    expect(await shown(grace.as)).toEqual([
      { id: ours, actor: owner, can_undo: false },
      { id: hers, actor: author, can_undo: true },
    ]);
    expect((await undo(ours, grace.as)).status).toBe(403);
    must(await undo(hers));
    expect(await shown(org.asOwner)).toEqual([
      { id: ours, actor: owner, can_undo: true },
      { id: hers, actor: author, can_undo: false },
    ]);
    const scopes = ['triage'];
    const path = `/projects/${org.projectId}/tokens`;
    const made = must(await t.api.post(path, { ...org.asOwner, body: { name: 'script', scopes } }));
    expect(await mine({ org: org.slug, token: made.token }, '?of=all')).toEqual([]);
  });
});
