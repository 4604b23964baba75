import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { createOrg, createScan, push } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { runServer, startServer, stopServers } from '../support/server/server.ts';

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createDatabase('empty');
  env = { DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only' };
});
afterEach(stopServers);
afterAll(() => database.drop());

describe('starting', () => {
  it.each([
    ['SVC_PORT', 'x', /^SVC_PORT: "x" is not allowed; it takes a port number from 0 to 65535\n$/],
    ['DATABASE_URL', 'nonsense', /^DATABASE_URL: the value given is not allowed; .*\n$/],
  ])('ends with one line when %s is %s', async (name, value, line) => {
    const { code, out, err } = await runServer({ ...env, [name]: value });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(line);
  });

  it('ends with one line when the port is taken', async () => {
    const { url } = await startServer(env);
    const { code, err } = await runServer({ ...env, SVC_PORT: new URL(url).port });
    expect(code).toBe(1);
    expect(err).toMatch(/^SVC_PORT: port \d+ is in use already\n$/);
  });
});

describe('/metrics', () => {
  it('covers the process and the database', async () => {
    const { url } = await startServer(env);
    let text = '';
    while (!/^svc_db_up 1$/m.test(text)) text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toMatch(/^svc_mail_queue_depth 0$/m);
    expect(text).toMatch(/^svc_migrations_pending 0$/m);
    expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
  });
});

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s finishes what runs, and takes nothing new',
    async (signal) => {
      const server = await startServer(env);
      const org = await createOrg(server.api);
      const scan = await createScan(server.api, org);
      const pool = openDatabase({ url: database.url, max: 1 });
      let stopped: Promise<number | null> | undefined;
      // The end of the scan waits for a lock that we hold until the server has been told to stop.
      const ending = await pool.sql.begin(async (tx) => {
        await tx.unsafe(`select 1 from "org_${org.id.replaceAll('-', '')}".scans for update`);
        const body = { status: 'completed' };
        const waiting = server.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body });
        const waits =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        while ((await tx.unsafe(waits)).length === 0);
        stopped = server.stop(signal);
        while (!server.log().includes('stopping')) await new Promise((done) => setImmediate(done));
        const { port } = new URL(server.url);
        await expect(once(connect(Number(port), '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
        // On a connection that there is, this is the last answer.
        expect((await fetch(`${server.url}/healthz`)).headers.get('connection')).toBe('close');
        return { waiting };
      });
      const answer = await ending.waiting;
      expect([answer.status, answer.result.status]).toEqual([200, 'completed']);
      expect(await stopped).toBe(0);
      expect(server.log()).toMatch(/stopped\n$/);
      await pool.close();
    },
  );
});

describe('the log', () => {
  it('has a line per request, and no secret', async () => {
    // With a mail provider, if one that is down: the local outbox is meant to log its links.
    const provider = { RESEND_API_KEY: 'resend-key', RESEND_BASE_URL: 'http://127.0.0.1:9' };
    const server = await startServer({ ...env, ...provider, LOG_FORMAT: 'json', LOG_LEVEL: 'debug' });
    const org = await createOrg(server.api);
    const scan = await createScan(server.api, org);
    await push(server.api, org, scan);
    await server.api.get('/findings?q=findme', { ...org.asOwner, headers: { 'x-request-id': 'mine-1' } });
    await server.stop('SIGTERM');
    const lines = server
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.find(({ request_id }) => request_id === 'mine-1')).toMatchObject({
      level: 'info',
      message: 'request',
      method: 'GET',
      route: '/api/v1/findings',
      status: 200,
      duration_ms: expect.any(Number),
      org: org.slug,
      user: org.owner.id,
    });
    for (const secret of [
      org.token,
      org.owner.cookie,
      org.owner.email,
      'Correct1horse',
      'findme',
      database.url,
    ]) {
      expect(server.log()).not.toContain(secret);
    }
  });
});
