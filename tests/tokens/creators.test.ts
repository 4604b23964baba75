import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { setMemberRole } from '../../lib/admin/members.ts';
import { provisionOrgFlag } from '../../lib/admin/org-flags.ts';
import {
  type Answer,
  addMember,
  addProject,
  createOrg,
  createScan,
  finding,
  must,
  PASSWORD,
  push,
  type TestMember,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/*
 * API tokens whose creator gets a lower role, leaves, is removed or deletes the account, and the other settings about creating tokens.
 */

let t: TestApp;
let api: TestApp['api'];
let org: TestOrg;
/** The creator of the tokens. */
let creator: TestMember;

beforeAll(async () => {
  t = await startApp();
  ({ api } = t);
});

beforeEach(async () => {
  org = await createOrg(api);
  creator = await addMember(api, org, 'admin');
  const services = { ...t.services, migrations: t.services.orgMigrations };
  await provisionOrgFlag(services, org.slug, 'org_wide_tokens', true);
  must(await api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
});

const outcome = ({ status, error }: Answer) => [status, error];
const OK = [200, undefined];
const SCOPE = [403, 'token_error/scope_mismatch'];
const INVALID = [401, 'token_error/invalid'];
const DENIED = [403, 'permission_error/denied'];

const set = (body: object, who: object = org.asOwner) => api.patch('/settings/security', { ...who, body });
const orgWide = async (scope: string, who: object = creator.as) =>
  must(await api.post('/tokens', { ...who, body: { name: scope, scopes: [scope] } }));
const ofProject = (body: object = {}, who: object = creator.as) =>
  api.post(`/projects/${org.projectId}/tokens`, { ...who, body: { name: 'ci', ...body } });

/** Uses tokens for what viewers, members and admins do, and for what agents do. */
async function uses(tokens: Record<'read' | 'triage' | 'admin' | 'ingest', string>) {
  const at = (token: string) => ({ token, org: org.slug });
  const { id } = await push(api, org, await createScan(api, org));
  return {
    read: outcome(await api.get(`/findings/${id}`, at(tokens.read))),
    triage: outcome(
      await api.patch(`/findings/${id}`, { ...at(tokens.triage), body: { status: 'confirmed' } }),
    ),
    admin: outcome(await api.get('/rules', at(tokens.admin))),
    ingest: outcome(await api.get(`/agent/findings?project_id=${org.projectId}`, at(tokens.ingest))),
  };
}

async function tokensOfCreator() {
  const [read, triage, admin] = [await orgWide('read'), await orgWide('triage'), await orgWide('admin')];
  const ingest = must(await ofProject());
  return { read: read.token, triage: triage.token, admin: admin.token, ingest: ingest.token };
}

const demote = async (role: string) =>
  must(await api.patch(`/members/${creator.id}`, { ...org.asOwner, body: { role } }));
const remove = async (query = '') =>
  expect((await api.delete(`/members/${creator.id}${query}`, org.asOwner)).status).toBe(204);

/** The ways in which a creator loses rights. */
const LOSSES: Record<string, () => Promise<unknown>> = {
  'is demoted by an owner': () => demote('viewer'),
  'is demoted by an operator': () =>
    setMemberRole(
      { ...t.services, box: t.services.mailBox },
      {
        ...{ org: org.slug, user: creator.email, role: 'viewer' },
      },
    ),
  'is removed': () => remove(),
  leaves: async () => must(await api.post('/members/leave', creator.as)),
  async 'deletes the account'() {
    const { cookie, email } = creator;
    // The organization that came with the account.
    for (const { slug, role } of must(await api.get('/orgs', { cookie })))
      if (role === 'owner')
        expect((await api.delete(`/orgs/${slug}`, { cookie, body: { confirm: slug } })).status).toBe(204);
    const deleted = await api.delete('/auth/me', { cookie, body: { confirm: email } });
    expect(deleted.status).toBe(204);
  },
};

describe.each(Object.entries(LOSSES))('when the creator %s', (name, lose) => {
  const isViewer = name.includes('demoted');

  it('scopes are limited to the present role, and pipelines keep working', async () => {
    const tokens = await tokensOfCreator();
    expect(await uses(tokens)).toEqual({ read: OK, triage: OK, admin: OK, ingest: OK });
    await lose();
    const read = isViewer ? OK : SCOPE;
    expect(await uses(tokens)).toEqual({ read, triage: SCOPE, admin: SCOPE, ingest: OK });
  });

  it('tokens stay as they are where owners keep them', async () => {
    must(await set({ tokens_on_role_loss: 'keep' }));
    const tokens = await tokensOfCreator();
    await lose();
    expect(await uses(tokens)).toEqual({ read: OK, triage: OK, admin: OK, ingest: OK });
  });

  it('all of them are revoked where owners revoke them, and no other', async () => {
    must(await set({ tokens_on_role_loss: 'revoke' }));
    const tokens = await tokensOfCreator();
    await lose();
    await vi.waitFor(async () =>
      expect(await uses(tokens)).toEqual({
        ...{ read: INVALID, triage: INVALID, admin: INVALID, ingest: INVALID },
      }),
    );
    expect((await api.get(`/agent/findings?project_id=${org.projectId}`, org.asAgent)).status).toBe(200);
  });
});

it('a promotion gives the rights back, and takes none', async () => {
  const tokens = await tokensOfCreator();
  await demote('viewer');
  expect((await uses(tokens)).admin).toEqual(SCOPE);
  await demote('member');
  expect(await uses(tokens)).toMatchObject({ triage: OK, admin: SCOPE });
  must(await set({ tokens_on_role_loss: 'revoke' }));
  await demote('owner');
  expect((await uses(tokens)).admin).toEqual(OK);
});

it('an admin token does what its demoted creator does, and a disabled creator does nothing', async () => {
  const { token } = await orgWide('admin');
  await demote('member');
  expect(await uses({ read: token, triage: token, admin: token, ingest: org.token })).toEqual({
    ...{ read: OK, triage: OK, admin: SCOPE, ingest: OK },
  });
  const { sql } = t.services.database;
  await sql.unsafe('update shared.users set disabled_at = now() where id = $1', [creator.id]);
  expect(outcome(await api.get('/projects', { token, org: org.slug }))).toEqual(SCOPE);
});

it('the removal of a member can revoke the tokens that the member created', async () => {
  const tokens = await tokensOfCreator();
  await remove('?revoke_tokens=true');
  expect(Object.values(await uses(tokens))).toEqual([INVALID, INVALID, INVALID, INVALID]);
  const listed: { created_by: string; revoked: boolean }[] = must(await api.get('/tokens', org.asOwner));
  expect(listed.filter(({ revoked }) => !revoked).map(({ created_by }) => created_by)).toEqual([
    org.owner.id,
  ]);
});

it('a push does not look up the creator of its token', async () => {
  const [{ token }, reader] = [must(await ofProject()), await orgWide('read')];
  const as = { token, org: org.slug };
  const scan = await createScan(api, org);
  const { sql } = t.services.database;
  await sql.unsafe('alter table shared.orgs rename column tokens_on_role_loss to hidden');
  try {
    must(await api.post('/agent/findings', { ...as, body: finding(org, scan) }));
    // The column that the look-up reads is missing.
    expect((await api.get('/projects', { token: reader.token, org: org.slug })).status).toBe(500);
  } finally {
    await sql.unsafe('alter table shared.orgs rename column hidden to tokens_on_role_loss');
  }
});

describe('the settings', () => {
  it('about tokens are the owners’ alone: an admin could outlive a demotion', async () => {
    for (const body of [
      { tokens_on_role_loss: 'keep' },
      { project_token_creators: 'any_member' },
      { max_token_days: null },
      { viewer_tokens_verify: true, tokens_on_role_loss: 'keep' },
    ])
      expect(outcome(await set(body, creator.as))).toEqual(DENIED);
    must(await set({ viewer_tokens_verify: false }, creator.as));
    expect(must(await set({ tokens_on_role_loss: 'keep', max_token_days: 30 }))).toMatchObject({
      viewer_tokens_verify: false,
      tokens_on_role_loss: 'keep',
      project_token_creators: 'any_member',
      max_token_days: 30,
    });
    expect((await set({})).status).toBe(400);
    for (const bad of [0, -1, 1.5, '9', 36_501])
      expect((await set({ max_token_days: bad })).status).toBe(400);
  });

  it.each([
    ['any_member', [201, 201, 201]],
    ['members', [403, 201, 201]],
    ['admins', [403, 403, 201]],
  ])('let %s create tokens of projects', async (project_token_creators, expected) => {
    must(await set({ project_token_creators }));
    const [viewer, member] = [await addMember(api, org, 'viewer'), await addMember(api, org, 'member')];
    const answers = await Promise.all([viewer, member, creator].map(({ as }) => ofProject({}, as)));
    expect(answers.map(({ status }) => status)).toEqual(expected);
  });

  it('limit the lifetime of tokens for more than agents, also of existing ones', async () => {
    const forever = await orgWide('admin');
    const [ci, soon] = [must(await ofProject()), await orgWide('read')];
    must(await set({ max_token_days: 30 }));
    const listed: { id: string; expires_at?: string }[] = must(await api.get('/tokens', org.asOwner));
    const daysOf = ({ info: { id } }: { info: { id: string } }) => {
      const { expires_at } = listed.find((one) => one.id === id) ?? {};
      return expires_at && Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000);
    };
    expect([forever, soon, ci].map(daysOf)).toEqual([30, 30, undefined]);
    for (const expires_in of [undefined, 0, 31]) {
      const body = { name: 'x', scopes: ['read'], expires_in };
      expect((await api.post('/tokens', { ...org.asOwner, body })).refusal).toBe(
        '400 validation_error/field_invalid expires_in',
      );
      expect((await ofProject({ ...body }, org.asOwner)).status).toBe(400);
      // Agents are not concerned.
      expect((await ofProject({ expires_in })).status).toBe(201);
    }
    expect(
      (await api.post('/tokens', { ...org.asOwner, body: { name: 'x', scopes: ['read'], expires_in: 30 } }))
        .status,
    ).toBe(201);
  });
});

describe('when the access of the creator is limited to projects', () => {
  const schema = () => `org_${org.id.replaceAll('-', '')}`;
  const sql = (text: string, ...params: string[]) => t.services.database.sql.unsafe(text, params);
  /** @param role the role of the creator in the project; undefined: none */
  const limit = async (role: string | undefined) => {
    await sql(`update shared.memberships set project_access = 'assigned' where user_id = $1`, creator.id);
    await sql(`delete from ${schema()}.project_members where user_id = $1`, creator.id);
    if (role === undefined) return;
    const text = `insert into ${schema()}.project_members values ($1, $2, $3, now())`;
    await sql(text, creator.id, org.projectId, role);
  };

  it.each([
    ['admin', { read: OK, triage: OK, admin: SCOPE, ingest: OK }],
    ['viewer', { read: OK, triage: DENIED, admin: SCOPE, ingest: OK }],
    [
      undefined,
      {
        ...{ read: [404, 'resource_error/not_found'], triage: [404, 'resource_error/not_found'] },
        admin: SCOPE,
        ingest: OK,
      },
    ],
  ])('org-wide tokens reach the projects of the creator: %s', async (role, expected) => {
    const tokens = await tokensOfCreator();
    const other = await addProject(api, org);
    await push(api, other, await createScan(api, other));
    await limit(role);
    expect(await uses(tokens)).toEqual(expected);
    const { text } = await api.get('/rules', { token: tokens.admin, org: org.slug });
    expect(text).toContain('access is limited to projects now');
    const as = { token: tokens.read, org: org.slug };
    const projects: { id: string }[] = must(await api.get('/projects', as));
    expect(projects.map(({ id }) => id)).toEqual(role ? [org.projectId] : []);
    expect(must(await api.get('/findings', as))).toHaveLength(role ? 1 : 0);
    must(await set({ tokens_on_role_loss: 'keep' }));
    expect(await uses(tokens)).toEqual({ read: OK, triage: OK, admin: OK, ingest: OK });
  });

  it.each([
    ['member', OK, OK],
    ['viewer', OK, SCOPE],
    [undefined, SCOPE, SCOPE],
  ])('tokens of a project have the role of the creator there: %s', async (role, read, triage) => {
    const token = must(await ofProject({ scopes: ['triage'] })).token as string;
    await limit(role);
    const at = { token, org: org.slug };
    const { id } = await push(api, org, await createScan(api, org));
    expect(outcome(await api.get(`/findings/${id}`, at))).toEqual(read);
    const body = { status: 'confirmed' };
    expect(outcome(await api.patch(`/findings/${id}`, { ...at, body }))).toEqual(triage);
  });

  it('new tokens need the role in the project', async () => {
    const create = async (scope: string) => (await ofProject({ scopes: [scope] })).status;
    await limit('viewer');
    expect([await create('read'), await create('triage')]).toEqual([201, 403]);
    await limit('member');
    expect(await create('triage')).toBe(201);
    await limit(undefined);
    expect(await create('ingest')).toBe(404);
    expect(outcome(await api.post('/tokens', { ...creator.as, body: { name: 'all' } }))).toEqual(DENIED);
  });

  it('a viewer of the project confirms no fixes where owners have switched that off', async () => {
    must(await set({ viewer_tokens_verify: false }));
    const { token } = must(await ofProject());
    const { id } = await push(api, org, await createScan(api, org));
    const verify = async () => {
      const body = { status: 'verified' };
      return await api.patch(`/agent/findings/${id}`, { token, org: org.slug, body });
    };
    const suspend = (value: string) =>
      sql(`update shared.memberships set suspended_at = ${value} where user_id = $1`, creator.id);
    for (const role of ['viewer', undefined]) {
      await limit(role);
      const refused = await verify();
      expect(outcome(refused)).toEqual(DENIED);
      expect(refused.text).toContain('made by a viewer');
    }
    await suspend('now()');
    expect((await verify()).text).toContain('made by a former member');
    await suspend('null');
    await limit('member');
    expect((await verify()).status).toBe(200);
  });

  it('tokens of other projects are not found', async () => {
    const other = await addProject(api, org);
    await limit('admin');
    const path = `/projects/${org.projectId}/tokens/${other.tokenId}`;
    expect(outcome(await api.delete(path, creator.as))).toEqual([404, 'resource_error/not_found']);
    expect(outcome(await api.delete(path, org.asOwner))).toEqual(SCOPE);
  });
});

it('in strict mode viewers create no tokens, unless owners let them', async () => {
  const env = { SVC_STRICT: 'on', SVC_AUTH_LIMITS: 'off' };
  const strict = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: t.services.orgMigrations, env });
  const viewer = await addMember(api, org, 'viewer');
  await t.services.database.sql.unsafe('update shared.user_emails set verified_at = now()');
  await t.services.database.sql.unsafe('update shared.memberships set confirmed_at = now()');
  const create = () =>
    strict.api.post(`/projects/${org.projectId}/tokens`, { ...viewer.as, body: { name: 'ci' } });
  expect(outcome(await create())).toEqual(DENIED);
  must(await set({ project_token_creators: 'any_member' }));
  expect((await create()).status).toBe(201);
});

describe('a change of the password', () => {
  const change = (body: object) =>
    api.post('/auth/change-password', {
      cookie: creator.cookie,
      body: { current_password: PASSWORD, new_password: 'Other2horse', ...body },
    });
  const personal = async (): Promise<string> =>
    must(
      await api.post('/profile/tokens', {
        cookie: creator.cookie,
        body: { name: 'mine', scopes: ['read'], expires_in: 9 },
      }),
    ).token;

  it.each([
    [{}, OK, OK],
    [{ revoke_tokens: false }, OK, OK],
    [{ revoke_tokens: true }, INVALID, INVALID],
  ])('with %j', async (body, ofPerson, ofOrgs) => {
    const [own, tokens] = [await personal(), await tokensOfCreator()];
    must(await change(body));
    expect(outcome(await api.get('/projects', { token: own, org: org.slug }))).toEqual(ofPerson);
    expect(Object.values(await uses(tokens))).toEqual([ofOrgs, ofOrgs, ofOrgs, ofOrgs]);
    expect((await api.get(`/agent/findings?project_id=${org.projectId}`, org.asAgent)).status).toBe(200);
  });

  it('names the organizations whose tokens could not be revoked', async () => {
    const other = must(await api.post('/orgs', { cookie: creator.cookie, body: { name: 'Broken' } }));
    must(await api.post('/projects', { cookie: creator.cookie, org: other.slug, body: { name: 'Web' } }));
    const table = `org_${other.id.replaceAll('-', '')}.api_tokens`;
    await t.services.database.sql.unsafe(`alter table ${table} rename column revoked to broken`);
    const tokens = await tokensOfCreator();
    const answer = await change({ revoke_tokens: true });
    expect([answer.status, answer.json.message]).toEqual([200, expect.stringContaining(other.slug)]);
    expect(Object.values(await uses(tokens))).toEqual([INVALID, INVALID, INVALID, INVALID]);
    await t.services.database.sql.unsafe(`alter table ${table} rename column broken to revoked`);
  });

  it('revokes nothing with a wrong password', async () => {
    const tokens = await tokensOfCreator();
    expect((await change({ current_password: 'Wrong1horse', revoke_tokens: true })).status).toBe(401);
    expect(Object.values(await uses(tokens))).toEqual([OK, OK, OK, OK]);
  });
});
