import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { startAgent, writeReport } from './support/agent.ts';
import { createAgentProject } from './support/agent-project.ts';
import { createOrg, type TestOrg } from './support/api.ts';
import { createDatabase } from './support/database.ts';
import { type RunningServer, startServer, stopServers } from './support/server.ts';
import { afterSuite } from './support/suite.ts';

let server: RunningServer;
let org: TestOrg;
let serverEnv: Record<string, string>;

beforeAll(async () => {
  const database = await createDatabase();
  afterSuite(database.drop);
  afterSuite(stopServers);
  serverEnv = { DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only' };
  server = await startServer(serverEnv);
  org = await createOrg(server.api);
});

// Most of the time they wait.
describe.concurrent('svc-agent report, stopped while it pushes', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('on %s fails the scan, exits with %i, and leaves the rest for later', async (signal, code) => {
    const { workspace, env, agent, findings, scans } = await createAgentProject(server, org);
    const { child, ended } = startAgent(['report', writeReport(workspace, 1_000)], { cwd: workspace, env });
    while ((await findings()).length < 50) await sleep(20);
    child.kill(signal);
    expect((await ended).code).toBe(code);
    const [scan] = await scans();
    expect(scan).toMatchObject({ status: 'failed', error_message: `terminated by ${signal}` });
    expect((await findings()).length).toBeLessThan(1_000);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(1_000);
    expect((await scans())[0]).toMatchObject({ id: scan.id, status: 'failed', summary: { total: 1_000 } });
  });

  it('does not wait for a service that does not answer', async () => {
    const { workspace, env, agent, scans } = await createAgentProject(server, org);
    const silent = createTcpServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const { port } = silent.address() as AddressInfo;
    const { child, said, ended } = startAgent(['report', writeReport(workspace, 1)], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` },
    });
    while (!said()) await sleep(20);
    await sleep(500);
    const started = Date.now();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    // It would try for twenty seconds.
    expect(Date.now() - started).toBeLessThan(10_000);
    silent.close();
    expect((await agent(['sync'])).code).toBe(0);
    expect((await scans())[0]).toMatchObject({ status: 'failed', error_message: 'terminated by SIGTERM' });
  });
});

describe.concurrent('a service that dies in the middle of 2,000 findings', () => {
  const COUNT = 2_000;

  /** Starts a report and kills the service once a part has arrived. */
  async function killInTheMiddle() {
    const mortal = await startServer(serverEnv);
    const project = await createAgentProject(server, org);
    const { workspace, env, findings } = project;
    const running = startAgent(['report', writeReport(workspace, COUNT), '--json'], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: mortal.url },
    });
    for (let arrived = 0; arrived < 200; ) {
      await sleep(20);
      arrived = (await findings()).length;
    }
    await mortal.stop('SIGKILL');
    return { ...project, port: new URL(mortal.url).port, running };
  }

  it('and comes back gets them all, each once as new', async () => {
    const { findings, scans, port, running } = await killInTheMiddle();
    await startServer({ ...serverEnv, SVC_PORT: port });
    const { code, out, err } = await running.ended;
    expect([code, err]).toEqual([0, '']);
    const summary = JSON.parse(out);
    expect(summary).toMatchObject({ total: COUNT, not_delivered: 0, refused: 0 });
    expect(summary.new + summary.seen_again).toBe(COUNT);
    expect(await findings()).toHaveLength(COUNT);
    expect((await scans())[0]).toMatchObject({ status: 'completed', summary: { total: COUNT } });
  }, 60_000);

  it('and stays away gets the rest by sync', async () => {
    const { agent, findings, scans, running } = await killInTheMiddle();
    const { code, out, err } = await running.ended;
    expect(code).toBe(3);
    const { not_delivered, new: fresh } = JSON.parse(out);
    expect(not_delivered + fresh).toBe(COUNT);
    expect(not_delivered).toBeGreaterThan(0);
    expect(err).toMatch(/`svc-agent sync` delivers them/);
    const synced = await agent(['sync', '--json']);
    expect(synced.code).toBe(0);
    expect(JSON.parse(synced.out)).toMatchObject([{ delivered: not_delivered, not_delivered: 0 }]);
    expect(await findings()).toHaveLength(COUNT);
    expect((await scans())[0]).toMatchObject({ status: 'completed', summary: { total: COUNT } });
    // The agent itself tries for twenty seconds.
  }, 60_000);
});
