import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, addMember, must, push, type TestMember } from '../support/api/api.ts';
import { byProject, createLimited, PROJECTS, type ProjectName } from '../support/api/limited.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Members whose access is limited to projects, with a session and with a personal access token. */

type Limited = Awaited<ReturnType<typeof createLimited>>;

let t: TestApp;
let api: TestApp['api'];
let { orgs, scans, findings, cyd, run, assign } = {} as Limited;

const DENIED = [403, 'permission_error/denied'];
const NOT_FOUND = [404, 'resource_error/not_found'];
const outcome = ({ status, error }: Answer) => [status, error];
const org = () => orgs.mine;
const setRole = (role: string) =>
  run('update shared.memberships set role = $1 where user_id = $2', [role, cyd.id]);

beforeAll(async () => {
  t = await startApp();
  ({ api } = t);
});

beforeEach(async () => {
  // The same problem in all projects.
  const fields = { fingerprint: 'fp', cve: 'CVE-2026-10001', file: 'a.ts', source: 'x', rule_id: 'r1' };
  ({ orgs, scans, findings, cyd, run, assign } = await createLimited(t, fields));
});

it('a changed project has the role of a caller who is limited', async () => {
  const change = async (as: object) =>
    must(await api.patch(`/projects/${org().projectId}`, { ...as, body: { name: 'Renamed' } }));
  expect((await change(cyd.as)).role).toBe('admin');
  expect((await change(org().asOwner)).role).toBeUndefined();
});

describe('the organization', () => {
  it('by the slug are refused, too', async () => {
    const body = { name: 'Renamed' };
    expect(outcome(await api.patch(`/orgs/${org().slug}`, { ...cyd.as, body }))).toEqual(DENIED);
    await assign(cyd, 'all');
    must(await api.patch(`/orgs/${org().slug}`, { ...cyd.as, body }));
  });

  it('shows the access while it is limited', async () => {
    const read = async () => must(await api.get(`/orgs/${org().slug}`, cyd.as)).project_access;
    expect(await read()).toBe('assigned');
    await assign(cyd, 'all');
    expect(await read()).toBeUndefined();
  });
});

describe('lists', () => {
  const sets: Partial<Record<ProjectName, string>>[] = [
    {},
    { mine: 'member' },
    { mine: 'member', seen: 'viewer' },
    { mine: 'viewer', seen: 'viewer', hidden: 'viewer' },
  ];
  const named = () =>
    ['', ...PROJECTS.map((name) => `project_id=${orgs[name].projectId}`)].flatMap((which) =>
      [
        '',
        'page=1',
        'q=cve-2026',
        'group_by=project&page=1',
        'group_by=cve&page=1',
        'sort=-severity&page=1',
      ].map((how) => ({ which, query: [which, how].filter(Boolean).join('&') })),
    );

  it.each(sets)('of findings have those of the projects: %o', async (roles) => {
    await assign(cyd, roles);
    for (const { which, query } of named()) {
      const answer = await api.get(`/findings?${query}`, cyd.as);
      const wanted = PROJECTS.filter((name) => !which || which.includes(orgs[name].projectId));
      const reached = wanted.filter((name) => name in roles);
      const left = PROJECTS.filter((name) => !(name in roles));
      const shown = PROJECTS.filter((name) => answer.text.includes(findings[name]));
      expect([query, answer.status]).toEqual([query, 200]);
      for (const name of left)
        expect([query, answer.text.includes(orgs[name].projectId)]).toEqual([query, false]);
      if (query.includes('group_by=cve')) {
        const [group] = answer.result;
        expect([query, group?.count ?? 0]).toEqual([query, reached.length]);
      } else {
        expect([query, shown]).toEqual([query, reached]);
        const total = answer.json.result_info?.total;
        if (total !== undefined) expect([query, total]).toEqual([query, reached.length]);
      }
    }
    for (const path of ['export.csv', 'export.sarif']) {
      const { text } = await api.get(`/findings/${path}`, cyd.as);
      expect(PROJECTS.filter((name) => text.includes(findings[name]))).toEqual(Object.keys(roles));
    }
  });

  it.each(sets)('of everything else have those of the projects: %o', async (roles) => {
    await assign(cyd, roles);
    const names = Object.keys(roles) as ProjectName[];
    const ids = (list: readonly ProjectName[], of: (name: ProjectName) => string) => list.map(of).toSorted();
    const get = async (path: string) => must(await api.get(path, cyd.as));
    const listed = async (path: string) => (await get(path)).map(({ id }: { id: string }) => id).toSorted();
    expect(await listed('/projects')).toEqual(ids(names, (name) => orgs[name].projectId));
    for (const path of ['/scans', '/scans?page=1'])
      expect(await listed(path)).toEqual(ids(names, (name) => scans[name]));
    const scansAnswer = await api.get('/scans?page=1', cyd.as);
    expect(scansAnswer.json.result_info.total).toBe(names.length);
    expect(await get('/dashboard/stats')).toMatchObject({
      ...{ total_scans: names.length, total_findings: names.length },
      recent_findings: names.toReversed().map((name) => ({ id: findings[name] })),
    });
    const counts: { project: { id: string } }[] = await get('/dashboard/projects');
    expect(counts.map(({ project }) => project.id).toSorted()).toEqual(
      ids(names, (name) => orgs[name].projectId),
    );
    const days: { total: number }[] = await get('/dashboard/trend');
    expect(days.reduce((sum, { total }) => sum + total, 0)).toBe(names.length);
    const { weeks, open_by_age } = await get('/dashboard/metrics');
    expect(weeks.reduce((sum: number, { found }: { found: number }) => sum + (found ?? 0), 0)).toBe(
      names.length,
    );
    expect(open_by_age.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(
      names.length,
    );
    for (const name of PROJECTS)
      for (const path of ['trend', 'metrics']) {
        const { status } = await api.get(`/dashboard/${path}?project_id=${orgs[name].projectId}`, cyd.as);
        expect([name, path, status]).toEqual([name, path, name in roles ? 200 : 404]);
      }
    for (const name of names) {
      const similar = await get(`/findings/${findings[name]}/similar`);
      expect(similar).toHaveLength(names.length - 1);
    }
  });

  it('of activity have the entries of the projects', async () => {
    const ids = PROJECTS.map((name) => findings[name]);
    must(await api.patch('/findings', { ...org().asOwner, body: { ids, status: 'confirmed' } }));
    for (const query of ['', `?project_id=${orgs.hidden.projectId},${orgs.seen.projectId}`]) {
      const entries: { finding: { title: string } }[] = must(
        await api.get(`/activity${query || '?'}&page=1`, cyd.as),
      );
      const titles = entries.map(({ finding }) => finding.title).toSorted();
      expect(titles).toEqual(query ? ['seen'] : ['mine', 'seen']);
      const { text } = await api.get(`/activity/export.csv${query}`, cyd.as);
      expect(text).not.toContain('hidden');
    }
  });

  it('of members have those who reach a project of the caller', async () => {
    const [dan, eve] = [await addMember(api, org(), 'member'), await addMember(api, org(), 'member')];
    await assign(dan, { hidden: 'admin' });
    await assign(eve, { seen: 'viewer', hidden: 'viewer' });
    const list = async (as: object) => {
      const members: { user_id: string }[] = must(await api.get('/members', as));
      return members.map(({ user_id }) => user_id).toSorted();
    };
    expect(await list(cyd.as)).toEqual([org().owner.id, cyd.id, eve.id].toSorted());
    expect(await list(org().asOwner)).toHaveLength(4);
    expect((await api.get('/members', cyd.as)).text).not.toContain('personal_tokens');
    await assign(cyd, {});
    expect(await list(cyd.as)).toEqual([org().owner.id, cyd.id].toSorted());
  });
});

describe('saved views', () => {
  it('that may name other projects are hidden', async () => {
    const { mine, hidden } = orgs;
    const queries: [query: string, isShown: boolean][] = [
      ['severity=high', true],
      ['', true],
      [`project_id=${mine.projectId}`, true],
      [`project_id=${mine.projectId.toUpperCase()}%2C${orgs.seen.projectId}`, true],
      [`project_id=${mine.projectId},${hidden.projectId}`, false],
      [`severity=high&project_id=${mine.projectId}&project_id=${hidden.projectId}`, false],
      [`?project_id=${hidden.projectId}`, false],
      [`project%5Fid=${hidden.projectId}`, false],
      [`scan_id=${scans.hidden}`, false],
    ];
    const made: string[] = [];
    for (const [query] of queries) {
      const body = { name: 'View', query, shared: true };
      made.push(must(await api.post('/views', { ...org().asOwner, body })).id);
    }
    const shown: { id: string }[] = must(await api.get('/views', cyd.as));
    expect(shown.map(({ id }) => id).toSorted()).toEqual(made.filter((_, i) => queries[i]?.[1]).toSorted());
    for (const [i, id] of made.entries()) {
      const answer = await api.patch(`/views/${id}`, { ...cyd.as, body: { name: 'Mine' } });
      expect([queries[i]?.[0], ...outcome(answer)]).toEqual([
        queries[i]?.[0],
        ...(queries[i]?.[1] ? DENIED : NOT_FOUND),
      ]);
    }
  });
});

describe('the revision', () => {
  it('follows the projects of the caller only', async () => {
    const read = async () => {
      t.services.knownRevisions?.clear();
      return must(await api.get('/revision', cyd.as)).revision as string;
    };
    const before = await read();
    must(
      await api.patch(`/findings/${findings.hidden}`, { ...org().asOwner, body: { status: 'confirmed' } }),
    );
    expect(await read()).toBe(before);
    must(await api.patch(`/findings/${findings.seen}`, { ...org().asOwner, body: { status: 'confirmed' } }));
    expect(await read()).not.toBe(before);
    await assign(cyd, {});
    const ofNone = await read();
    expect(ofNone).not.toBe(before);
  });
});

describe('triage', () => {
  it('by a filter changes findings of the projects where the role is enough', async () => {
    const filtered = { filter: {}, expected_count: 1, status: 'wontfix', reason: 'other' };
    const { updated: changed } = must(await api.patch('/findings', { ...cyd.as, body: filtered }));
    expect(changed).toMatchObject([{ id: findings.mine }]);
    const wrong = { ...filtered, expected_count: 2 };
    expect((await api.patch('/findings', { ...cyd.as, body: wrong })).status).toBe(409);
  });

  it('needs both roles: the one in the organization is the ceiling', async () => {
    const triage = (name: ProjectName) =>
      api.patch(`/findings/${findings[name]}`, { ...cyd.as, body: { status: 'confirmed' } });
    await setRole('viewer');
    expect(outcome(await triage('mine'))).toEqual(DENIED);
    await setRole('member');
    must(await triage('mine'));
    expect(outcome(await triage('seen'))).toEqual(DENIED);
    expect(outcome(await triage('hidden'))).toEqual(NOT_FOUND);
    // The next request counts.
    await assign(cyd, { hidden: 'member' });
    expect(outcome(await triage('mine'))).toEqual(NOT_FOUND);
    must(await triage('hidden'));
    await assign(cyd, 'all');
    must(await triage('seen'));
  });

  it('of an owner is never limited', async () => {
    const { owner } = org();
    await assign(owner, {});
    must(await api.get(`/findings/${findings.hidden}`, org().asOwner));
    expect(must(await api.get('/findings', org().asOwner))).toHaveLength(3);
  });
});

describe('members who reach the project', () => {
  /** A viewer of `mine`. */
  let dan: TestMember;

  beforeEach(async () => {
    dan = await addMember(api, org(), 'member', 'Dan');
    await assign(dan, { mine: 'viewer' });
  });

  it('are its assignees', async () => {
    const assignTo = (name: ProjectName, body: object = { assignee_id: dan.id }) =>
      api.patch(`/findings/${findings[name]}`, { ...org().asOwner, body });
    must(await assignTo('mine'));
    const refused = await assignTo('seen');
    expect([refused.refusal, refused.text]).toEqual([
      '400 validation_error/field_invalid assignee_id',
      expect.stringContaining('does not reach the project of the finding'),
    ]);
    must(await assignTo('seen', { assignee_id: cyd.id }));
    const many = (body: object) =>
      api.patch('/findings', { ...org().asOwner, body: { assignee_id: dan.id, ...body } });
    expect((await many({ ids: [findings.mine, findings.seen] })).status).toBe(400);
    must(await many({ ids: [findings.mine] }));
    expect((await many({ filter: {}, expected_count: 3 })).status).toBe(400);
    const filter = { project_id: [orgs.mine.projectId] };
    must(await many({ filter, expected_count: 1 }));
  });

  it('are mentioned in its comments', async () => {
    const comment = async (name: ProjectName) => {
      const body = { body: `@[Dan](${dan.id}) @[Cyd](${cyd.id})` };
      const path = `/findings/${findings[name]}/comments`;
      const made = must(await api.post(path, { ...org().asOwner, body }));
      const edited = must(await api.patch(`${path}/${made.id}`, { ...org().asOwner, body }));
      expect(edited.mentions).toEqual(made.mentions);
      return ((made.mentions ?? []) as { id: string }[]).map(({ id }) => id).toSorted();
    };
    expect(await comment('mine')).toEqual([cyd.id, dan.id].toSorted());
    expect(await comment('seen')).toEqual([cyd.id]);
    expect(await comment('hidden')).toEqual([]);
    await assign(dan, 'all');
    expect(await comment('hidden')).toEqual([dan.id]);
  });

  it('are assigned by rules', async () => {
    const rule = {
      name: 'Dan',
      conditions: { title: ['new*'] },
      actions: { assignee_id: dan.id, due_days: 3 },
    };
    const { id } = must(await api.post('/rules', { ...org().asOwner, body: rule }));
    const pushed = await byProject((name) => push(api, orgs[name], scans[name], { title: 'new finding' }));
    const assigneeOf = async (name: ProjectName, of: Record<ProjectName, { id: string }>) => {
      const { assignee_id, due_at } = must(await api.get(`/findings/${of[name].id}`, org().asOwner));
      return [assignee_id, due_at !== undefined];
    };
    expect(await assigneeOf('mine', pushed)).toEqual([dan.id, true]);
    expect(await assigneeOf('seen', pushed)).toEqual([undefined, true]);
    // The same for findings that exist.
    const ids = PROJECTS.map((name) => pushed[name].id);
    const none = { ids, assignee_id: null, due_at: null };
    must(await api.patch('/findings', { ...org().asOwner, body: none }));
    must(await api.post(`/rules/${id}/apply`, { ...org().asOwner, body: {} }));
    expect(await assigneeOf('mine', pushed)).toEqual([dan.id, true]);
    expect(await assigneeOf('seen', pushed)).toEqual([undefined, true]);
  });

  it('are previewed for rules that only assign', async () => {
    const body = { conditions: { cve: ['CVE-2026-10001'] }, actions: { assignee_id: dan.id } };
    const preview = async () => must(await api.post('/rules/preview', { ...org().asOwner, body })).total;
    expect(await preview()).toBe(1);
    await assign(dan, 'all');
    expect(await preview()).toBe(3);
  });

  it('are listed for it', async () => {
    const list = async (name: ProjectName, as: object = org().asOwner) => {
      const { status, result } = await api.get(`/members?project_id=${orgs[name].projectId}`, as);
      return status === 200 ? result.map(({ user_id }: { user_id: string }) => user_id).toSorted() : status;
    };
    const { owner } = org();
    expect(await list('mine')).toEqual([owner.id, cyd.id, dan.id].toSorted());
    expect(await list('seen')).toEqual([owner.id, cyd.id].toSorted());
    expect(await list('hidden')).toEqual([owner.id]);
    expect(await list('seen', cyd.as)).toEqual([owner.id, cyd.id].toSorted());
    expect(await list('hidden', cyd.as)).toBe(404);
  });
});

describe('the export of an account', () => {
  it('has the texts of others from the projects only', async () => {
    await assign(cyd, 'all');
    for (const name of PROJECTS) {
      const path = `/findings/${findings[name]}`;
      must(await api.patch(path, { ...org().asOwner, body: { assignee_id: cyd.id } }));
      const comment = { body: `@[Cyd](${cyd.id}) look at ${name}` };
      must(await api.post(`${path}/comments`, { ...org().asOwner, body: comment }));
    }
    await assign(cyd, { mine: 'admin', seen: 'viewer' });
    const read = async () => (await api.get('/auth/me/export', { cookie: cyd.cookie })).text;
    const text = await read();
    expect([text.includes('look at mine'), text.includes('look at seen')]).toEqual([true, true]);
    expect([text.includes('hidden'), text.includes(findings.hidden)]).toEqual([false, false]);
    await assign(cyd, 'all');
    expect(await read()).toContain('look at hidden');
  });
});
