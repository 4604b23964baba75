import { beforeAll, describe, expect, it } from 'vitest';
import { createOrg, must } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { signInBySso } from '../support/sso/browser.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/sso/provider.ts';

let t: TestApp;
let provider: TestProvider;
let count = 0;

const signIn = (email = `person-${++count}@acme.example`, claims: object = {}) => {
  provider.people.set(email, { email, name: 'Ada', ...claims });
  provider.next = { sub: email };
  return signInBySso(t, '');
};

beforeAll(async () => {
  provider = await startProvider();
  t = await startApp({
    env: {
      ...{ SVC_SSO_ALLOW_HTTP: 'on', SVC_SSO_ISSUER: provider.issuer, SVC_SSO_NAME: 'Acme login' },
      ...{ SVC_SSO_CLIENT_ID: CLIENT.client_id, SVC_SSO_CLIENT_SECRET: CLIENT.client_secret },
      SVC_SSO_DOMAINS: 'proven.example',
    },
  });
});

describe('the provider of the deployment', () => {
  it('is offered to everybody, and gives accounts without organizations', async () => {
    expect(must(await t.api.get('/auth/session')).sso).toEqual({ name: 'Acme login' });
    const { cookie } = await signIn();
    expect(must(await t.api.get('/auth/session', { cookie }))).toMatchObject({
      ...{ user: { name: 'Ada' }, orgs: [], session_connection: { name: 'Acme login' } },
    });
    const { connections } = must(await t.api.get('/profile/identities', { cookie }));
    expect(connections).toEqual([{ id: expect.any(String), name: 'Acme login', issuer: provider.issuer }]);
  });

  it('leads people of its domains by their address', async () => {
    const found = await t.api.get('/auth/sso/start?email=ada@proven.example');
    expect(found.headers.get('location')).toContain(provider.issuer);
    expect((await t.api.get('/auth/sso/start?email=ada@other.example')).status).toBe(404);
  });

  it('uses existing accounts of its domains, and tells them', async () => {
    const email = 'grace@proven.example';
    const registered = await t.api.post('/auth/register', {
      body: { email, password: 'Correct1horse', name: 'Grace' },
    });
    const { id } = must(registered).user;
    await t.services.database.sql.unsafe(
      'update shared.user_emails set verified_at = now() where email = $1',
      [email],
    );
    const { cookie } = await signIn(email);
    expect(must(await t.api.get('/auth/me', { cookie })).user.id).toBe(id);
    await t.services.mail.deliverDue();
    expect(t.mails.filter(({ recipient }) => recipient === email).map(({ subject }) => subject)).toContain(
      'A sign-in at a provider was connected to your account',
    );
    const org = await createOrg(t.api);
    const taken = await signIn(org.owner.email);
    expect(taken.refusal).toBe('409 resource_error/conflict');
  });

  it('does not open a closed registration, except to people of its domains', async () => {
    const set = (enabled: boolean) =>
      t.services.database.sql.unsafe(
        `update shared.feature_flags set enabled = $1 where name = 'invite_only'`,
        [enabled],
      );
    await set(true);
    expect((await signIn()).refusal).toBe('403 permission_error/denied');
    expect((await signIn(`person-${++count}@proven.example`)).status).toBe(302);
    await set(false);
  });
});
