import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, createOrg, createUser, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { type Browser, call, newBrowser } from '../support/sso/browser.ts';
import { codeOf, type Liar, startLiar } from '../support/sso/liar.ts';

/* Providers that lie, are slow or were taken over, and browsers that did not start what they end. */

const REFUSED = '401 auth_error/invalid_credentials';
const MINUTE = 60_000;
const EVERYONE = [{ group: 'everyone', role: 'viewer' }];

let t: TestApp;
let org: TestOrg;
let liar: Liar;
let connection: string;
let count = 0;

const connect = async (issuer: string, body: object = {}) =>
  must(
    await t.api.post('/settings/connections', {
      ...org.asOwner,
      body: {
        ...{ name: 'Login', issuer, client_id: 'svc-findings', client_secret: 'secret' },
        role_mapping: EVERYONE,
        ...body,
      },
    }),
  ).id;

/** Begins a sign-in. */
async function begin(browser: Browser, query = `connection=${connection}`) {
  const started = await call(t, browser, 'get', `/auth/sso/start?${query}`);
  if (started.status !== 302) throw new Error(started.text);
  const url = new URL(started.headers.get('location') ?? '');
  return { state: url.searchParams.get('state') ?? '', nonce: url.searchParams.get('nonce') ?? '', url };
}

const person = (claims: object = {}) => ({
  sub: `p-${++count}`,
  email: `p-${count}@acme.example`,
  groups: ['everyone'],
  ...claims,
});

/** Ends it. */
const end = (
  browser: Browser,
  { state, nonce, ...others }: { state: string; nonce: string; [name: string]: unknown },
  claims: object = person(),
  headers: Record<string, string> = {},
) => {
  const { url: _, ...more } = others;
  const query = new URLSearchParams({
    ...{ code: codeOf({ nonce, ...claims }), state, iss: liar.issuer },
    ...(more as Record<string, string>),
  });
  return call(t, browser, 'get', `/auth/sso/callback?${query}`, { headers });
};

async function signIn(claims: object = person()): Promise<Answer> {
  const browser = newBrowser();
  return end(browser, await begin(browser), claims);
}

beforeAll(async () => {
  t = await startApp({ env: { SVC_SSO_ALLOW_HTTP: 'on' } });
  org = await createOrg(t.api);
});

beforeEach(async () => {
  // An organization has at most 20.
  await t.services.database.sql.unsafe('delete from shared.sso_connections');
  liar = await startLiar();
  connection = await connect(liar.issuer);
});

describe('a lying provider', () => {
  it('that does not lie signs in', async () => {
    const answer = await signIn();
    expect([answer.status, answer.cookie]).toEqual([302, expect.any(String)]);
  });

  it.each<[string, Liar['lies']]>([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://issuer.example' } }],
    ['another audience', { claims: { aud: 'another client' } }],
    ['further audiences that it authorized', { claims: { aud: ['svc-findings', 'x'], azp: 'x' } }],
    ['an ID token that has expired', { claims: { exp: 1_700_000_000 } }],
    ['an ID token of the future', { claims: { nbf: 4_000_000_000 } }],
    ['no signature', { sign: 'none' }],
    ['a signature by the client secret', { sign: 'HS256' }],
    ['a signature by a key that it does not have', { sign: 'other key' }],
    ['a key that does not exist', { header: { kid: 'unknown' } }],
    ['no subject', { claims: { sub: undefined } }],
    ['an empty subject', { claims: { sub: '' } }],
    ['UserInfo of another person', { claims: { groups: undefined }, userInfo: { sub: 'somebody else' } }],
    ['no address', { claims: { email: undefined } }],
    ['an address with markup', { claims: { email: '"><script>"@acme.example' } }],
    [
      'no signature, and says so before',
      { sign: 'none', discovery: { id_token_signing_alg_values_supported: ['none'] } },
    ],
    ['the configuration of another issuer', { discovery: { issuer: 'https://issuer.example' } }],
    ['no token endpoint', { discovery: { token_endpoint: undefined } }],
    ['a key that is none', { answer: { '/jwks': (response) => response.end('{"keys":[null]}') } }],
    ['no page to sign in', { discovery: { authorization_endpoint: undefined } }],
  ])('with %s is refused', async (_, lies) => {
    const browser = newBrowser();
    liar.lies = lies;
    const started = await call(t, browser, 'get', `/auth/sso/start?connection=${connection}`);
    if (started.status !== 302) return expect(started.refusal).toBe('409 resource_error/conflict');
    const { searchParams } = new URL(started.headers.get('location') ?? '');
    const answer = await end(browser, {
      state: searchParams.get('state') ?? '',
      nonce: searchParams.get('nonce') ?? '',
    });
    expect(answer.refusal).toBe(REFUSED);
    expect(answer.cookie).toBeUndefined();
  });

  it('that rotates its keys still signs in', async () => {
    expect((await signIn()).status).toBe(302);
    await liar.rotate();
    // Unknown keys are asked for once a minute: a flood of tokens causes no flood of requests.
    const before = liar.calls.filter((path) => path === '/jwks').length;
    const answers = [(await signIn()).status, (await signIn()).status];
    expect(liar.calls.filter((path) => path === '/jwks').length - before).toBeLessThanOrEqual(2);
    expect(answers.every((status) => status === 302 || status === 401)).toBe(true);
  });

  it('that names private addresses for its endpoints reaches none', async () => {
    liar.lies = { discovery: { token_endpoint: 'https://169.254.169.254/token' } };
    const answer = await signIn();
    expect(answer.refusal).toBe('409 resource_error/conflict');
    expect(answer.text).toContain('private address');
  });

  it('that refuses the client says so', async () => {
    liar.lies = {
      answer: {
        '/token': (response) => {
          response.writeHead(401, { 'www-authenticate': 'Basic', 'content-type': 'application/json' });
          response.end('{"error":"invalid_client"}');
        },
      },
    };
    const answer = await signIn();
    expect(answer.refusal).toBe(REFUSED);
    expect(answer.text).toContain('check its id and secret');
  });

  it('that writes null for what it does not have, and has odd keys, signs in', async () => {
    liar.lies = { discovery: { userinfo_endpoint: null, end_session_endpoint: 5 } };
    expect((await signIn()).status).toBe(302);
  });

  it('that redirects is not followed', async () => {
    liar.lies = {
      answer: {
        '/token': (response) => {
          response.writeHead(302, { location: 'http://127.0.0.1:1/token' });
          response.end();
        },
      },
    };
    expect((await signIn()).refusal).toBe(REFUSED);
  });

  it('that answers too much is refused', async () => {
    liar.lies = {
      answer: {
        '/token': (response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(`{"a":"${'x'.repeat(2_000_000)}"}`);
        },
      },
    };
    const answer = await signIn();
    expect(answer.text).toContain('larger than 1 MiB');
  });

  it('that does not answer is given up after 10 seconds', async () => {
    liar.lies = { answer: { '/token': () => {} } };
    const begun = Date.now();
    const answer = await signIn();
    expect(answer.refusal).toBe('409 resource_error/conflict');
    expect(answer.text).toContain('did not answer within 10 seconds');
    expect(Date.now() - begun).toBeLessThan(13_000);
  }, 20_000);
});

describe('a callback', () => {
  it('in another browser, without a state, or with a changed one is refused', async () => {
    const browser = newBrowser();
    const begun = await begin(browser);
    expect((await end(newBrowser(), begun)).refusal).toBe(REFUSED);
    expect((await end(browser, { ...begun, state: '' })).refusal).toBe(REFUSED);
    expect((await end(browser, { ...begun, state: `${begun.state}x` })).refusal).toBe(REFUSED);
    expect((await end(browser, begun)).status).toBe(302);
  });

  it('works once, also when it is sent twice at the same instant', async () => {
    const browser = newBrowser();
    const begun = await begin(browser);
    const cookies = new Map(browser.cookies);
    const who = person();
    const both = await Promise.all([end(browser, begun, who), end({ ...browser, cookies }, begun, who)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([302, 401]);
    expect((await end({ ...browser, cookies }, begun, who)).refusal).toBe(REFUSED);
  });

  it('after 10 minutes is refused', async () => {
    const browser = newBrowser();
    const begun = await begin(browser);
    t.advance(10 * MINUTE);
    expect((await end(browser, begun)).refusal).toBe(REFUSED);
    t.advance(-10 * MINUTE);
  });

  it('of another issuer, or without one that was announced, is refused (mix-up)', async () => {
    const other = await startLiar();
    const browser = newBrowser();
    expect((await end(browser, { ...(await begin(browser)), iss: other.issuer })).refusal).toBe(REFUSED);
    const begun = await begin(browser);
    const query = new URLSearchParams({
      code: codeOf({ nonce: begun.nonce, ...person() }),
      state: begun.state,
    });
    expect((await call(t, browser, 'get', `/auth/sso/callback?${query}`)).refusal).toBe(REFUSED);
    expect(other.calls).toEqual([]);
  });

  it('of a provider that refused says so', async () => {
    const browser = newBrowser();
    const { state } = await begin(browser);
    const query = new URLSearchParams({ error: 'access_denied', state, iss: liar.issuer });
    const answer = await call(t, browser, 'get', `/auth/sso/callback?${query}`);
    expect(answer.refusal).toBe(REFUSED);
    expect(answer.text).toContain('access_denied');
  });

  it('sends a browser to the sign-in page, which says why', async () => {
    const answer = await t.api.get('/auth/sso/callback?state=x', { headers: { accept: 'text/html,*/*' } });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login?sso_error=expired']);
  });

  it('ignores parameters that providers add', async () => {
    const browser = newBrowser();
    expect((await end(browser, { ...(await begin(browser)), session_state: 'x', hd: 'y' })).status).toBe(302);
  });
});

describe('the start of a sign-in', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/%0d%0aset-cookie',
    'javascript:alert(1)',
    '/\t/evil.example',
    'findings',
  ])('with return_to %s goes to no other site', async (to) => {
    const query = `connection=${connection}&return_to=${encodeURIComponent(to)}`;
    const answer = await t.api.get(`/auth/sso/start?${query}`);
    if (answer.status === 302) {
      const browser = newBrowser();
      const ended = await end(browser, await begin(browser, query));
      expect(new URL(ended.headers.get('location') ?? '', 'http://a.invalid').origin).toBe(
        'http://a.invalid',
      );
    } else expect(answer.refusal).toBe('400 validation_error/invalid_request return_to');
  });

  it('asks the provider by PKCE, with a nonce, for a code', async () => {
    const { url } = await begin(newBrowser());
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', client_id: 'svc-findings' },
      scope: 'openid email profile',
      redirect_uri: 'http://localhost:8080/api/v1/auth/sso/callback',
      state: expect.stringMatching(/^.{43}$/),
    });
  });

  it('by an unknown connection, organization or address is 404', async () => {
    for (const query of [
      `connection=${crypto.randomUUID()}`,
      'org=no-such-organization',
      'email=somebody@nowhere.example',
      '',
    ])
      expect((await t.api.get(`/auth/sso/start?${query}`)).refusal).toBe('404 resource_error/not_found');
  });

  it('reads the configuration of a provider once in 10 minutes', async () => {
    await begin(newBrowser());
    await begin(newBrowser());
    expect(liar.calls).toEqual(['/.well-known/openid-configuration']);
  });
});

describe('an address', () => {
  it('that an account has is not enough, verified or not', async () => {
    const user = await createUser(t.api);
    for (const email_verified of [true, false, undefined]) {
      const answer = await signIn(person({ email: user.email, email_verified }));
      expect(answer.refusal).toBe('409 resource_error/conflict');
      expect(answer.cookie).toBeUndefined();
    }
  });

  it('that another organization knows is not known here', async () => {
    const who = person();
    expect((await signIn(who)).status).toBe(302);
    const other = await createOrg(t.api);
    const { id } = must(
      await t.api.post('/settings/connections', {
        ...other.asOwner,
        body: { name: 'Same', issuer: liar.issuer, client_id: 'svc-findings', role_mapping: EVERYONE },
      }),
    );
    const browser = newBrowser();
    const answer = await end(browser, await begin(browser, `connection=${id}`), who);
    expect(answer.refusal).toBe('409 resource_error/conflict');
  });

  it('of a private account at Google is not vouched for', async () => {
    await t.services.database.sql.unsafe('delete from shared.sso_connections');
    liar = await startLiar('https://accounts.google.com');
    const { fetch } = t.services.outbound;
    liar.serve(t.services.outbound);
    const { id } = must(
      await t.api.post('/settings/domains', { ...org.asOwner, body: { domain: 'corp.example' } }),
    );
    await t.services.database.sql.unsafe('update shared.org_domains set verified_at = now() where id = $1', [
      id,
    ]);
    const body = { domains: ['corp.example'], default_role: 'viewer', role_mapping: [] };
    connection = await connect(liar.issuer, body);
    const who = { ...person(), email: 'left@corp.example', email_verified: true };
    expect((await signIn(who)).refusal).toBe('403 permission_error/denied');
    expect((await signIn({ ...who, hd: 'other.example' })).refusal).toBe('403 permission_error/denied');
    expect((await signIn({ ...who, hd: 'corp.example' })).status).toBe(302);
    t.services.outbound.fetch = fetch;
  });

  it('of two providers makes one account, which the second does not get', async () => {
    const who = person();
    expect((await signIn(who)).status).toBe(302);
    const first = liar;
    liar = await startLiar();
    connection = await connect(liar.issuer);
    expect((await signIn({ ...who })).refusal).toBe('409 resource_error/conflict');
    liar = first;
  });

  it('that nobody verified cannot be registered over', async () => {
    const who = person({ email_verified: false });
    expect((await signIn(who)).status).toBe(302);
    const answer = await t.api.post('/auth/register', {
      body: { email: who.email, password: 'Correct1horse', name: 'Eve' },
    });
    expect(answer.refusal).toBe('409 resource_error/already_exists');
  });
});

describe('a connection', () => {
  it.each([
    ['http://login.acme.example', 'plain http'],
    ['https://127.0.0.1', 'loopback'],
    ['https://[::1]/', 'loopback'],
    ['https://10.0.0.1/realms/x', 'a private network'],
    ['https://169.254.169.254', 'metadata'],
    ['https://168.63.129.16', 'metadata of Azure'],
    ['https://[::ffff:10.0.0.1]/', 'a private network in IPv6'],
    ['https://[::10.0.0.1]/', 'a private network in IPv6, without a prefix'],
    ['https://[4000::1]/', 'an address that nobody has'],
    ['https://localhost', 'this machine'],
    ['https://user:pass@login.acme.example', 'a password'],
    ['https://login.microsoftonline.com/common/v2.0', 'every tenant'],
    ['https://login.acme.example?x=1', 'a query'],
    ['nothing', 'no address'],
  ])('to %s is refused (%s)', async (issuer) => {
    const answer = await t.api.post('/settings/connections', {
      ...org.asOwner,
      body: { name: 'Login', issuer, client_id: 'x' },
    });
    expect(answer.refusal).toBe('400 validation_error/field_invalid issuer');
  });
});
