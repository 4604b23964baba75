import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { forwardLines } from '../../lib/node/whole-lines.ts';
import { createOrg, createScan, createUser } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { type RunningServer, runServer, startServer, stopServers } from '../support/server/server.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterEach(stopServers);
afterAll(() => database.drop());

const startWorkers = (env: Record<string, string> = {}) =>
  startServer({ DATABASE_URL: database.url, SVC_WORKERS: '2', LOG_FORMAT: 'json', ...env });

interface LogLine {
  message: string;
  [field: string]: unknown;
}

/** Its log lines with this message; a line that is not whole fails. */
const logged = (server: RunningServer, message: string) =>
  server
    .log()
    .slice(0, server.log().lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line): LogLine => JSON.parse(line))
    .filter((line) => line.message === message);

const workersOf = (server: RunningServer) => logged(server, 'worker started').map(({ pid }) => Number(pid));

const turn = () => new Promise((done) => setTimeout(done, 5));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

interface Options {
  headers?: Record<string, string>;
  /** Without one, a connection of its own. */
  agent?: Agent;
}

/** A request; rejects when its connection ends without an answer. */
async function get(server: RunningServer, path: string, { headers, agent }: Options = {}) {
  const sent = request(server.url + path, { headers, agent: agent ?? false }).end();
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode as number, text };
}

const AUTH = '/api/v1/config/auth';

/** The sum of a metric's series whose labels contain this. */
function metric(text: string, name: string, labels = ''): number {
  const series = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels));
  return series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const authRequests = (text: string) => metric(text, 'svc_http_requests_total', `path="${AUTH}"`);

describe('workers', () => {
  it('share sessions without JWT_SECRET, and say once what is to be said once', async () => {
    const server = await startWorkers();
    const { cookie } = await createUser(server.api);
    const headers = { cookie: `svc_token=${cookie}` };
    for (let i = 0; i < 10; i++) {
      expect((await get(server, '/api/v1/auth/me', { headers })).status).toBe(200);
    }
    const once = ['JWT_SECRET is not set', 'SVC_ENCRYPTION_KEY is not set', '"listening"'];
    for (const text of once) expect(server.log().split(text)).toHaveLength(2);
    expect(new Set(workersOf(server)).size).toBe(2);
  });

  it.each([
    ['the number is not allowed', '0', /^SVC_WORKERS: "0" is not allowed; .* from 1 to 64\n$/],
    ['the port is taken', '2', /^SVC_PORT: port \d+ is in use already\n$/],
  ])('end with one line when %s', async (_, SVC_WORKERS, line) => {
    const { url } = await startServer({ DATABASE_URL: database.url });
    const { port: SVC_PORT } = new URL(url);
    const { code, err } = await runServer({ DATABASE_URL: database.url, SVC_WORKERS, SVC_PORT });
    expect(code).toBe(1);
    expect(err).toMatch(line);
  });

  it('start and stop the embedded database once', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-workers-'));
    const { DATABASE_URL: _, ...env } = { DATABASE_URL: '', SVC_DATA_DIR: dataDir };
    const server = await startServer({ ...env, SVC_WORKERS: '2', LOG_FORMAT: 'json' });
    await createUser(server.api);
    expect(await server.stop('SIGTERM')).toBe(0);
    for (const message of ['database server started', 'database server stopped', 'stopped']) {
      expect(logged(server, message)).toHaveLength(1);
    }
    await rm(dataDir, { recursive: true });
  });
});

describe('the metrics of workers', () => {
  it('are their sum, whichever answers, also when one does not tell or is gone', async () => {
    const server = await startWorkers();
    // Connections go to the workers in turn, unless one is busy: each has some of these four.
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const ask = (path: string) => Promise.all([1, 2, 3, 4].map(() => get(server, path, { agent })));
    for (let i = 0; i < 5; i++) await ask(AUTH);
    for (const { text } of await ask('/metrics')) {
      expect(authRequests(text)).toBe(20);
      expect(metric(text, 'svc_http_request_duration_seconds_count', `path="${AUTH}"`)).toBe(20);
    }
    const { text } = await get(server, '/metrics');
    expect(metric(text, 'svc_http_active_requests')).toBe(1);

    const [victim = 0] = workersOf(server);
    process.kill(victim, 'SIGSTOP');
    const answers = ['/metrics', '/metrics', '/metrics', '/metrics'].map((path) =>
      get(server, path, { agent }),
    );
    expect(authRequests((await Promise.any(answers)).text)).toBe(20);
    process.kill(victim, 'SIGKILL');
    const outcomes = new Set((await Promise.allSettled(answers)).map(({ status }) => status));
    expect(outcomes).toEqual(new Set(['fulfilled', 'rejected']));
    await until(() => logged(server, 'worker ended').length === 1);
    expect(authRequests((await get(server, '/metrics')).text)).toBe(20);
    await until(() => workersOf(server).length === 3);
    for (const { text } of await ask('/metrics')) expect(authRequests(text)).toBe(20);
    agent.destroy();
  });

  it('have what the process and the database are like, whichever worker looks', async () => {
    const server = await startWorkers();
    let text = '';
    while (metric(text, 'svc_db_up') !== 1) ({ text } = await get(server, '/metrics'));
    expect(text).toMatch(/^svc_mail_queue_depth 0$/m);
    expect(text).toMatch(/^svc_migrations_pending 0$/m);
    expect(metric(text, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  });
});

describe('a worker that is killed', () => {
  it('is replaced, later every time, while others serve', async () => {
    const server = await startWorkers();
    const { worker, pid } = logged(server, 'worker started')[0] as LogLine;
    process.kill(Number(pid), 'SIGKILL');
    let answered = 0;
    while (answered < 3) {
      await get(server, AUTH).then(
        () => answered++,
        () => {},
      );
    }
    expect(workersOf(server)).toHaveLength(2);
    await until(() => workersOf(server).length === 3);
    process.kill(workersOf(server)[2] ?? 0, 'SIGKILL');
    await until(() => workersOf(server).length === 4);
    const [one, two] = logged(server, 'worker ended');
    expect(one).toMatchObject({ level: 'error', worker, pid, how: 'SIGKILL', next_in_ms: 100 });
    expect(two).toMatchObject({ worker, next_in_ms: 200 });
    for (let i = 0; i < 10; i++) expect((await get(server, AUTH)).status).toBe(200);
  });

  it('leaves to another the connection that it has not taken', async () => {
    const server = await startWorkers();
    const [victim = 0] = workersOf(server);
    process.kill(victim, 'SIGSTOP');
    const answers = Promise.all([get(server, AUTH), get(server, AUTH), get(server, AUTH)]);
    // The other worker has answered the others.
    await until(() => logged(server, 'request').length === 2);
    process.kill(victim, 'SIGKILL');
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('stopping', () => {
  it.each(['SIGTERM to the primary', 'SIGINT to all'])(
    'by %s finishes what runs, and cuts nothing off',
    async (how) => {
      const server = await startWorkers({ LOG_LEVEL: 'debug' });
      const org = await createOrg(server.api);
      const scans = await Promise.all([1, 2, 3, 4].map(() => createScan(server.api, org)));
      let answered = 0;
      const cutOff: unknown[] = [];
      const load = async () => {
        const agent = new Agent({ keepAlive: true });
        // Over a connection for as long as it is kept, then over a new one, until there is none to be had.
        for (let ended = false; !ended; ) {
          await get(server, '/healthz', { agent }).then(
            () => answered++,
            (error) => {
              ended = error.code === 'ECONNREFUSED';
              if (!ended) cutOff.push(error);
            },
          );
        }
        agent.destroy();
      };
      const pool = openDatabase({ url: database.url, max: 2 });
      const { stopped, ending } = await pool.sql.begin(async (tx) => {
        await tx.unsafe(`select 1 from "org_${org.id.replaceAll('-', '')}".scans for update`);
        const body = { status: 'completed' };
        const ending = scans.map((scan) =>
          server.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body }),
        );
        const waits =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        // Not in the transaction, which sees the processes of its first look only.
        while ((await pool.sql.unsafe(waits)).length < 4);
        const loads = Promise.all(Array.from({ length: 8 }, load));
        await until(() => answered > 200);
        if (how === 'SIGINT to all') for (const pid of workersOf(server)) process.kill(pid, 'SIGINT');
        const stopped = server.stop(how === 'SIGINT to all' ? 'SIGINT' : 'SIGTERM');
        await loads;
        return { stopped, ending };
      });
      for (const { status, result } of await Promise.all(ending)) {
        expect([status, result.status]).toEqual([200, 'completed']);
      }
      expect(await stopped).toBe(0);
      expect(cutOff).toEqual([]);
      await pool.close();
      expect(logged(server, 'request').filter(({ route }) => route === '/healthz')).toHaveLength(answered);
      for (const message of ['stopping', 'stopped']) expect(logged(server, message)).toHaveLength(1);
      for (const message of ['worker ended', 'requests were ended']) {
        expect(logged(server, message)).toEqual([]);
      }
    },
  );

  it('takes the workers with it when the primary is killed', async () => {
    const server = await startWorkers();
    const pids = workersOf(server);
    await server.stop('SIGKILL');
    const lives = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await until(() => !pids.some(lives));
  });
});

describe('lines of several processes', () => {
  it('stay whole, wait for a slow reader, and are dropped without their end', async () => {
    const sources = [new PassThrough(), new PassThrough()];
    let out = '';
    let go = () => {};
    const slow = new Writable({
      highWaterMark: 1,
      write(chunk, _, done) {
        out += chunk;
        go = () => {
          go = () => {};
          done();
        };
      },
    });
    for (const source of sources) forwardLines(source, slow);
    const [a, b] = sources as [PassThrough, PassThrough];
    a.write('a1');
    b.write('b1\nb2 ');
    a.write(' more\na2');
    b.write('more\nb3');
    a.write('x'.repeat(100_000));
    await turn();
    expect(out).toBe('b1\n');
    expect(a.writableNeedDrain).toBe(true);
    a.end('\na3 cut o');
    for (let i = 0; i < 10; i++) {
      go();
      await turn();
    }
    expect(out.split('\n').sort()).toEqual(['', 'a1 more', `a2${'x'.repeat(100_000)}`, 'b1', 'b2 more']);
  });
});
