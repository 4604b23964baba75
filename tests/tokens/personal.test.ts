import { beforeAll, describe, expect, it } from 'vitest';
import { disableUser } from '../../lib/admin/users/change.ts';
import { createLogger } from '../../lib/logger.ts';
import { createVerifiedUser, subjectsTo } from '../support/api/account.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { linkTo } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

const MAX = 3;

let t: TestApp;
/** Another process over the same database. */
let other: TestApp;
let org: TestOrg;
let findingId: string;
const lines: string[] = [];

beforeAll(async () => {
  const env = { SVC_MAX_PERSONAL_TOKENS_PER_ACCOUNT: `${MAX}` };
  const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  t = await startApp({ env, log });
  other = await startApp({ databaseUrl: t.databaseUrl, env });
  org = await createOrg(t.api);
  findingId = (await push(t.api, org, await createScan(t.api, org))).id;
});

const outcome = ({ status, error }: Answer) => [status, error];
const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const INVALID = [401, 'token_error/invalid'];

const create = (user: TestUser, body: object = {}, app = t) =>
  app.api.post('/profile/tokens', { cookie: user.cookie, body: { name: 'report', expires_in: 30, ...body } });
const make = async (user: TestUser, ...scopes: string[]) => must(await create(user, { scopes }));
const list = async (user: TestUser) => must(await t.api.get('/profile/tokens', user)).tokens;
const read = (token: string, slug = org.slug) => t.api.get('/findings', { token, org: slug });
const triage = (token: string, status = 'confirmed') =>
  t.api.patch(`/findings/${findingId}`, { token, org: org.slug, body: { status } });
const securityEvents = (event: string) =>
  lines.map((line) => JSON.parse(line)).filter((line) => line.event === event);

/** A member of the organization. */
async function join(role: string): Promise<TestUser & { emailId: string }> {
  const user = await createVerifiedUser(t);
  must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role } }));
  return user;
}

describe('creating one', () => {
  it('shows it in full once, logs it and tells its owner', async () => {
    const user = await createVerifiedUser(t);
    const answer = await create(user, { name: '  weekly  ' });
    expect(answer.status).toBe(201);
    const { token, info } = answer.result;
    expect(token).toMatch(/^svcp_[0-9a-f]{32}$/);
    expect(info).toMatchObject({ name: 'weekly', prefix: token.slice(0, 13), scopes: ['read'] });
    expect(Date.parse(info.expires_at) - Date.parse(info.created_at)).toBe(30 * 86_400_000);
    expect(await list(user)).toEqual([info]);
    expect(await subjectsTo(t, user.email)).toContain('A personal access token was created');
    expect((await t.delivered(user.email)).text).toContain('weekly (read)');
    const [logged] = securityEvents('token_created').filter((line) => line.token === info.id);
    expect(logged).toMatchObject({ user: user.id, personal: true, scopes: 'read', token_name: 'weekly' });
    expect(lines.join()).not.toContain(token);
    const [stored] = await sql('select * from shared.personal_tokens where id = $1', [info.id]);
    expect(JSON.stringify(stored)).not.toContain(token.slice(13));
  });

  it.each([
    [{ expires_in: undefined }, 'expires_in'],
    [{ expires_in: 0 }, 'expires_in'],
    [{ expires_in: 367 }, 'expires_in'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['ingest'] }, 'scopes.0'],
    [{ scopes: ['owner'] }, 'scopes.0'],
    [{ name: ' ' }, 'name'],
    [{ org_id: crypto.randomUUID() }, 'org_id'],
  ])('refuses %j', async (body, field) => {
    const answer = await create(org.owner, body);
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
  });

  it('does not limit one to an organization of others', async () => {
    const stranger = await createOrg(t.api);
    expect((await create(stranger.owner, { org_id: org.id })).badFields).toEqual(['org_id']);
  });

  it('keeps to the limit, also with 20 requests at once at two processes', async () => {
    const user = await createUser(t.api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => create(user, {}, i % 2 === 0 ? t : other)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX);
    expect(answers.filter(({ error }) => error === 'resource_error/conflict')).toHaveLength(20 - MAX);
    const [first] = await list(user);
    must(await t.api.delete(`/profile/tokens/${first.id}`, user));
    expect((await create(user)).status).toBe(201);
  });

  it('removes those that have expired, which then leave room', async () => {
    const user = await createUser(t.api);
    for (let i = 0; i < MAX; i++) await make(user, 'read');
    await sql("update shared.personal_tokens set expires_at = now() - interval '1 s' where user_id = $1", [
      user.id,
    ]);
    expect(await list(user)).toHaveLength(MAX);
    const { info } = await make(user, 'read');
    expect(await list(user)).toEqual([info]);
  });
});

describe('using one', () => {
  it('lists, pages and exports findings without a password', async () => {
    const { token } = await make(await join('viewer'), 'read');
    expect(must(await read(token))).toHaveLength(1);
    const options = { token, org: org.slug };
    expect((await t.api.get('/findings?page=1', options)).json.result_info.total).toBe(1);
    const csv = await t.api.get('/findings?format=csv', options);
    expect(csv.text.split('\r\n')[1]).toContain(findingId);
  });

  it('acts as its owner', async () => {
    const user = await join('member');
    const { token, info } = await make(user, 'triage');
    must(await triage(token));
    const body = { body: 'by a script' };
    const comment = must(await t.api.post(`/findings/${findingId}/comments`, { token, org: org.slug, body }));
    expect(comment.actor).toMatchObject({ type: 'user', id: user.id });
    const [latest] = must(
      await t.api.get(`/findings/${findingId}/activity?page=1`, { token, org: org.slug }),
    );
    expect(latest).toMatchObject({ kind: 'comment', actor: { type: 'user', id: user.id } });
    expect(must(await t.api.get('/findings?assignee=me', { token, org: org.slug }))).toEqual([]);
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.token === info.id);
    expect(logged).toContainEqual(expect.objectContaining({ message: 'request', user: user.id }));
    expect(securityEvents('token_first_used').filter((line) => line.token === info.id)).toHaveLength(1);
  });

  it('says whose it is and where it works', async () => {
    const user = await join('viewer');
    const { token } = await make(user, 'read');
    const orgs = (answer: Answer) => must(answer).orgs.map(({ id }: { id: string }) => id);
    const all = orgs(await t.api.get('/auth/me', user));
    expect(all).toHaveLength(2);
    expect(orgs(await t.api.get('/auth/me', { token }))).toEqual(all);
    const limited = must(await create(user, { org_id: org.id }));
    expect(limited.info.org_id).toBe(org.id);
    expect(orgs(await t.api.get('/auth/me', { token: limited.token }))).toEqual([org.id]);
    expect((await read(limited.token)).status).toBe(200);
  });

  it('is noted at most once a minute', async () => {
    const user = await join('viewer');
    const { token, info } = await make(user, 'read');
    const lastUsed = async () => (await list(user))[0].last_used;
    expect(await lastUsed()).toBeUndefined();
    await read(token);
    const first = await lastUsed();
    expect(first).toBeDefined();
    await read(token);
    expect(await lastUsed()).toBe(first);
    await sql("update shared.personal_tokens set last_used = now() - interval '2 min' where id = $1", [
      info.id,
    ]);
    await read(token);
    expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(Date.parse(first));
  });
});

describe('ending one', () => {
  it('ends it with the next request: by revocation, which others cannot do', async () => {
    const user = await join('viewer');
    const { token, info } = await make(user, 'read');
    expect((await t.api.delete(`/profile/tokens/${info.id}`, org.owner)).refusal).toBe(
      '404 resource_error/not_found',
    );
    expect((await read(token)).status).toBe(200);
    expect((await t.api.delete(`/profile/tokens/${info.id}`, user)).status).toBe(204);
    expect(outcome(await read(token))).toEqual(INVALID);
    expect(securityEvents('token_revoked').at(-1)).toMatchObject({ token: info.id, personal: true });
  });

  it('ends it with the next request: when its owner loses the role or leaves', async () => {
    const user = await join('member');
    const { token } = await make(user, 'triage');
    must(await triage(token));
    const member = `/members/${user.id}`;
    must(await t.api.patch(member, { ...org.asOwner, body: { role: 'viewer' } }));
    expect(outcome(await triage(token))).toEqual([403, 'permission_error/denied']);
    expect((await read(token)).status).toBe(200);
    must(await t.api.delete(member, org.asOwner));
    expect(outcome(await read(token))).toEqual([403, 'tenant_error/not_member']);
    must(
      await t.api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role: 'viewer' } }),
    );
    expect((await read(token)).status).toBe(200);
  });

  it('ends it when the password is reset by mail, but not when it is changed', async () => {
    const user = await join('viewer');
    const { token } = await make(user, 'read');
    const body = { current_password: PASSWORD, new_password: 'Another2battery' };
    must(await t.api.post('/auth/change-password', { cookie: user.cookie, body }));
    expect((await read(token)).status).toBe(200);
    must(await t.api.post('/auth/forgot-password', { body: { email: user.email } }));
    const link = await linkTo(t, user.email);
    must(await t.api.post('/auth/reset-password', { body: { token: link.token, password: PASSWORD } }));
    expect(outcome(await read(token))).toEqual(INVALID);
  });

  it('ends it when an operator disables the account', async () => {
    const user = await join('viewer');
    const { token } = await make(user, 'read');
    await sql('update shared.users set disabled_at = now() where id = $1', [user.id]);
    expect(outcome(await read(token))).toEqual(INVALID);
    await sql('update shared.users set disabled_at = null where id = $1', [user.id]);
    expect((await read(token)).status).toBe(200);
    await disableUser(t.services.database, silentLog, user.email);
    expect(await sql('select 1 from shared.personal_tokens where user_id = $1', [user.id])).toHaveLength(0);
  });
});

describe('a token of the organization', () => {
  const makeOrgToken = async (...scopes: string[]) => {
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    return must(await t.api.post('/tokens', { ...org.asOwner, body: { name: 'nightly', scopes } }));
  };

  it('is the actor of what it changes, and undoes its own changes only', async () => {
    const { token, info } = await makeOrgToken('triage');
    expect(info.scopes).toEqual(['triage']);
    const as = { token, org: org.slug };
    must(await triage(token, 'wontfix'));
    const actor = { type: 'token', id: info.id, name: 'nightly' };
    const [latest] = must(await t.api.get(`/findings/${findingId}/activity?page=1`, as));
    expect(latest).toMatchObject({ kind: 'status', to: 'wontfix', actor });
    const [mine] = must(await t.api.get('/changes?page=1', as));
    expect(mine.actor).toEqual(actor);
    must(await t.api.post(`/changes/${mine.id}/undo`, as));
    must(await t.api.patch(`/findings/${findingId}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const [theirs] = must(await t.api.get('/changes?page=1', org.asOwner));
    expect((await t.api.post(`/changes/${theirs.id}/undo`, as)).refusal).toBe('403 permission_error/denied');
  });

  it('is no person: nothing is assigned to it, and it has no views', async () => {
    const { token } = await makeOrgToken('admin');
    const as = { token, org: org.slug };
    expect((await t.api.get('/findings?assignee=me', as)).error).toBe('validation_error/invalid_request');
    const view = { name: 'mine', query: 'status=open' };
    expect((await t.api.post('/views', { ...as, body: { ...view, shared: true } })).refusal).toBe(
      '403 token_error/scope_mismatch',
    );
    must(await t.api.post('/views', { ...org.asOwner, body: { ...view, shared: false } }));
    expect(must(await t.api.get('/views', as))).toEqual([]);
  });

  it('of a project administers nothing', async () => {
    const path = `/projects/${org.projectId}/tokens`;
    const body = { name: 'x', scopes: ['admin'] };
    expect((await t.api.post(path, { ...org.asOwner, body })).badFields).toEqual(['scopes.0']);
  });
});
