import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { startAgent, writeReport } from '../support/agent/agent.ts';
import { type AgentProject, createAgentProject, startService } from '../support/agent/agent-project.ts';
import { openGate } from '../support/agent/gate.ts';
import type { TestOrg } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { type RunningServer, startServer } from '../support/server/server.ts';

/** The findings that the agent sends in one request. */
const BATCH = 500;

let server: RunningServer;
let org: TestOrg;
let serverEnv: Record<string, string>;

beforeAll(async () => {
  const service = await startService();
  ({ server, org } = service);
  serverEnv = { DATABASE_URL: service.database.url, JWT_SECRET: 'a secret for tests only' };
});

/** Counts the findings, each of which must have been seen once. */
async function seenOnce(findings: AgentProject['findings']): Promise<number> {
  const arrived = await findings();
  expect(arrived.filter(({ seen_count }) => seen_count !== 1)).toEqual([]);
  return arrived.length;
}

// The tests mostly wait, so they run concurrently. `npm run soak -- agent` is the long version.
describe.concurrent('svc-agent report, stopped while it pushes', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('on %s fails the scan, exits with %i and queues the pending findings', async (signal, code) => {
    const { workspace, env, agentProcess, findings, scans } = await createAgentProject(server, org);
    const gate = await openGate(server.url, 1);
    const { child, ended } = startAgent(['report', writeReport(workspace, 3 * BATCH)], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: gate.url },
    });
    await gate.reached(1);
    child.kill(signal);
    expect((await ended).code).toBe(code);
    const [scan] = await scans();
    expect(scan).toMatchObject({ status: 'failed', error_message: `terminated by ${signal}` });
    expect(await findings()).toHaveLength(BATCH);
    expect((await agentProcess(['sync'])).code).toBe(0);
    expect(await seenOnce(findings)).toBe(3 * BATCH);
    expect((await scans())[0]).toMatchObject({
      id: scan.id,
      status: 'failed',
      summary: { total: 3 * BATCH },
    });
  });

  it('does not wait for a service that does not respond', async () => {
    const { workspace, env, agentProcess, scans } = await createAgentProject(server, org);
    const silent = createTcpServer(() => {});
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const { port } = silent.address() as AddressInfo;
    const { child, ended } = startAgent(['report', writeReport(workspace, 1)], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: `http://127.0.0.1:${port}` },
    });
    await once(silent, 'connection');
    const started = Date.now();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    // The request timeout is 30 s. The agent promises to exit within 5 s.
    expect(Date.now() - started).toBeLessThan(limit(10_000));
    silent.close();
    expect((await agentProcess(['sync'])).code).toBe(0);
    expect((await scans())[0]).toMatchObject({ status: 'failed', error_message: 'terminated by SIGTERM' });
  });
});

describe.concurrent('a service that crashes during a push of six batches', () => {
  const COUNT = 6 * BATCH;

  /** Starts a report and kills the service after two batches, before the agent has the second response. */
  async function reportAndKill(sleepFactor: number) {
    const doomed = await startServer(serverEnv);
    const gate = await openGate(doomed.url);
    const project = await createAgentProject(server, org);
    const { workspace, env } = project;
    const running = startAgent(['report', writeReport(workspace, COUNT), '--json'], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: gate.url },
      sleepFactor,
    });
    await gate.reached(2);
    await doomed.stop('SIGKILL');
    return { ...project, gate, running };
  }

  it('receives every finding once after a restart', async () => {
    // Started before the crash: the time of a start, which a busy machine makes longer than the agent waits, does not count.
    const { url } = await startServer(serverEnv);
    const { findings, scans, gate, running } = await reportAndKill(1);
    gate.lead(url);
    const { code, out, err } = await running.ended;
    expect([code, err]).toEqual([0, '']);
    const summary = JSON.parse(out);
    expect(summary).toMatchObject({ total: COUNT, not_delivered: 0, refused: 0 });
    // The response to a batch that was written before the crash is repeated.
    expect(summary).toMatchObject({ new: COUNT, seen_again: 0 });
    expect(await seenOnce(findings)).toBe(COUNT);
    expect((await scans())[0]).toMatchObject({ status: 'completed', summary: { total: COUNT } });
  });

  it('receives the pending findings by sync if it stays down', async () => {
    const { agentProcess, findings, scans, running } = await reportAndKill(0.05);
    const { code, out, err } = await running.ended;
    expect(code).toBe(3);
    const { not_delivered, new: fresh } = JSON.parse(out);
    expect(not_delivered + fresh).toBe(COUNT);
    expect(not_delivered).toBeGreaterThan(0);
    expect(err).toMatch(/run `svc-agent sync` to deliver it/);
    const synced = await agentProcess(['sync', '--json']);
    expect(synced.code).toBe(0);
    expect(JSON.parse(synced.out)).toMatchObject([{ delivered: not_delivered, not_delivered: 0 }]);
    expect(await seenOnce(findings)).toBe(COUNT);
    expect((await scans())[0]).toMatchObject({ status: 'completed', summary: { total: COUNT } });
  });
});
