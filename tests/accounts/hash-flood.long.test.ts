import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHashQueue, type HashQueueOptions } from '../../lib/accounts/passwords/hash-queue.ts';
import type { PasswordHasher } from '../../lib/accounts/passwords/passwords.ts';
import { createUser, PASSWORD } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { plainHasher } from '../support/server/hasher.ts';
import { startServer, stopServers } from '../support/server/server.ts';

const ATTACKER = { 'x-forwarded-for': '203.0.113.9' };
const USER = { 'x-forwarded-for': '198.51.100.7' };
const WRONG = 'Wrong1password';

describe('40 wrong logins at once', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterEach(stopServers);
  afterAll(() => database.drop());

  it('delay neither files nor sessions, nor a login from another address', async () => {
    const { api } = await startServer({ DATABASE_URL: database.url, SVC_TRUST_PROXY: 'on' });
    const { email, cookie } = await createUser(api, 'Ada Lovelace', { headers: USER });
    let answered = 0;
    const flood = Array.from({ length: 40 }, async (_, i) => {
      const body = { email: i % 2 ? email : 'nobody@example.com', password: WRONG };
      const { status } = await api.post('/auth/login', { headers: ATTACKER, body });
      answered++;
      return status;
    });
    // From now on all of them wait.
    await Promise.race(flood);
    const requests = [
      () => api.get('//assets/svc-agent.mjs'),
      () => api.get('/auth/me', { cookie }),
      () => api.post('/auth/login', { headers: USER, body: { email, password: PASSWORD } }),
    ];
    const seen = await Promise.all(
      requests.map(async (send) => {
        const { status } = await send();
        return { status, soon: answered < 20 };
      }),
    );
    expect(seen).toEqual(requests.map(() => ({ status: 200, soon: true })));
    // On a machine that is busy otherwise, some wait for too long.
    for (const status of await Promise.all(flood)) expect([401, 500]).toContain(status);
  });
});

describe('a full queue', () => {
  /** A hasher that checks passwords when it is told to, and an app with it. */
  async function startGated(options: Partial<HashQueueOptions> = {}, env: Record<string, string> = {}) {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 1, maxWaitMs: 60_000, ...options });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let checking = 0;
    const hasher: PasswordHasher = {
      ...plainHasher,
      verify: (hash, password, client = '') =>
        queue.run(client, () => {
          checking++;
          return gate.then(() => plainHasher.verify(hash, password));
        }),
      ...queue,
    };
    const app = await startApp({ hasher, env: { SVC_TRUST_PROXY: 'on', ...env } });
    const user = await createUser(app.api);
    const login = (headers: Record<string, string>, password = WRONG) =>
      app.api.post('/auth/login', { headers, body: { email: user.email, password } });
    const waiting = (count: number) => vi.waitFor(() => expect(queue.load().waiting).toBe(count));
    const begun = () => vi.waitFor(() => expect(checking).toBeGreaterThan(0));
    return { ...app, queue, open, login, waiting, begun };
  }

  const metric = async ({ api }: TestApp, name: string) =>
    (await api.get('//metrics')).text.split('\n').find((line) => line.startsWith(`${name} `));

  it('is answered at once, is counted, and is over when the queue is', async () => {
    const app = await startGated();
    const first = app.login(ATTACKER);
    const second = app.login(ATTACKER);
    await app.waiting(1);
    const { status, error, json } = await app.login(ATTACKER);
    expect({ status, error }).toEqual({ status: 500, error: 'server_error/unavailable' });
    expect(json.errors[0]).toMatchObject({ ref: 'E90002', message: expect.stringContaining('passwords') });
    expect(await metric(app, 'svc_password_hash_waiting')).toBe('svc_password_hash_waiting 1');
    expect(await metric(app, 'svc_password_hash_refused_total{reason="full"}')).toMatch(/ 1$/);
    app.open();
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([401, 401]);
    expect((await app.login(ATTACKER, PASSWORD)).status).toBe(200);
  });

  it('is no attempt: refused requests do not count against the account', async () => {
    const app = await startGated({}, { SVC_AUTH_LIMITS: 'on' });
    const flood = [app.login(ATTACKER), app.login(ATTACKER)];
    await app.waiting(1);
    for (let i = 0; i < 20; i++) expect((await app.login(ATTACKER)).error).toBe('server_error/unavailable');
    app.open();
    await Promise.all(flood);
    expect((await app.login(USER, PASSWORD)).status).toBe(200);
  });

  it('refuses requests that have waited too long', async () => {
    const app = await startGated({ maxWaitMs: 20 });
    const first = app.login(ATTACKER);
    await app.begun();
    expect((await app.login(USER)).error).toBe('server_error/unavailable');
    expect(await metric(app, 'svc_password_hash_refused_total{reason="late"}')).toMatch(/ 1$/);
    app.open();
    expect((await first).status).toBe(401);
  });
});
