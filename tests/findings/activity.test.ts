import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addVerifiedEmail } from '../support/api/account.ts';
import {
  addMember,
  addProject,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* A decision has a history: who changed a finding, why and until when. */

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

interface Entry {
  id: string;
  kind: string;
  actor: { type: string; id?: string; name?: string };
  from?: string;
  to?: string;
  reason?: string;
  note?: string;
}

/** Another member of the organization. */
const join = async (role: string) => (await addMember(t.api, org, role)).as;

const make = async (fields: Record<string, unknown> = {}): Promise<string> =>
  (await push(t.api, org, scanId, fields)).id;
const patch = (id: string, body: object, as = org.asOwner) => t.api.patch(`/findings/${id}`, { ...as, body });
const activity = async (id: string): Promise<Entry[]> =>
  must(await t.api.get(`/findings/${id}/activity?per_page=100`, org.asOwner));
const told = async (id: string) =>
  (await activity(id)).map(({ kind, from, to, reason, note }) =>
    [kind, from, to, reason, note].filter((part) => part !== undefined).join(' '),
  );

describe('the activity of a finding', () => {
  it('begins with its creation by a token', async () => {
    const id = await make();
    const [created, ...others] = await activity(id);
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      kind: 'created',
      actor: { type: 'token', id: org.tokenId, name: expect.any(String) },
    });
  });

  it('has an entry for each exploit, by the token that attached it', async () => {
    const id = await make();
    t.advance(1_000);
    const body = { filename: 'poc.py', language: 'python', code: 'print(1)' };
    const exploit = must(await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body }));
    const [attached, created] = await activity(id);
    expect(attached).toMatchObject({
      ...{ kind: 'exploit', to: 'poc.py', at: exploit.created_at },
      actor: { type: 'token', id: org.tokenId },
    });
    expect(attached).not.toHaveProperty('note');
    expect(created).toMatchObject({ kind: 'created' });
  });

  it('says who changed what, and why', async () => {
    const id = await make();
    t.advance(1_000);
    must(await patch(id, { status: 'false_positive', reason: 'used_in_tests', note: 'Only in tests.' }));
    t.advance(1_000);
    const due = '2027-01-01T00:00:00.000Z';
    must(await patch(id, { assignee_id: org.owner.id, due_at: due }));
    expect((await told(id)).toSorted()).toEqual(
      [
        `assignee ${org.owner.id}`,
        `due_at ${due}`,
        'status open false_positive used_in_tests Only in tests.',
        'created',
      ].toSorted(),
    );
    const entries = await activity(id);
    expect(entries.at(-1)?.kind).toBe('created');
    expect(entries[0]?.actor).toEqual({ type: 'user', id: org.owner.id, name: 'Ada Lovelace' });
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(4);
  });

  it('has regressions and severities of pushes, but no push that only counts', async () => {
    const id = await make({ fingerprint: 'active', severity: 'low' });
    await make({ fingerprint: 'active', severity: 'low' });
    expect(await told(id)).toEqual(['created']);
    must(await patch(id, { status: 'fixed' }));
    t.advance(1_000);
    await make({ fingerprint: 'active', severity: 'high' });
    t.advance(1_000);
    await make({ fingerprint: 'active', severity: 'high' });
    expect((await told(id)).toSorted()).toEqual(
      ['created', 'regressed fixed', 'severity low high', 'status open fixed'].toSorted(),
    );
    const [latest] = await activity(id);
    expect(latest?.actor).toMatchObject({ type: 'token', id: org.tokenId });
  });

  it('has the verification by an agent', async () => {
    const id = await make();
    must(await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'verified' } }));
    expect(await told(id)).toEqual(['status open verified', 'created']);
    expect((await activity(id))[0]?.actor.type).toBe('token');
  });

  it('has no entry for a change of nothing', async () => {
    const id = await make();
    must(await patch(id, { status: 'open' }));
    expect(await told(id)).toEqual(['created']);
  });

  it('is paged', async () => {
    const id = await make();
    for (const status of ['confirmed', 'open', 'fixed']) {
      t.advance(1_000);
      must(await patch(id, { status }));
    }
    const answer = await t.api.get(`/findings/${id}/activity?per_page=2&page=2`, org.asOwner);
    expect(answer.result.map(({ kind }: Entry) => kind)).toEqual(['status', 'created']);
    expect(answer.json.result_info).toMatchObject({ total: 4, total_pages: 2, has_next: false });
    const behind = await t.api.get(`/findings/${id}/activity?page=9`, org.asOwner);
    expect([behind.result, behind.json.result_info.total]).toEqual([[], 4]);
  });
});

describe('a change of a finding', () => {
  it('keeps a reason until the status changes', async () => {
    const id = await make();
    expect(must(await patch(id, { status: 'wontfix', reason: 'mitigated' }))).toMatchObject({
      reason: 'mitigated',
    });
    expect(must(await patch(id, { due_at: '2027-05-01T00:00:00Z' }))).toMatchObject({ reason: 'mitigated' });
    expect(must(await patch(id, { status: 'wontfix' }))).toMatchObject({ reason: 'mitigated' });
    expect(must(await patch(id, { status: 'open' }))).not.toHaveProperty('reason');
  });

  it('accepts a risk until a time, which another status ends', async () => {
    const id = await make();
    const accepted_until = '2099-01-01T00:00:00.000Z';
    expect(
      must(await patch(id, { status: 'wontfix', reason: 'risk_accepted', accepted_until })),
    ).toMatchObject({
      accepted_until,
    });
    expect(must(await patch(id, { status: 'confirmed' }))).not.toHaveProperty('accepted_until');
  });

  it('removes what is null', async () => {
    const id = await make();
    must(await patch(id, { assignee_id: org.owner.id, due_at: '2027-05-01T00:00:00Z' }));
    const changed = must(await patch(id, { assignee_id: null, due_at: null }));
    expect(changed).not.toHaveProperty('assignee_id');
    expect(changed).not.toHaveProperty('due_at');
  });

  it('happens only in the expected status', async () => {
    const id = await make();
    must(await patch(id, { status: 'fixed', if_status: 'open' }));
    const answer = await patch(id, { status: 'wontfix', if_status: 'open' });
    expect([answer.status, answer.error]).toEqual([409, 'resource_error/conflict']);
    expect(must(await t.api.get(`/findings/${id}`, org.asOwner)).status).toBe('fixed');
    expect(await told(id)).toEqual(['status open fixed', 'created']);
  });

  it('by two people at the same instant happens once if both expect the same status', async () => {
    const id = await make();
    const answers = await Promise.all(
      ['fixed', 'wontfix', 'confirmed', 'false_positive'].map((status) =>
        patch(id, { status, if_status: 'open' }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await told(id)).toHaveLength(2);
  });

  it.each([
    ['nothing', {}, 'status'],
    ['only a condition', { if_status: 'open' }, 'status'],
    [
      'an accepted risk that is open',
      { status: 'open', accepted_until: '2030-01-01T00:00:00Z' },
      'accepted_until',
    ],
    [
      'a risk accepted until yesterday',
      { status: 'wontfix', accepted_until: '2020-01-01T00:00:00Z' },
      'accepted_until',
    ],
    ['an unknown reason', { status: 'fixed', reason: 'because' }, 'reason'],
    ['an assignee who is nobody', { assignee_id: '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07' }, 'assignee_id'],
    ['a time of no form', { due_at: 'tomorrow' }, 'due_at'],
    ['a time that cannot be stored', { due_at: '0000-01-01T00:00:00Z' }, 'due_at'],
    ['a note that is too long', { status: 'fixed', note: 'x'.repeat(10_001) }, 'note'],
    ['the status of agents', { status: 'verified' }, 'status'],
  ])('is refused with %s, and changes nothing', async (_, body, field) => {
    const id = await make();
    const answer = await patch(id, body);
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
    expect(await told(id)).toEqual(['created']);
  });

  it('assigns members of the organization only', async () => {
    const id = await make();
    const stranger = await createOrg(t.api);
    const answer = await patch(id, { assignee_id: stranger.owner.id });
    expect([answer.status, answer.badFields]).toEqual([400, ['assignee_id']]);
  });
});

describe('a change of many findings', () => {
  const patchMany = (body: object) => t.api.patch('/findings', { ...org.asOwner, body });

  it('gives all of them the same, and lists conflicts and unknown ones', async () => {
    const ids = [await make(), await make(), await make()];
    must(await patch(ids[1] as string, { status: 'confirmed' }));
    const body = {
      ids: [...ids, 'unknown'],
      status: 'wontfix',
      reason: 'duplicate',
      note: 'Same',
      if_status: 'open',
    };
    const result = must(await patchMany(body));
    expect(result.updated.map(({ id }: Entry) => id)).toEqual([ids[0], ids[2]]);
    expect(result.conflicts).toEqual([{ id: ids[1], status: 'confirmed' }]);
    expect(result.failed).toMatchObject([{ id: 'unknown', code: 'not_found' }]);
    expect(await told(ids[2] as string)).toEqual(['status open wontfix duplicate Same', 'created']);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('gives each its own', async () => {
    const ids = [await make(), await make()];
    const [first, second] = ids;
    must(
      await patchMany({
        changes: [
          { id: first, status: 'fixed', reason: 'mitigated' },
          { id: second, due_at: '2027-01-01T00:00:00Z' },
        ],
      }),
    );
    expect(await told(first as string)).toEqual(['status open fixed mitigated', 'created']);
    expect(await told(second as string)).toEqual(['due_at 2027-01-01T00:00:00.000Z', 'created']);
  });

  it.each([
    ['neither ids nor changes', { status: 'fixed' }, 'changes'],
    ['both', { ids: ['a'], changes: [{ id: 'a', status: 'fixed' }], status: 'fixed' }, 'ids'],
    ['no change for the ids', { ids: ['a'] }, 'status'],
    ['an id twice', { ids: ['a', 'a'], status: 'fixed' }, 'ids.1'],
  ])('is refused with %s', async (_, body, field) => {
    const answer = await patchMany(body);
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
  });
});

describe('a comment', () => {
  const comment = (id: string, body: string, as = org.asOwner) =>
    t.api.post(`/findings/${id}/comments`, { ...as, body: { body } });

  it('is an entry of the activity, which its author may change and remove', async () => {
    const id = await make();
    const made = must(await comment(id, '  Who **fixes** this?  '));
    expect(made).toMatchObject({ kind: 'comment', note: 'Who **fixes** this?' });
    expect((await activity(id))[0]).toEqual(made);
    const path = `/findings/${id}/comments/${made.id}`;
    const edited = must(await t.api.patch(path, { ...org.asOwner, body: { body: 'Ada.' } }));
    expect(edited).toMatchObject({ note: 'Ada.', edited_at: expect.any(String) });
    expect((await activity(id))[0]).toEqual(edited);
    expect((await t.api.delete(path, org.asOwner)).status).toBe(204);
    expect(await told(id)).toEqual(['created']);
    expect((await t.api.delete(path, org.asOwner)).status).toBe(404);
  });

  it('belongs to its author, also before an owner', async () => {
    const id = await make();
    const grace = await join('member');
    const made = must(await comment(id, 'Mine', grace));
    const path = `/findings/${id}/comments/${made.id}`;
    for (const answer of [
      await t.api.patch(path, { ...org.asOwner, body: { body: 'Yours' } }),
      await t.api.delete(path, org.asOwner),
    ])
      expect([answer.status, answer.error]).toEqual([403, 'permission_error/denied']);
    expect((await activity(id))[0]).toMatchObject({ note: 'Mine' });
  });

  it('cannot be made of an entry that is none', async () => {
    const id = await make();
    must(await patch(id, { status: 'fixed', note: 'Done' }));
    const [entry] = await activity(id);
    const path = `/findings/${id}/comments/${entry?.id}`;
    expect((await t.api.patch(path, { ...org.asOwner, body: { body: 'Forged' } })).status).toBe(404);
    expect((await t.api.delete(path, org.asOwner)).status).toBe(404);
    expect((await activity(id))[0]).toMatchObject({ note: 'Done' });
  });

  it.each([
    ['nothing', ''],
    ['white space', '   '],
    ['more than 10,000 characters', 'x'.repeat(10_001)],
  ])('is refused with %s', async (_, body) => {
    const answer = await comment(await make(), body);
    expect([answer.status, answer.badFields]).toEqual([400, ['body']]);
  });
});

describe('the activity of all findings', () => {
  /** Its own, because the others of this file share one. */
  async function prepare() {
    const own = await createOrg(t.api);
    const shop = await addProject(t.api, own);
    const first = await push(t.api, own, await createScan(t.api, own), { title: '=First' });
    const second = await push(t.api, shop, await createScan(t.api, shop), { title: 'Second' });
    const grace = await addMember(t.api, own, 'member', 'Grace Hopper');
    const change = async (id: string, body: object, as = own.asOwner) => {
      t.advance(1_000);
      return must(await t.api.patch(`/findings/${id}`, { ...as, body }));
    };
    await change(first.id, { status: 'false_positive', reason: 'used_in_tests', note: 'Only in tests.' });
    const between = new Date(t.services.clock().getTime() + 500).toISOString();
    await change(second.id, { assignee_id: own.owner.id }, grace.as);
    t.advance(1_000);
    const body = { body: 'See this.' };
    must(await t.api.post(`/findings/${second.id}/comments`, { ...grace.as, body }));
    return { own, shop, grace, between, first: first.id, second: second.id };
  }
  const read = async (path: string, as: object) => await t.api.get(path, as);
  const kinds = async (query: string, as: object): Promise<string[]> =>
    must(await read(`/activity${query}`, as)).map(({ kind }: Entry) => kind);
  const listed = async (query: string, as: object): Promise<string[]> =>
    must(await read(`/findings?${query}`, as)).map(({ id }: { id: string }) => id);

  it('tells who did what to which finding, newest first, and is filtered', async () => {
    const { own, shop, grace, between, first, second } = await prepare();
    const as = own.asOwner;
    const all = await read('/activity', as);
    expect(all.json.result_info).toMatchObject({ total: 3, has_next: false });
    expect(all.result).toMatchObject([
      { kind: 'comment', note: 'See this.', actor: { id: grace.id }, finding: { id: second } },
      { kind: 'assignee', to: own.owner.id, actor: { type: 'user', id: grace.id } },
      {
        ...{
          kind: 'status',
          from: 'open',
          to: 'false_positive',
          reason: 'used_in_tests',
          note: 'Only in tests.',
        },
        ...{ actor: { type: 'user', id: own.owner.id, name: 'Ada Lovelace' } },
        finding: { id: first, title: '=First', severity: 'high', project_id: own.projectId },
      },
    ]);
    const [entry] = must(await read(`/findings/${second}/activity`, as));
    const { finding: _, ...alone } = all.result[0];
    expect(alone).toEqual(entry);

    expect(await kinds('?actor=me', as)).toEqual(['status']);
    expect(await kinds(`?actor=${grace.id}`, as)).toEqual(['comment', 'assignee']);
    expect(await kinds('?actor=system', as)).toEqual([]);
    expect(await kinds(`?project_id=${shop.projectId}`, as)).toEqual(['comment', 'assignee']);
    expect(await kinds('?kind=status,comment', as)).toEqual(['comment', 'status']);
    expect(await kinds(`?from=${between}`, as)).toEqual(['comment', 'assignee']);
    expect(await kinds(`?to=${between}`, as)).toEqual(['status']);
    expect(await kinds(`?actor=${grace.id}&kind=comment&project_id=${own.projectId}`, as)).toEqual([]);

    const page = await read('/activity?per_page=1&page=2', as);
    expect(page.result.map(({ kind }: Entry) => kind)).toEqual(['assignee']);
    expect(page.json.result_info).toMatchObject({ total: 3, total_pages: 3, has_next: true });
    const behind = await read('/activity?page=9', as);
    expect([behind.result, behind.json.result_info.total]).toEqual([[], 3]);
    for (const query of ['actor=ada', 'kind=created', 'from=yesterday', 'project_id=shop'])
      expect([query, (await read(`/activity?${query}`, as)).status]).toEqual([query, 400]);

    // Findings by their entries, in pages and in full.
    expect(await listed('changed_by=me', as)).toEqual([first]);
    expect(await listed(`changed_by=${grace.id}&page=1`, as)).toEqual([second]);
    expect(await listed(`changed_after=${between}`, as)).toEqual([second]);
    expect(await listed(`changed_before=${between}`, as)).toEqual([first]);
    expect(await listed(`changed_after=${between}&changed_by=me`, as)).toEqual([]);
    const confirm = { filter: { changed_by: [grace.id] }, status: 'confirmed', expected_count: 1 };
    expect(must(await t.api.patch('/findings', { ...as, body: confirm })).updated).toMatchObject([
      { id: second },
    ]);
  });

  it.each([
    ['', 0],
    ['actor=me', 0],
    ['page=101&per_page=100', 0],
    ['page=102&per_page=100', 1],
    ['actor=system', 1],
    ['kind=status', 1],
  ])('is a search unless an index has the entries near the first one: "%s"', async (query, permits) => {
    const acquire = vi.spyOn(t.services.searchPermits, 'acquire');
    must(await read(`/activity?${query}`, org.asOwner));
    expect(acquire).toHaveBeenCalledTimes(permits);
    acquire.mockRestore();
  });

  it('is exported with names, and without formulas', async () => {
    const { own, shop, grace } = await prepare();
    const file = await t.api.get('/activity/export.csv', own.asOwner);
    expect(file.headers.get('content-disposition')).toMatch(/"activity-.*\.csv"/);
    const [header, ...lines] = file.text.replace('\ufeff', '').trimEnd().split('\r\n');
    expect(header).toBe(
      'id,at,kind,actor_type,actor_id,actor_name,from,to,reason,note,scan_id,finding_id,finding_title,finding_severity,project_id,project_name,finding_url',
    );
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`,"assignee","user",${grace.id},"Grace Hopper",,"Ada Lovelace",`);
    expect(lines[2]).toContain('"open","false_positive","used_in_tests","Only in tests.",');
    expect(lines[2]).toContain(`"'=First","high"`);
    expect(lines[2]).toMatch(new RegExp(`"http\\S+/o/${own.slug}/findings/[\\da-f-]{36}"$`));
    const some = await t.api.get(
      `/activity/export.csv?project_id=${shop.projectId}&kind=comment`,
      own.asOwner,
    );
    expect(some.text.trimEnd().split('\r\n')).toHaveLength(2);
    expect(some.text).toContain('"See this."');
  });

  it('is exported with the names that the organization sees', async () => {
    const own = await createOrg(t.api);
    const { id } = await push(t.api, own, await createScan(t.api, own));
    const user = await createUser(t.api, 'Secret Name');
    const second = `second-${user.email}`;
    await addVerifiedEmail(t, user.cookie, second);
    must(await t.api.post('/members/invite', { ...own.asOwner, body: { email: second, role: 'member' } }));
    must(await t.api.patch(`/findings/${id}`, { ...own.asOwner, body: { assignee_id: user.id } }));
    const members = must(await t.api.get('/members', own.asOwner));
    const { name } = members.find(({ user_id }: { user_id: string }) => user_id === user.id);
    const file = async () => (await t.api.get('/activity/export.csv', own.asOwner)).text;
    expect(name).toBe(second.split('@', 1).join());
    expect(await file()).toContain(`"Ada Lovelace",,"${name}",`);
    must(await t.api.delete(`/members/${user.id}`, own.asOwner));
    const lines = await file();
    expect(lines).toContain('"Ada Lovelace",,"A former member",');
    expect(lines).not.toContain('Secret Name');
  });

  it('shows a token of a project only its project, and nothing of other organizations', async () => {
    const { own, shop, first, second } = await prepare();
    const made = must(
      await t.api.post(`/projects/${shop.projectId}/tokens`, {
        ...own.asOwner,
        body: { name: 'Reader', scopes: ['read'] },
      }),
    );
    const as = { org: own.slug, token: made.token };
    expect(await kinds('', as)).toEqual(['comment', 'assignee']);
    expect(await kinds(`?project_id=${own.projectId}`, as)).toEqual([]);
    const file = (await t.api.get('/activity/export.csv', as)).text;
    expect(file).toContain(second);
    expect(file).not.toContain(first);
    expect(await listed('changed_after=2020-01-01', as)).toEqual([second]);
    const stranger = await createOrg(t.api);
    expect(await kinds('', stranger.asOwner)).toEqual([]);
    expect((await t.api.get('/activity', { ...stranger.asOwner, org: own.slug })).status).toBe(403);
  });
});
