import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../lib/logger.ts';
import { type Answer, type CallOptions, createUser, must, type TestUser } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/** On one host, without a base domain. */
let t: TestApp;
/** The same database, on the base domain svc.test. */
let based: TestApp;
let ada: TestUser;
let mallory: TestUser;
/** Mallory's, from before. */
let expired: string;
/** Another service's, of the same name. */
let foreign: string;
const lines: string[] = [];

beforeAll(async () => {
  t = await startApp();
  const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  based = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_BASE_DOMAIN: 'svc.test' }, log });
  [ada, mallory] = [await createUser(t.api, 'Ada'), await createUser(t.api, 'Mallory')];
  const claims = { userId: mallory.id, id: crypto.randomUUID() };
  expired = await t.services.signedTokens.sign('session', claims, new Date(Date.now() - 25 * 60 * 60_000));
  const other = await startApp({ databaseUrl: t.databaseUrl, env: { JWT_SECRET: 'of another service' } });
  foreign = await other.services.signedTokens.sign('session', claims, new Date());
});

const outcome = ({ status, error }: Answer) => [status, error];
const withCookies = (cookies: string, options: CallOptions = {}): CallOptions => ({
  host: 'svc.test',
  ...options,
  headers: { cookie: cookies, ...options.headers },
});
const NOT_AUTHENTICATED = [401, 'auth_error/not_authenticated'];

describe('a second session cookie', () => {
  // A page on evil.svc.test sets it for svc.test; browsers send the one with the longer path, or the older one, first.
  it.each([
    ['in front of it', () => `svc_token=${mallory.cookie}; svc_token=${ada.cookie}`],
    ['behind it', () => `svc_token=${ada.cookie}; svc_token=${mallory.cookie}`],
    ['among others', () => `a=b; svc_token=${ada.cookie}; svc_tokens=x;svc_token=${mallory.cookie};`],
    ['in quotes', () => `svc_token=${ada.cookie}; svc_token="${mallory.cookie}"`],
    ['with spaces', () => `svc_token = ${ada.cookie} ;\tsvc_token\t=\t${mallory.cookie}`],
    [
      'behind many',
      () => `${'svc_token=x.y.z; '.repeat(40)}svc_token=${mallory.cookie}; svc_token=${ada.cookie}`,
    ],
  ])('does not take the place of the first, %s', async (_, cookies) => {
    for (const path of ['/auth/me', '/auth/session', '/orgs', '/profile/sessions']) {
      const answer = await based.api.get(path, withCookies(cookies()));
      expect(outcome(answer)).toEqual(NOT_AUTHENTICATED);
      expect(answer.json.errors[0].message).toContain('several sessions');
    }
    const made = await based.api.post('/orgs', withCookies(cookies(), { body: { name: 'Forged' } }));
    expect(outcome(made)).toEqual(NOT_AUTHENTICATED);
  });

  it('is written to the log', async () => {
    const requestId = 'two-cookies';
    const cookies = `svc_token=${ada.cookie}; svc_token=${mallory.cookie}`;
    await based.api.get('/auth/me', withCookies(cookies, { headers: { 'x-request-id': requestId } }));
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.request_id === requestId);
    expect(logged).toContainEqual(expect.objectContaining({ level: 'warn', users: [ada.id, mallory.id] }));
  });

  it.each([
    ['the same once more', () => ada.cookie],
    ['another service’s', () => foreign],
    ['one whose time is over', () => expired],
    ['nothing at all', () => ''],
    ['garbage', () => 'x.y.z'],
    [
      'an MFA token',
      () => t.services.signedTokens.sign('mfa', { userId: mallory.id, id: mallory.id }, new Date()),
    ],
  ])('is no matter when it is %s', async (_, other) => {
    for (const cookies of [
      `svc_token=${await other()}; svc_token=${ada.cookie}`,
      `svc_token=${ada.cookie}; svc_token=${await other()}`,
    ]) {
      expect(must(await based.api.get('/auth/me', withCookies(cookies))).user.id).toBe(ada.id);
    }
  });

  it('of an old session is told as such when nothing else is there', async () => {
    const answer = await based.api.get('/auth/me', withCookies(`svc_token=${foreign}; svc_token=${expired}`));
    expect(outcome(answer)).toEqual([401, 'auth_error/session_revoked']);
  });

  it('is cleared wherever it may be, so that the next request has the first alone', async () => {
    const jar = browser('https://acme.svc.test');
    jar.set('.svc.test', '/', ada.cookie);
    for (const [domain, path] of STRAYS) jar.set(domain, path, mallory.cookie);
    const path = '/api/v1/profile/emails';
    expect(jar.cookiesFor(path)).toHaveLength(1 + STRAYS.length);
    const host = 'acme.svc.test';
    const refused = await based.api.get('/profile/emails', withCookies(jar.header(path), { host }));
    expect(outcome(refused)).toEqual(NOT_AUTHENTICATED);
    for (const line of refused.headers.getSetCookie()) jar.take(line);
    expect(jar.cookiesFor(path)).toEqual([ada.cookie]);
    expect((await based.api.get('/profile/emails', withCookies(jar.header(path), { host }))).status).toBe(
      200,
    );
  });

  it('is cleared without a base domain too', async () => {
    const jar = browser('https://findings.corp.example');
    jar.set(undefined, '/', ada.cookie);
    for (const [domain, path] of [
      ['corp.example', '/'],
      ['findings.corp.example', '/api'],
    ] as const)
      jar.set(domain, path, mallory.cookie);
    const host = 'findings.corp.example:8443';
    const refused = await t.api.get('/auth/me', withCookies(jar.header('/api/v1/auth/me'), { host }));
    expect(outcome(refused)).toEqual(NOT_AUTHENTICATED);
    for (const line of refused.headers.getSetCookie()) jar.take(line);
    expect(jar.cookiesFor('/api/v1/auth/me')).toEqual([ada.cookie]);
  });

  it('is ended and cleared by logging out, and so is the first', async () => {
    const [one, two] = [await createUser(t.api), await createUser(t.api)];
    const cookies = `svc_token=${two.cookie}; svc_token=${one.cookie}`;
    const answer = await based.api.post('/auth/logout', withCookies(cookies));
    const set = answer.headers.getSetCookie();
    expect(set[0]).toMatch(/^svc_token=; Max-Age=0; Domain=\.svc\.test; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(set).toContainEqual(
      expect.stringMatching(/^svc_token=; Max-Age=0; Domain=svc\.test; Path=\/api$/),
    );
    for (const { cookie } of [one, two])
      expect(outcome(await t.api.get('/auth/me', { cookie }))).toEqual([401, 'auth_error/session_revoked']);
  });

  it('is not looked for where nobody has to be signed in', async () => {
    const cookies = `svc_token=${ada.cookie}; svc_token=${mallory.cookie}`;
    expect((await based.api.get('/config/auth', withCookies(cookies))).status).toBe(200);
  });

  it('is cleared by a few requests where the places are too many for one answer', async () => {
    const host = 'acme.findings.eu.corp.example';
    const path = `/api/v1/findings/${crypto.randomUUID()}/exploits/${crypto.randomUUID()}`;
    const jar = browser(`https://${host}`);
    jar.set(undefined, '/', ada.cookie);
    for (const domain of ['corp.example', 'eu.corp.example', host])
      for (const place of ['/', '/api', '/api/v1/', path]) jar.set(domain, place, mallory.cookie);
    for (let i = 0; jar.cookiesFor(path).length > 1 && i < 100; i++) {
      const headers = { cookie: jar.header(path), host, 'x-org-slug': 'acme' };
      const refused = await t.app.request(path, { headers });
      expect(refused.status).toBe(401);
      expect([...refused.headers].join('\r\n').length).toBeLessThan(3_800);
      for (const line of refused.headers.getSetCookie()) jar.take(line);
    }
    expect(jar.cookiesFor(path)).toEqual([ada.cookie]);
  });

  it('costs little, however many there are', async () => {
    const [head, payload] = ada.cookie.split('.');
    const verify = vi.spyOn(based.services.signedTokens, 'verify');
    const cookies = Array.from(
      { length: 150 },
      (_, i) => `svc_token=${head}.${payload}${i}.${`${i}`.padStart(43, 'x')}`,
    ).join('; ');
    const answer = await based.api.get('/auth/me', withCookies(`${cookies}; svc_token=${ada.cookie}`));
    expect(outcome(answer)).toEqual(NOT_AUTHENTICATED);
    expect(answer.json.errors[0].message).toContain('several sessions');
    expect(answer.headers.getSetCookie().length).toBeGreaterThan(3);
    expect(verify.mock.calls.length).toBeLessThanOrEqual(8);
    verify.mockRestore();
  });

  it('costs little, however long the host and the path are', async () => {
    const host = `${'a.'.repeat(3_000)}svc.test`;
    const cookies = `svc_token=${ada.cookie}; svc_token=${mallory.cookie}`;
    const began = performance.now();
    const path = `/orgs${'/a'.repeat(3_000)}`;
    await based.api.get(path, withCookies(cookies, { host }));
    const answer = await based.api.get('/auth/me', withCookies(cookies, { host }));
    expect(outcome(answer)).toEqual(NOT_AUTHENTICATED);
    expect(performance.now() - began).toBeLessThan(limit(500));
  });
});

describe('one session cookie', () => {
  it('is set and cleared in one place, with nothing beside it', async () => {
    const person = {
      email: `one-${crypto.randomUUID()}@example.com`,
      password: 'Correct1horse',
      name: 'Ada',
    };
    const registered = await based.api.post('/auth/register', { host: 'svc.test', body: person });
    expect(registered.headers.getSetCookie()).toHaveLength(1);
    const left = await based.api.post('/auth/logout', { host: 'svc.test', cookie: registered.cookie });
    expect(left.headers.getSetCookie()).toHaveLength(1);
  });
});

/** Where a page on another subdomain, or on acme's own, can put a cookie that goes with a request for e-mails. */
const STRAYS = [
  ['svc.test', '/api'],
  ['svc.test', '/api/'],
  ['svc.test', '/api/v1/profile'],
  ['svc.test', '/api/v1/profile/emails'],
  ['acme.svc.test', '/'],
  [undefined, '/'],
] as const;

/** As much of a browser's cookie jar as matters here (RFC 6265, 5.3 and 5.4), on one host. */
function browser(origin: string) {
  const { hostname } = new URL(origin);
  const jar = new Map<string, { path: string; value: string }>();
  const key = (domain: string | undefined, path: string) =>
    `${domain?.replace(/^\./, '') ?? `only ${hostname}`} ${path}`;
  const matches = (path: string, asked: string) =>
    asked === path || (asked.startsWith(path) && (path.endsWith('/') || asked[path.length] === '/'));
  return {
    set(domain: string | undefined, path: string, value: string) {
      jar.set(key(domain, path), { path, value });
    },
    /** Does as a Set-Cookie says that ends a cookie. */
    take(line: string) {
      const attribute = (name: string) => new RegExp(`; ${name}=([^;]*)`).exec(line)?.[1];
      expect(line).toMatch(/^svc_token=; Max-Age=0;/);
      jar.delete(key(attribute('Domain'), attribute('Path') ?? '/'));
    },
    cookiesFor: (path: string) =>
      [...jar.values()]
        .filter((cookie) => matches(cookie.path, path))
        .sort((a, b) => b.path.length - a.path.length)
        .map(({ value }) => value),
    header(path: string) {
      return this.cookiesFor(path)
        .map((value) => `svc_token=${value}`)
        .join('; ');
    },
  };
}
