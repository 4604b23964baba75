import { beforeAll, describe, expect, it } from 'vitest';
import { addMember, type CallOptions, createOrg, must, PASSWORD, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const KEY = 'an encryption key of the tests with 32 bytes';
const INPUT = {
  name: 'Login',
  issuer: 'https://login.acme.example/realms/acme',
  client_id: 'svc-findings',
  client_secret: 'the client secret',
};

let t: TestApp;
let org: TestOrg;

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const create = (body: object = INPUT, who: CallOptions = org.asOwner) =>
  t.api.post('/settings/connections', { ...who, body });
const change = (id: string, body: object) =>
  t.api.patch(`/settings/connections/${id}`, { ...org.asOwner, body });
const list = async (who: CallOptions = org.asOwner) => must(await t.api.get('/settings/connections', who));
const entries = async () => must(await t.api.get('/audit', org.asOwner));
const subjects = async () => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === org.owner.email).map(({ subject }) => subject);
};

beforeAll(async () => {
  t = await startApp({ env: { SVC_ENCRYPTION_KEY: KEY, SVC_MAX_MAILS_PER_HOUR: '1000' } });
  org = await createOrg(t.api);
});

describe('a connection', () => {
  it('has defaults, and never shows its secret', async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.result).toEqual({
      ...{ id: expect.any(String), name: 'Login', issuer: INPUT.issuer, client_id: 'svc-findings' },
      has_client_secret: true,
      scopes: ['openid', 'email', 'profile'],
      claims: { email: 'email', name: 'name', groups: 'groups' },
      ...{ domains: [], role_mapping: [], project_access: 'all' },
      ...{ enabled: true, require_sso: false, trust_mfa: false },
      redirect_uri: 'http://localhost:8080/api/v1/auth/sso/callback',
      backchannel_logout_uri: 'http://localhost:8080/api/v1/auth/sso/backchannel-logout',
      post_logout_redirect_uri: 'http://localhost:8080/login',
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    });
    expect(await list()).toEqual([answer.result]);
    const [row] = await sql('select client_secret from shared.sso_connections');
    expect(row?.client_secret).toMatch(/^v2\./);
    const log = await entries();
    expect(log[0]).toMatchObject({
      action: 'connection.created',
      target: { id: answer.result.id, name: 'Login' },
    });
    expect(JSON.stringify([log, t.mails])).not.toContain(INPUT.client_secret);
    expect((await subjects()).at(-1)).toMatch(/^A connection for single sign-on was added to/);
  });

  it('changes field by field', async () => {
    const { id } = must(await create({ ...INPUT, scopes: 'openid groups', default_role: null }));
    const changed = must(
      await change(id, {
        claims: { groups: 'roles' },
        domains: ['Acme.Example', 'acme.example'],
        role_mapping: [{ group: 'x', role: 'member' }],
        scopes: ['email'],
      }),
    );
    expect(changed).toMatchObject({
      claims: { email: 'email', name: 'name', groups: 'roles' },
      ...{ domains: ['acme.example'], scopes: ['openid', 'email'], name: 'Login' },
      role_mapping: [{ group: 'x', role: 'member' }],
    });
    expect(changed).not.toHaveProperty('default_role');
    const [entry] = await entries();
    expect(Object.keys(entry.changes).toSorted()).toEqual(['claims', 'domains', 'role_mapping', 'scopes']);
    expect(must(await change(id, { client_secret: null })).has_client_secret).toBe(false);
    expect((await entries())[0].changes).toEqual({ client_secret: { to: 'replaced' } });
    must(await change(id, { require_sso: true }));
    await t.services.mail.deliverDue();
    expect(t.mails.at(-1)?.text).toContain('Single sign-on required: on');
    expect((await t.api.delete(`/settings/connections/${id}`, org.asOwner)).status).toBe(204);
    expect((await entries())[0]).toMatchObject({ action: 'connection.deleted', target: { id } });
    expect((await change(id, { name: 'x' })).refusal).toBe('404 resource_error/not_found');
  });

  it('needs its secret again for another issuer', async () => {
    const { id } = must(await create());
    const issuer = 'https://other.acme.example';
    expect((await change(id, { issuer })).refusal).toBe('400 validation_error/field_required client_secret');
    expect(must(await change(id, { issuer, client_secret: 'new' })).issuer).toBe(issuer);
    expect((await change(id, { issuer: 'http://other.acme.example' })).badFields).toEqual(['issuer']);
  });

  it.each([
    [{ ...INPUT, name: '' }, 'name'],
    [{ ...INPUT, domains: ['not a domain'] }, 'domains.0'],
    [{ ...INPUT, role_mapping: [{ group: 'x', role: 'owner' }] }, 'role_mapping.0.role'],
    [{ ...INPUT, default_role: 'owner' }, 'default_role'],
    [{ ...INPUT, scopes: ['a b'] }, 'scopes'],
    [{ name: 'x' }, 'issuer'],
  ])('with %j is refused', async (body, field) => {
    expect((await create(body)).badFields).toContain(field);
  });

  it('is for owners, who have just signed in', async () => {
    const admin = await addMember(t.api, org, 'admin');
    expect((await create(INPUT, admin.as)).refusal).toBe('403 permission_error/denied');
    expect((await t.api.get('/settings/connections', admin.as)).refusal).toBe('403 permission_error/denied');
    t.advance(11 * 60_000);
    expect((await create()).refusal).toBe('403 permission_error/step_up_required');
    must(await t.api.post('/auth/step-up', { cookie: org.owner.cookie, body: { password: PASSWORD } }));
  });

  it('of another organization does not exist', async () => {
    const { id } = must(await create());
    const other = await createOrg(t.api);
    const path = `/settings/connections/${id}`;
    expect((await t.api.patch(path, { ...other.asOwner, body: { name: 'x' } })).status).toBe(404);
    expect((await t.api.delete(path, other.asOwner)).status).toBe(404);
    expect((await t.api.post(`${path}/test`, other.asOwner)).status).toBe(404);
    expect(await list(other.asOwner)).toEqual([]);
  });

  it('that does not answer cannot be tested', async () => {
    const { id } = must(await create({ ...INPUT, issuer: 'https://login.invalid' }));
    const answer = await t.api.post(`/settings/connections/${id}/test`, org.asOwner);
    expect(answer.refusal).toBe('409 resource_error/conflict');
    expect(answer.text).toContain('cannot be reached');
  });

  it('is one of 20', async () => {
    const full = await createOrg(t.api);
    for (let i = 0; i < 20; i++) must(await create(INPUT, full.asOwner));
    expect((await create(INPUT, full.asOwner)).refusal).toBe('409 resource_error/conflict');
  });
});

describe('a domain', () => {
  const add = async (domain: string, to = org) =>
    must(await t.api.post('/settings/domains', { ...to.asOwner, body: { domain } }));
  const verify = (id: string, to = org) => t.api.post(`/settings/domains/${id}/verify`, to.asOwner);
  const records = (...values: string[]) => {
    t.services.outbound.resolveTxt = async () => values;
  };

  it('is proven by its record', async () => {
    const made = await add('Proven.Example');
    expect(made).toEqual({
      ...{
        id: expect.any(String),
        domain: 'proven.example',
        verified: false,
        created_at: expect.any(String),
      },
      record: {
        ...{ type: 'TXT', name: '_svc-findings.proven.example' },
        value: expect.stringMatching(/^svc-findings=[0-9a-f]{32}$/),
      },
    });
    records('v=spf1 -all', 'svc-findings=0123');
    expect((await verify(made.id)).refusal).toBe('409 resource_error/conflict');
    records('v=spf1 -all', made.record.value);
    const proven = must(await verify(made.id));
    expect(proven).toEqual({ ...made, verified: true, verified_at: expect.any(String) });
    expect(must(await t.api.get('/settings/domains', org.asOwner))).toEqual([proven]);
    expect((await entries())[0]).toMatchObject({
      action: 'domain.verified',
      target: { name: 'proven.example' },
    });
    const path = `/settings/domains/${made.id}`;
    expect((await t.api.delete(path, org.asOwner)).status).toBe(204);
    expect((await t.api.delete(path, org.asOwner)).status).toBe(404);
  });

  it('belongs to the organization whose record is there', async () => {
    const other = await createOrg(t.api);
    const [mine, theirs] = [await add('moves.example'), await add('moves.example', other)];
    records(mine.record.value);
    must(await verify(mine.id));
    records(mine.record.value, theirs.record.value);
    expect((await verify(theirs.id, other)).refusal).toBe('409 resource_error/conflict');
    records(theirs.record.value);
    must(await verify(theirs.id, other));
    const domains = must(await t.api.get('/settings/domains', org.asOwner));
    expect(domains.find(({ id }: { id: string }) => id === mine.id).verified).toBe(false);
    await t.services.mail.deliverDue();
    const lost = t.mails.find(({ subject }) =>
      subject.startsWith('Another organization has proven a domain of'),
    );
    expect(lost?.recipient).toBe(org.owner.email);
    expect(lost?.text).not.toContain(other.slug);
  });

  it('is named once, and has two labels at least', async () => {
    await add('once.example');
    const again = (domain: string) => t.api.post('/settings/domains', { ...org.asOwner, body: { domain } });
    expect((await again('once.example')).refusal).toBe('409 resource_error/already_exists');
    for (const domain of ['example', 'a..b', '*.example.com', 'exa mple.com', 'https://example.com'])
      expect((await again(domain)).refusal).toBe('400 validation_error/field_invalid domain');
  });

  it('is one of 50', async () => {
    const full = await createOrg(t.api);
    for (let i = 0; i < 50; i++) await add(`d${i}.example`, full);
    const answer = await t.api.post('/settings/domains', { ...full.asOwner, body: { domain: 'x.example' } });
    expect(answer.refusal).toBe('409 resource_error/conflict');
  });
});
