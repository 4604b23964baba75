import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { orgs } from '../../db/schema/orgs.ts';
import { parseConfig } from '../../lib/config/parse.ts';
import { createApi, createOrg, PASSWORD, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const METRICS_TOKEN = 'c'.repeat(32);
const SECRETS = { JWT_SECRET: 'a'.repeat(32), SVC_ENCRYPTION_KEY: 'b'.repeat(32) };

let t: TestApp;
/** Strict, on a base domain whose public address is https by default. */
let strict: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({ env: { SVC_BASE_DOMAIN: 'svc.test' } });
  strict = await startApp({
    databaseUrl: t.databaseUrl,
    env: {
      ...SECRETS,
      SVC_STRICT: 'on',
      SVC_AUTH_LIMITS: 'off',
      SVC_BASE_DOMAIN: 'svc.test',
      SVC_HSTS_SUBDOMAINS: 'on',
      SVC_METRICS_TOKEN: METRICS_TOKEN,
    },
  });
  const open = await startApp({ databaseUrl: t.databaseUrl });
  org = await createOrg(open.api);
  await t.services.database.db
    .update(orgs)
    .set({ customDomain: 'findings.acme.com' })
    .where(eq(orgs.id, org.id));
});

const over = (scheme: string, app: TestApp) =>
  createApi((request) => app.app.request(request), `${scheme}://svc.test`);

describe('/metrics', () => {
  const HOSTS = ['svc.test', '127.0.0.1:8080', '[::1]:8080', 'localhost', 'svc:8080', 'findings.acme.com'];
  const statusAt = async (app: TestApp, host: string, authorization?: string) =>
    (await app.api.get('//metrics', { host, headers: authorization === undefined ? {} : { authorization } }))
      .status;

  it('is closed in strict mode without a token of its own, whatever host is named', async () => {
    const closed = await startApp({
      databaseUrl: t.databaseUrl,
      env: { ...SECRETS, SVC_STRICT: 'on', SVC_BASE_DOMAIN: 'svc.test' },
    });
    for (const host of [...HOSTS, `${org.slug}.svc.test`]) {
      expect([host, await statusAt(closed, host)]).toEqual([host, 404]);
      expect([host, await statusAt(closed, host, 'Bearer undefined')]).toEqual([host, 404]);
      expect([host, await statusAt(strict, host)]).toEqual([host, 404]);
      expect([host, await statusAt(strict, host, `Bearer ${METRICS_TOKEN}`)]).toEqual([host, 200]);
      expect([host, await statusAt(t, host)]).toEqual([host, 200]);
    }
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    METRICS_TOKEN,
    `Basic ${METRICS_TOKEN}`,
    `Bearer ${METRICS_TOKEN.slice(1)}`,
    `Bearer ${METRICS_TOKEN}c`,
    `Bearer ${METRICS_TOKEN} ${METRICS_TOKEN}`,
  ])('is not opened by %j', async (authorization) =>
    expect(await statusAt(strict, 'svc.test', authorization)).toBe(404),
  );

  it('needs the token in default mode too, once there is one, and is no way in for tokens of organizations', async () => {
    const tokened = await startApp({
      databaseUrl: t.databaseUrl,
      env: { SVC_METRICS_TOKEN: METRICS_TOKEN },
    });
    expect(await statusAt(tokened, 'localhost')).toBe(404);
    expect(await statusAt(tokened, 'localhost', `Bearer ${org.token}`)).toBe(404);
    expect(await statusAt(tokened, 'localhost', `bearer ${METRICS_TOKEN}`)).toBe(200);
  });

  it.each(['short', 'a'.repeat(31)])('has no token that can be guessed in strict mode: %s', async (token) =>
    expect(() =>
      parseConfig({ ...SECRETS, SVC_STRICT: 'on', SVC_SMTP_URL: 'smtp://mail', SVC_METRICS_TOKEN: token }),
    ).toThrow(/^SVC_METRICS_TOKEN: the value given is not allowed/m),
  );
});

describe('the session cookie', () => {
  const login = (app: TestApp, scheme: string) =>
    over(scheme, app).post('/auth/login', { body: { email: org.owner.email, password: PASSWORD } });

  it('is Secure in strict mode when the public address is https, also behind a proxy that does not tell', async () => {
    expect((await login(strict, 'http')).headers.get('set-cookie')).toMatch(/; Secure/);
    expect((await login(t, 'http')).headers.get('set-cookie')).not.toMatch(/; Secure/);
    expect((await login(t, 'https')).headers.get('set-cookie')).toMatch(/; Secure/);
  });

  it('shares that with the device cookie', async () => {
    const limited = await startApp({
      databaseUrl: t.databaseUrl,
      env: { ...SECRETS, SVC_STRICT: 'on', SVC_BASE_DOMAIN: 'svc.test' },
    });
    const cookies = (await login(limited, 'http')).headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=', 1)[0]).sort()).toEqual(['svc_device', 'svc_token']);
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure/);
  });
});

describe('Strict-Transport-Security', () => {
  it('covers subdomains only by setting', async () => {
    const hsts = async (app: TestApp) =>
      (await over('https', app).get('/config/auth')).headers.get('strict-transport-security');
    expect(await hsts(t)).toBe('max-age=31536000');
    expect(await hsts(strict)).toBe('max-age=31536000; includeSubDomains');
  });
});

describe('a page of plain HTTP on the own host', () => {
  const ask = (app: TestApp, scheme: string, origin: string) =>
    over(scheme, app).post('/auth/logout', { headers: { origin, host: 'svc.test' } });

  it('cannot use the API of a service that is reached over HTTPS', async () => {
    for (const answer of [
      await ask(t, 'https', 'http://svc.test'),
      await ask(strict, 'http', 'http://svc.test'),
    ])
      expect([answer.status, answer.error]).toEqual([403, 'permission_error/denied']);
  });

  it('can where all is plain HTTP, as can a page of HTTPS behind a proxy that is not trusted', async () => {
    expect((await ask(t, 'http', 'http://svc.test')).status).toBe(200);
    expect((await ask(t, 'http', 'https://svc.test')).status).toBe(200);
    expect((await ask(strict, 'http', 'https://svc.test')).status).toBe(200);
  });
});

describe('a page of plain HTTP on a subdomain', () => {
  const origin = 'http://evil.svc.test';
  const ask = (app: TestApp, scheme: string) =>
    over(scheme, app).post('/auth/logout', { headers: { origin } });

  it('cannot use the API of a service that is reached over HTTPS', async () => {
    for (const answer of [await ask(t, 'https'), await ask(strict, 'http')]) {
      expect([answer.status, answer.error]).toEqual([403, 'permission_error/denied']);
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    }
  });

  it('can where all is plain HTTP', async () => {
    const answer = await ask(t, 'http');
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });
});
