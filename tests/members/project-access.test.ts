import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { setMemberRole } from '../../lib/admin/members.ts';
import type { Logger } from '../../lib/logger.ts';
import { applyRole } from '../../lib/sso/membership.ts';
import {
  type Answer,
  addMember,
  addProject,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  push,
  type TestMember,
  type TestOrg,
} from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { limit as timeLimit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/* `project_access` of members, and their assignment to projects. tests/projects/members.test.ts has the effects. */

let t: TestApp;
let api: TestApp['api'];
let org: TestOrg;
let other: TestOrg;
let dan: TestMember;

const DENIED = [403, 'permission_error/denied'];
const NOT_FOUND = [404, 'resource_error/not_found'];
const CONFLICT = [409, 'resource_error/conflict'];
const outcome = ({ status, error }: Answer) => [status, error];
const patch = (body: object, who: { id: string } = dan, as: object = org.asOwner) =>
  api.patch(`/members/${who.id}`, { ...as, body });
const limit = async (who: { id: string } = dan) => must(await patch({ project_access: 'assigned' }, who));
const pathOf = (who: { id: string } = dan, project = org) =>
  `/projects/${project.projectId}/members/${who.id}`;
const assign = (role: string, who: { id: string } = dan, project = org, as: object = org.asOwner) =>
  api.put(pathOf(who, project), { ...as, body: { role } });
const reached = async (as: object = dan.as) => {
  const projects: { id: string }[] = must(await api.get('/projects', as));
  return projects.map(({ id }) => id);
};
const sql = (text: string, params: string[] = []) =>
  t.services.database.sql.unsafe(text.replaceAll('$org', `org_${org.id.replaceAll('-', '')}`), params);
const rowsOf = async (who: { id: string } = dan) =>
  (await sql('select project_id, role from $org.project_members where user_id = $1', [who.id])).length;
const accessOf = async (who: { id: string } = dan) => {
  const members: { user_id: string; project_access: string }[] = must(await api.get('/members', org.asOwner));
  return members.find(({ user_id }) => user_id === who.id)?.project_access;
};
const revokeTokens = async () =>
  must(await api.patch('/settings/security', { ...org.asOwner, body: { tokens_on_role_loss: 'revoke' } }));
const tokenOf = async (project: TestOrg, as: object = dan.as) =>
  must(await api.post(`/projects/${project.projectId}/tokens`, { ...as, body: { name: 'ci' } }))
    .token as string;
const works = async (token: string, { projectId }: TestOrg) =>
  (await api.get(`/agent/findings?project_id=${projectId}`, { token, org: org.slug })).status === 200;
const listOf = async (who: { id: string } = dan) =>
  must(await api.get(`/members/${who.id}/projects`, org.asOwner)).map(
    ({ project_id, role }: Record<string, string>) => ({ project_id, role }),
  );
const given = (project: TestOrg, role: string) => ({ project_id: project.projectId, role });
const lastEntry = async () => must(await api.get('/audit?per_page=1', org.asOwner))[0];
const verifyAddress = () =>
  sql('update shared.user_emails set verified_at = now() where user_id = $1', [dan.id]);
const makeOwner = () =>
  setMemberRole(
    { ...t.services, box: t.services.mailBox },
    { org: org.slug, user: dan.email, role: 'owner' },
  );

const brokenOff: string[] = [];
const log: Logger = {
  ...silentLog,
  info: (message) => {
    if (message.endsWith('lost access')) brokenOff.push(message);
  },
};

beforeAll(async () => {
  t = await startApp({ log });
  ({ api } = t);
});

beforeEach(async () => {
  brokenOff.length = 0;
  org = await createOrg(api);
  other = await addProject(api, org);
  dan = await addMember(api, org, 'member', 'Dan');
});

describe('PATCH /members/{userId}', () => {
  it('limits a member to the assigned projects, and back', async () => {
    expect(must(await assign('member'))).toEqual({
      user_id: dan.id,
      project_id: org.projectId,
      role: 'member',
    });
    expect(await reached()).toHaveLength(2);
    expect(await limit()).toMatchObject({ user_id: dan.id, role: 'member', project_access: 'assigned' });
    expect(await lastEntry()).toMatchObject({
      ...{ action: 'member.role_changed', target: { type: 'member', id: dan.id } },
      changes: { project_access: { from: 'all', to: 'assigned' } },
    });
    expect(await reached()).toEqual([org.projectId]);
    expect(await accessOf()).toBe('assigned');
    expect(must(await patch({ project_access: 'all' })).project_access).toBe('all');
    expect(await reached()).toHaveLength(2);
    // The assignment stays.
    expect(await rowsOf()).toBe(1);
  });

  it('changes role and access at once', async () => {
    expect(must(await patch({ role: 'viewer', project_access: 'assigned' }))).toMatchObject({
      ...{ role: 'viewer', project_access: 'assigned' },
    });
  });

  it('never limits an owner', async () => {
    expect((await patch({ project_access: 'assigned' }, org.owner)).refusal).toBe(
      '400 validation_error/field_invalid project_access',
    );
    expect((await patch({ role: 'owner', project_access: 'assigned' })).refusal).toBe(
      '400 validation_error/field_invalid project_access',
    );
    await limit();
    expect(must(await patch({ role: 'owner' })).project_access).toBe('all');
    expect(await reached()).toHaveLength(2);
    expect(must(await patch({ role: 'member' })).project_access).toBe('all');
  });

  it('ends with the role of an owner that an operator gives', async () => {
    await limit();
    await verifyAddress();
    await makeOwner();
    expect(await accessOf()).toBe('all');
  });

  it.each([
    ['an owner', async () => must(await patch({ role: 'owner' }))],
    ['an operator', makeOwner],
  ])('ends for rules that assign the member, who becomes an owner by %s', async (_, promote) => {
    await verifyAddress();
    await limit();
    const rule = { name: 'Dan', conditions: { title: ['new*'] }, actions: { assignee_id: dan.id } };
    must(await api.post('/rules', { ...org.asOwner, body: rule }));
    const scan = await createScan(api, org);
    const assignee = async () => {
      const { id } = await push(api, org, scan, { title: 'new finding' });
      return must(await api.get(`/findings/${id}`, org.asOwner)).assignee_id;
    };
    expect(await assignee()).toBeUndefined();
    await promote();
    expect(await assignee()).toBe(dan.id);
  });

  it('ends open streams within a second, unless the member reaches more', async () => {
    const scan = await createScan(api, org);
    const description = 'x'.repeat(9_000);
    const findings = Array.from({ length: 400 }, () => finding(org, scan, { description }));
    for (let i = 0; i < findings.length; i += 80) {
      const body = { findings: findings.slice(i, i + 80) };
      must(await api.post('/agent/findings/batch', { ...org.asAgent, body }));
    }
    const open = async (path: string) => {
      const response = await t.app.request(`http://localhost/api/v1${path}`, {
        headers: { cookie: `svc_token=${dan.cookie}`, 'x-org-slug': org.slug },
      });
      const reader = response.body?.getReader();
      expect([response.status, (await reader?.read())?.done]).toEqual([200, false]);
      return async () => {
        for (;;) if ((await reader?.read())?.done) return 'complete';
      };
    };
    for (const project of [org, other]) must(await assign('viewer', dan, project));
    const losses = [() => limit(), () => api.delete(pathOf(dan, other), org.asOwner)];
    for (const lose of losses) {
      brokenOff.length = 0;
      const rests = [await open('/findings'), await open('/findings/export.csv')];
      const began = performance.now();
      await lose();
      await vi.waitFor(() => expect(brokenOff).toHaveLength(rests.length));
      expect(performance.now() - began).toBeLessThan(timeLimit(1_000));
      for (const rest of rests) await expect(rest()).rejects.toThrow('broken off');
    }
    const kept = await open('/findings');
    must(await assign('viewer', dan, other));
    must(await patch({ project_access: 'all' }));
    await sleep(1_000);
    expect(await kept()).toBe('complete');
  });

  it('replaces the projects with role and access in one change, and says what changed', async () => {
    must(await assign('viewer'));
    const projects = [given(org, 'viewer'), given(other, 'viewer'), given(other, 'admin')];
    must(await patch({ role: 'viewer', project_access: 'assigned', projects }));
    expect(await reached()).toHaveLength(2);
    expect((await lastEntry()).changes).toEqual({
      role: { from: 'member', to: 'viewer' },
      project_access: { from: 'all', to: 'assigned' },
      projects: { from: [], to: [given(other, 'admin')] },
    });
    must(await patch({ projects: projects.slice(1) }));
    expect(await reached()).toEqual([other.projectId]);
    expect((await lastEntry()).changes).toEqual({ projects: { from: [given(org, 'viewer')], to: [] } });
    must(await patch({ projects: projects.slice(1) }));
    expect((await lastEntry()).changes).toEqual({});
    expect(
      (await patch({ projects: [given(other, 'viewer'), { project_id: dan.id, role: 'viewer' }] })).badFields,
    ).toEqual(['projects.1.project_id']);
    const many = Array.from({ length: 1_001 }, () => given(org, 'viewer'));
    expect((await patch({ projects: many })).badFields).toEqual(['projects']);
    expect(await listOf()).toEqual([given(other, 'admin')]);
    must(await patch({ project_access: 'all', projects: [given(org, 'member')] }));
    expect([await rowsOf(), await accessOf()]).toEqual([1, 'all']);
  });

  it('names at most 50 of the projects in the audit log', async () => {
    await sql(
      `insert into $org.project_members select $1, gen_random_uuid(), 'viewer', now() from generate_series(1, 60)`,
      [dan.id],
    );
    must(await patch({ projects: [] }));
    const { changes } = await lastEntry();
    expect([changes.projects.from.length, changes.projects_not_named]).toEqual([50, { to: 10 }]);
  });

  it('assigns by rules in the projects of the list', async () => {
    const rule = { name: 'Dan', conditions: { title: ['new*'] }, actions: { assignee_id: dan.id } };
    must(await api.post('/rules', { ...org.asOwner, body: rule }));
    must(await patch({ project_access: 'assigned', projects: [given(other, 'member')] }));
    const scan = await createScan(api, org);
    const assignee = async () => {
      const { id } = await push(api, org, scan, { title: 'new finding' });
      return must(await api.get(`/findings/${id}`, org.asOwner)).assignee_id;
    };
    expect(await assignee()).toBeUndefined();
    must(await patch({ projects: [given(org, 'member')] }));
    expect(await assignee()).toBe(dan.id);
  });

  it('revokes tokens of projects that the list takes or lowers, where owners want it so', async () => {
    await revokeTokens();
    must(
      await patch({ project_access: 'assigned', projects: [given(org, 'admin'), given(other, 'member')] }),
    );
    const tokens = [await tokenOf(org), await tokenOf(other)] as const;
    const alive = async () => [await works(tokens[0], org), await works(tokens[1], other)];
    // A member of the organization was no admin of the project.
    must(await patch({ projects: [given(org, 'member'), given(other, 'admin')] }));
    expect(await alive()).toEqual([true, true]);
    must(await patch({ projects: [given(org, 'viewer'), given(other, 'admin')] }));
    expect(await alive()).toEqual([false, true]);
    must(await patch({ projects: [] }));
    expect(await alive()).toEqual([false, false]);
  });

  it('limits an owner who gets another role', async () => {
    const eve = await addMember(api, org, 'owner');
    await revokeTokens();
    const token = await tokenOf(org, eve.as);
    const body = { role: 'member', project_access: 'assigned', projects: [given(org, 'member')] };
    expect(must(await patch(body, eve))).toMatchObject({ role: 'member', project_access: 'assigned' });
    expect([await reached(eve.as), await works(token, org)]).toEqual([[org.projectId], false]);
    // The last owner stays.
    expect(outcome(await patch(body, org.owner))).toEqual(CONFLICT);
    expect(await rowsOf(org.owner)).toBe(0);
  });

  it('needs a field', async () => {
    expect((await patch({})).refusal).toBe('400 validation_error/field_required role');
    expect((await patch({ project_access: 'some' })).badFields).toEqual(['project_access']);
  });

  it('is refused to admins whose access is limited, also for themselves', async () => {
    const cyd = await addMember(api, org, 'admin');
    must(await assign('admin', cyd));
    await limit(cyd);
    for (const who of [dan, cyd])
      expect(outcome(await patch({ project_access: 'all' }, who, cyd.as))).toEqual(DENIED);
  });

  it('needs a step-up for an admin, and tells the owners', async () => {
    const cyd = await addMember(api, org, 'admin');
    await sql('update shared.user_emails set verified_at = now() where user_id = $1', [org.owner.id]);
    const stale = `update shared.sessions set created_at = now() - interval '1 hour', stepped_up_at = null where user_id = $1`;
    await limit(cyd);
    await t.services.mail.deliverDue();
    const mails = t.mails.filter(({ recipient }) => recipient === org.owner.email);
    expect(mails.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/Project access[\s\S]*assigned, was all/),
    );
    await sql(stale, [org.owner.id]);
    expect(outcome(await patch({ project_access: 'all' }, cyd))).toEqual([
      403,
      'permission_error/step_up_required',
    ]);
    // Members control nothing.
    await limit();
  });
});

describe('PUT and DELETE /projects/{id}/members/{userId}', () => {
  it('assign with a role, which the next request has', async () => {
    await limit();
    const { id } = await push(api, org, await createScan(api, org));
    const triage = async () =>
      (await api.patch(`/findings/${id}`, { ...dan.as, body: { status: 'confirmed' } })).status;
    expect(await triage()).toBe(404);
    must(await assign('viewer'));
    expect(await triage()).toBe(403);
    must(await assign('admin'));
    expect(await triage()).toBe(200);
    expect(await lastEntry()).toMatchObject({
      ...{ action: 'project.member_set', target: { type: 'member', id: dan.id, name: dan.email } },
      changes: { project_id: { to: org.projectId }, role: { from: 'viewer', to: 'admin' } },
    });
    // The role in the organization is the ceiling.
    expect((await api.delete(`/findings/${id}`, dan.as)).status).toBe(403);
    expect((await api.delete(pathOf(), org.asOwner)).status).toBe(204);
    expect(await lastEntry()).toMatchObject({
      ...{ action: 'project.member_removed', changes: { role: { from: 'admin' } } },
    });
    expect(await triage()).toBe(404);
    expect(outcome(await api.delete(pathOf(), org.asOwner))).toEqual(NOT_FOUND);
  });

  it('are read', async () => {
    must(await assign('viewer'));
    const assignment = { user_id: dan.id, project_id: org.projectId, role: 'viewer' };
    expect(must(await api.get(pathOf(), dan.as))).toEqual(assignment);
    expect(must(await api.get(`/projects/${org.projectId}/members`, dan.as))).toEqual([assignment]);
    expect(must(await api.get(`/projects/${other.projectId}/members`, dan.as))).toEqual([]);
    expect(outcome(await api.get(pathOf(dan, other), dan.as))).toEqual(NOT_FOUND);
    await limit();
    expect(must(await api.get(pathOf(), dan.as))).toEqual(assignment);
    expect(outcome(await api.get(`/projects/${other.projectId}/members`, dan.as))).toEqual(NOT_FOUND);
    // An assignment of somebody who is no member.
    const stranger = await createUser(api);
    await sql(`insert into $org.project_members values ($1, $2, 'viewer', now())`, [
      stranger.id,
      org.projectId,
    ]);
    expect(outcome(await api.get(pathOf(stranger), org.asOwner))).toEqual(NOT_FOUND);
    expect(must(await api.get('/projects', dan.as))).toMatchObject([{ id: org.projectId, role: 'viewer' }]);
    expect(must(await api.get(`/projects/${org.projectId}`, dan.as)).role).toBe('viewer');
    expect(must(await api.get(`/projects/${org.projectId}`, org.asOwner)).role).toBeUndefined();
  });

  it('refuse what does not exist', async () => {
    const stranger = await createUser(api);
    expect(outcome(await assign('viewer', stranger))).toEqual(NOT_FOUND);
    expect(outcome(await assign('viewer', dan, { ...org, projectId: crypto.randomUUID() }))).toEqual(
      NOT_FOUND,
    );
    expect((await assign('owner')).badFields).toEqual(['role']);
    expect(outcome(await assign('viewer', dan, org, dan.as))).toEqual(DENIED);
  });

  it('wait for a transfer', async () => {
    await sql(`update $org.projects set transfer = 'out' where id = $1`, [org.projectId]);
    expect((await assign('viewer')).status).toBe(409);
    expect((await api.delete(pathOf(), org.asOwner)).status).toBe(409);
    must(await assign('viewer', dan, other));
  });

  it('do not wait for a transfer that moves the project, and neither do lists of projects', async () => {
    must(await assign('viewer'));
    const { sql: client } = t.services.database;
    const projects = [given(org, 'member')];
    await client.begin(async (tx) => {
      await tx.unsafe(
        `select from "${orgSchemaName(org.id)}".projects where id = '${org.projectId}' for no key update`,
      );
      const began = performance.now();
      const answers = [
        await assign('member'),
        await api.delete(pathOf(), org.asOwner),
        await patch({ projects }),
        await patch({ projects: [] }),
        await api.post('/members/invite', {
          ...org.asOwner,
          body: { email: 'new@example.com', role: 'viewer', project_access: 'assigned', projects },
        }),
      ];
      expect(answers.map(outcome)).toEqual(answers.map(() => CONFLICT));
      for (const { text } of answers) expect(text).toContain('being changed or transferred');
      // Others are not concerned, and neither is what stays.
      must(await patch({ projects: [given(org, 'viewer'), given(other, 'viewer')] }));
      expect(performance.now() - began).toBeLessThan(timeLimit(5_000));
    });
  });

  it('are for admins of the project, and for members whom they see', async () => {
    const [cyd, eve] = [await addMember(api, org, 'admin'), await addMember(api, org, 'member')];
    must(await assign('admin', cyd));
    must(await assign('member', cyd, other));
    await limit(cyd);
    await limit(eve);
    // Dan reaches all projects.
    must(await assign('viewer', dan, org, cyd.as));
    expect(outcome(await assign('viewer', dan, other, cyd.as))).toEqual(DENIED);
    expect(outcome(await assign('viewer', eve, org, cyd.as))).toEqual(NOT_FOUND);
    must(await assign('viewer', eve, other));
    must(await assign('viewer', eve, org, cyd.as));
    must(await assign('viewer', cyd));
    expect(outcome(await assign('viewer', eve, org, cyd.as))).toEqual(DENIED);
  });

  it('revoke tokens of the project where owners want it so', async () => {
    await revokeTokens();
    const [own, others] = [await tokenOf(org), await tokenOf(other)];
    must(await assign('member'));
    await limit();
    expect([await works(own, org), await works(others, other)]).toEqual([true, false]);
    must(await assign('admin'));
    expect(await works(own, org)).toBe(true);
    must(await assign('viewer'));
    expect(await works(own, org)).toBe(false);
  });

  it('revoke tokens when the role is below the one in the organization', async () => {
    await revokeTokens();
    const before = await tokenOf(org);
    must(await assign('viewer'));
    await limit();
    expect(await works(before, org)).toBe(false);
    must(await assign('admin'));
    const after = await tokenOf(org);
    // A member of the organization was no admin of the project.
    must(await assign('member'));
    expect(await works(after, org)).toBe(true);
    must(await assign('viewer'));
    expect(await works(after, org)).toBe(false);
  });

  it('are bounded', async () => {
    await sql(
      `insert into $org.project_members select $1, gen_random_uuid(), 'viewer', now() from generate_series(1, 1000)`,
      [dan.id],
    );
    expect((await assign('viewer')).status).toBe(409);
    expect(await rowsOf()).toBe(1_000);
  });
});

describe('an invitation', () => {
  const invite = (body: object) =>
    api.post('/members/invite', { ...org.asOwner, body: { role: 'member', ...body } });

  it('assigns projects', async () => {
    const eve = await createUser(api);
    const projects = [{ project_id: org.projectId, role: 'viewer' }];
    const made = must(await invite({ email: eve.email, project_access: 'assigned', projects }));
    expect(made).toMatchObject({ project_access: 'assigned' });
    expect(await reached({ cookie: eve.cookie, org: org.slug })).toEqual([org.projectId]);
    expect((await lastEntry()).changes).toEqual({
      ...{ role: { to: 'member' }, project_access: { to: 'assigned' }, projects: { from: [], to: projects } },
    });
  });

  it('gives the last role where it names a project twice', async () => {
    const eve = await createUser(api);
    const projects = ['viewer', 'admin'].map((role) => ({ project_id: org.projectId, role }));
    must(await invite({ email: eve.email, project_access: 'assigned', projects }));
    expect(must(await api.get(pathOf(eve), org.asOwner)).role).toBe('admin');
  });

  it('names projects of the organization, and limits no owner', async () => {
    const email = 'newcomer@example.com';
    const projects = [{ project_id: crypto.randomUUID(), role: 'viewer' }];
    expect((await invite({ email, project_access: 'assigned', projects })).badFields).toEqual([
      'projects.0.project_id',
    ]);
    expect((await invite({ email, role: 'owner', project_access: 'assigned' })).badFields).toEqual([
      'project_access',
    ]);
    // A forgotten field must not give access to all projects.
    expect((await invite({ email, projects: [given(org, 'viewer')] })).badFields).toEqual(['projects']);
    expect(must(await invite({ email })).project_access).toBe('all');
  });

  it.each([
    ['limited', `update shared.memberships set project_access = 'assigned'`, 403],
    ['demoted', `update shared.memberships set role = 'member'`, 403],
    ['removed', 'delete from shared.memberships', 403],
  ])('by an admin who is %s at the same time is refused', async (_, change, status) => {
    const { sql: client } = t.services.database;
    const cyd = await addMember(api, org, 'admin');
    let inviting: Promise<Answer> | undefined;
    await client.begin(async (tx) => {
      // As what changes members does.
      await tx.unsafe(`select 1 from shared.orgs where id = '${org.id}' for no key update`);
      inviting = api.post('/members/invite', {
        ...cyd.as,
        body: { email: 'late@example.com', role: 'viewer' },
      });
      await untilBlocked(client);
      await tx.unsafe(`${change} where org_id = '${org.id}' and user_id = '${cyd.id}'`);
    });
    expect((await inviting)?.status).toBe(status);
    expect(must(await api.get('/members', org.asOwner))).not.toContainEqual(
      expect.objectContaining({ email: 'late@example.com' }),
    );
  });

  it('begins anew for a former member', async () => {
    must(await assign('viewer'));
    await limit();
    expect((await api.delete(`/members/${dan.id}`, org.asOwner)).status).toBe(204);
    // The mark of a limited member.
    expect(await rowsOf()).toBe(1);
    expect(must(await api.get(`/projects/${org.projectId}/members`, org.asOwner))).toEqual([]);
    must(await invite({ email: dan.email }));
    expect([await rowsOf(), await accessOf()]).toEqual([0, 'all']);
    must(await assign('viewer'));
    must(await api.post('/members/leave', dan.as));
    expect(await rowsOf()).toBe(0);
  });
});

it('a limited member who leaves and comes back by single sign-on is limited again', async () => {
  const connection = { name: 'Login', issuer: 'https://login.example', client_id: 'x' };
  const { id: connectionId } = must(
    await api.post('/settings/connections', { ...org.asOwner, body: connection }),
  );
  const tables = defineOrgTables(orgSchemaName(org.id));
  const { config, database } = t.services;
  const actor = { now: new Date(), writeMail: async () => {} };
  const join = () =>
    database.db.transaction((tx) =>
      applyRole(
        tx,
        { config, actor, org: { id: org.id, tables } },
        { userId: dan.id, connectionId, role: 'member', isVouched: true, projectAccess: 'all' },
      ),
    );
  must(await assign('viewer'));
  await limit();
  must(await api.post('/members/leave', dan.as));
  expect((await join()).kind).toBe('joined');
  expect([await accessOf(), await rowsOf(), await reached()]).toEqual(['assigned', 0, []]);
  must(await api.post('/members/leave', dan.as));
  // Also with assignments that were left behind.
  await sql(`insert into $org.project_members values ($1, $2, 'admin', now())`, [dan.id, org.projectId]);
  expect((await join()).kind).toBe('joined');
  expect([await accessOf(), await rowsOf(), await reached()]).toEqual(['assigned', 0, []]);
  must(await patch({ project_access: 'all' }));
  must(await api.post('/members/leave', dan.as));
  expect((await join()).kind).toBe('joined');
  expect(await accessOf()).toBe('all');
});

it('the export of an account has the access and the projects', async () => {
  must(await assign('viewer'));
  await limit();
  const { memberships, organizations } = must(await api.get('/auth/me/export', dan));
  expect(memberships).toContainEqual(expect.objectContaining({ org_id: org.id, project_access: 'assigned' }));
  expect(organizations.find(({ id }: { id: string }) => id === org.id).project_roles).toMatchObject([
    { project_id: org.projectId, role: 'viewer' },
  ]);
});
