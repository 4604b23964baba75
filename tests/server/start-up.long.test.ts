import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import pkg from '../../package.json' with { type: 'json' };
import { createUser } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { afterSuite, afterTest } from '../support/run/suite.ts';
import { ROOT } from '../support/server/process.ts';
import { startServer, stopServers } from '../support/server/server.ts';

/* A server says at its start which version it is, which settings it ignores, and that it is older than its database. */

const run = promisify(execFile);

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createDatabase();
  afterSuite(database.drop);
  env = { DATABASE_URL: database.url, JWT_SECRET: 'e1a23fb51a5475aa72d853c14e882cad', LOG_FORMAT: 'json' };
});
afterEach(stopServers);

const eventsOf = (log: string) =>
  log
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { level: string; message: string; version?: string; shared?: string[] },
    );

describe('the version', () => {
  it('is in the line of the start, the probes and the metrics', async () => {
    const { url, log } = await startServer(env);
    expect(eventsOf(log()).find(({ message }) => message === 'listening')?.version).toBe(pkg.version);
    for (const path of ['healthz', 'readyz']) {
      const body = (await (await fetch(`${url}/${path}`)).json()) as { version: string; result: object };
      expect([body.version, body.result]).toEqual([
        pkg.version,
        expect.objectContaining({ version: pkg.version }),
      ]);
    }
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain(`svc_build_info{version="${pkg.version}"} 1`);
  });

  it.each(['server.js', 'admin.js', 'public/assets/svc-agent.mjs'])(
    'is all that %s --version prints, without any configuration',
    async (program) => {
      const options = { env: { ...process.env, SVC_PORT: 'x' } };
      expect(await run(process.execPath, [join(ROOT, 'dist', program), '--version'], options)).toEqual({
        stdout: `${pkg.version}\n`,
        stderr: '',
      });
    },
  );
});

describe('a variable that nothing reads', () => {
  it('is named in a warning with the one that was meant, and without its value', async () => {
    const { log } = await startServer({
      ...env,
      SVC_STRCIT: 'hunter2',
      SVC_SMTP_ULR: 'hunter2',
      SVC_SOMETHING_ELSE: 'hunter2',
      svc_port: 'hunter2',
      // Settings of svc-agent, Docker Compose and Kubernetes.
      SVC_API_KEY: 'x',
      SVC_PUBLISH: '8080',
      SVC_FINDINGS_PORT_8080_TCP_ADDR: '10.0.0.1',
      OTHER: 'x',
    });
    const warnings = eventsOf(log())
      .map(({ message }) => message)
      .filter((message) => message.includes('is not a setting'));
    expect(warnings).toEqual([
      expect.stringMatching(/^SVC_STRCIT .*: did you mean SVC_STRICT\?$/),
      expect.stringMatching(/^SVC_SMTP_ULR .*: did you mean SVC_SMTP_URL\?$/),
      expect.stringMatching(/^SVC_SOMETHING_ELSE .* has no effect$/),
      expect.stringMatching(/^svc_port .*: did you mean SVC_PORT\?$/),
    ]);
    expect(log()).not.toContain('hunter2');
  });
});

describe('a database that a newer version has migrated', () => {
  it('is served with a warning', async () => {
    const newer = await createDatabase();
    afterTest(newer.drop);
    const start = () => startServer({ ...env, DATABASE_URL: newer.url });
    const warningsOf = (log: string) =>
      eventsOf(log).filter(({ message }) => message.includes('a newer version has migrated the database'));
    const first = await start();
    expect(warningsOf(first.log())).toEqual([]);
    await stopServers();
    const client = openDatabase({ url: newer.url, max: 1 });
    await client.sql.unsafe(
      `insert into shared.migrations (name, hash, applied_at) values ('9999_later', 'x', now())`,
    );
    await client.close();
    const second = await start();
    expect(warningsOf(second.log())).toEqual([
      expect.objectContaining({ level: 'warn', version: pkg.version, shared: ['9999_later'] }),
    ]);
    await createUser(second.api);
  });
});

describe('a trial', () => {
  it('starts without a warning on loopback, and its sessions survive a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-trial-'));
    afterTest(() => rm(dataDir, { recursive: true }));
    const trial = { SVC_DATA_DIR: dataDir, SVC_HOST: '127.0.0.1', LOG_FORMAT: 'json' };
    const first = await startServer(trial);
    const { cookie } = await createUser(first.api);
    expect(eventsOf(first.log()).filter(({ level }) => level !== 'info')).toEqual([]);
    await stopServers();
    const second = await startServer(trial);
    expect((await second.api.get('/auth/me', { cookie })).status).toBe(200);
  });
});
