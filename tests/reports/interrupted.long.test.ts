import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { insertScan, removeScan } from '../../db/scans/scans.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createByteBudget } from '../../lib/fair-share/byte-budget.ts';
import type { Finding } from '../../lib/importers/finding.ts';
import { failAbandonedImports } from '../../lib/reports/leases.ts';
import type { ReportReader } from '../../lib/reports/reader.ts';
import {
  type Answer,
  type Api,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { descendantsOf, kill } from '../support/server/proc.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

let t: TestApp;
let org: TestOrg;
let admin: Database;

const startOther = (): Promise<RunningServer> =>
  startServer({ DATABASE_URL: t.databaseUrl, JWT_SECRET: 'a secret for tests only with 32 bytes or more' });

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  admin = openDatabase({ url: t.databaseUrl, max: 1 });
});

// A server that a failed test leaves behind would end the imports of the next.
afterEach(stopServers);
afterAll(() => admin.close());

const reportOf = (count: number) =>
  JSON.stringify({
    findings: Array.from({ length: count }, (_, i) => ({ title: `Finding ${i}`, severity: 'Low' })),
  });

const send = (api: Api, body: string): Promise<Answer> =>
  api.post(`/agent/reports?project_id=${org.projectId}`, { ...org.asAgent, body });

const scansOf = async (query = '') => must(await t.api.get(`/scans?per_page=500${query}`, org.asOwner));

const runningScan = () =>
  vi.waitUntil(async () => (await scansOf('&status=running'))[0], { timeout: 30_000, interval: 5 });

const leases = () => admin.sql.unsafe('select * from shared.report_imports');

describe('a server that is killed while it imports a report', () => {
  it('leaves a scan that another one fails, with what was pushed', async () => {
    const server = await startOther();
    const answer = send(server.api, reportOf(10_000)).catch(() => 'no answer');
    const { scan_id } = await runningScan();
    // Some findings are pushed.
    await vi.waitUntil(
      async () => must(await t.api.get('/dashboard/stats', org.asOwner)).total_findings > 500,
      { timeout: 60_000, interval: 10 },
    );
    await server.stop('SIGKILL');
    expect(await answer).toBe('no answer');
    expect(await leases()).toHaveLength(1);

    await startOther();
    await vi.waitUntil(async () => (await scansOf('&status=running')).length === 0, {
      timeout: 60_000,
      interval: 200,
    });
    const scan = must(await t.api.get(`/scans/${scan_id}`, org.asOwner));
    expect(scan).toMatchObject({ status: 'failed', error_message: expect.stringContaining('interrupted') });
    expect(scan.summary.total).toBeGreaterThan(500);
    expect(await leases()).toEqual([]);
    await expectKeptCounts(admin, org);
  });
});

describe('a process that reads a report', () => {
  it('that is killed takes neither the server with it nor leaves a running scan', async () => {
    const server = await startOther();
    for (const waitMs of [0, 150, 600]) {
      const answer = send(server.api, reportOf(20_000));
      await runningScan();
      await sleep(waitMs);
      for (const pid of await descendantsOf(server.pid)) kill(pid);
      const { status } = await answer;
      // 429: the system ends processes when memory is short.
      expect([201, 429]).toContain(status);
      expect(await scansOf('&status=running')).toEqual([]);
    }
    expect((await send(server.api, reportOf(10))).status).toBe(201);
    expect(await leases()).toEqual([]);
  });
});

describe('a database that drops all connections while a report is imported', () => {
  it('leaves no running scan, and counts no finding twice', async () => {
    const finding = (i: number): Finding => ({
      ...{ fingerprint: `lost-${i}`, title: `Finding ${i}`, severity: 'low', description: 'Text.' },
    });
    let part = 0;
    const reader: ReportReader = {
      maxBytes: 1_000,
      bodies: createByteBudget({ total: 2_000, perAccount: 1_000 }),
      open: async () => ({
        ...{ format: 'generic-json', errors: [], warnings: [], sources: [], count: 600 },
        async next() {
          if (part++ >= 12) return [];
          await admin.sql.unsafe(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          );
          return Array.from({ length: 50 }, (_, i) => finding(part * 50 + i));
        },
        close() {},
      }),
    };
    const other = await startApp({ databaseUrl: t.databaseUrl, reports: reader });
    const of = await createOrg(other.api);
    const send = () =>
      other.api.post(`/agent/reports?project_id=${of.projectId}`, { ...of.asAgent, body: 'report' });
    const { status } = await send();
    expect([201, 500]).toContain(status);
    // Maintenance ends the import that the request could not end.
    await admin.sql.unsafe("update shared.report_imports set lease_until = now() - interval '1 s'");
    await failAbandonedImports(t.services);
    expect(must(await t.api.get('/scans?status=running', of.asOwner))).toEqual([]);
    expect(await leases()).toEqual([]);
    await expectKeptCounts(admin, of);

    part = 0;
    reader.open = async () => ({
      ...{ format: 'generic-json', errors: [], warnings: [], sources: [], count: 600 },
      next: async () => (part++ < 12 ? Array.from({ length: 50 }, (_, i) => finding(part * 50 + i)) : []),
      close() {},
    });
    const { result } = await send();
    expect(result.changes.new + result.changes.again).toBe(600);
    expect(must(await t.api.get('/dashboard/stats', of.asOwner)).total_findings).toBe(600);
  });
});

describe('the lease of an import', () => {
  const register = async () => {
    const scanId = t.services.nextId().id;
    const lease = await t.services.reportLeases.begin(org.id, scanId);
    await insertScan(admin.sql, t.services.knownOrgs.tablesOf(org), {
      ...{ scanId, projectId: org.projectId, persona: 'senku', name: 'Import', target: undefined },
      now: new Date(),
    });
    return { lease, scanId };
  };
  const statusOf = async (scanId: string) => must(await t.api.get(`/scans/${scanId}`, org.asOwner)).status;
  const expire = () =>
    admin.sql.unsafe(`update shared.report_imports set lease_until = now() - interval '1 s'`);

  it('keeps others from failing its scan', async () => {
    const other = await startApp({ databaseUrl: t.databaseUrl });
    const { lease, scanId } = await register();
    await failAbandonedImports(other.services);
    expect(await statusOf(scanId)).toBe('running');
    lease.abandon();
    await expire();
    await Promise.all([failAbandonedImports(other.services), failAbandonedImports(t.services)]);
    expect(await statusOf(scanId)).toBe('failed');
    expect(await leases()).toEqual([]);
  });

  it('is given up when the process stops', async () => {
    const { scanId } = await register();
    await t.services.reportLeases.stop();
    await failAbandonedImports(t.services);
    expect(await statusOf(scanId)).toBe('failed');
  });

  it('is renewed while the import takes', async () => {
    const { lease, scanId } = await register();
    await expire();
    await vi.waitUntil(
      async () =>
        (await admin.sql.unsafe('select from shared.report_imports where lease_until > now()')).length,
      { timeout: 10_000 },
    );
    await failAbandonedImports(t.services);
    expect(await statusOf(scanId)).toBe('running');
    lease.requireHeld();
    // Another process has ended the import.
    await admin.sql.unsafe('delete from shared.report_imports');
    await vi.waitFor(() => expect(() => lease.requireHeld()).toThrow('was ended'), 10_000);
    lease.abandon();
  });

  it('of a scan that ended in time changes nothing', async () => {
    const { lease, scanId } = await register();
    lease.abandon();
    must(await t.api.patch(`/agent/scans/${scanId}`, { ...org.asAgent, body: { status: 'completed' } }));
    await expire();
    await failAbandonedImports(t.services);
    expect(await statusOf(scanId)).toBe('completed');
    expect(await leases()).toEqual([]);
  });
});

it('a scan is not removed while an agent pushes a finding for it', async () => {
  const locker = openDatabase({ url: t.databaseUrl, max: 1 });
  const of = await createOrg(t.api);
  const earlier = await createScan(t.api, of);
  await push(t.api, of, earlier, { fingerprint: 'known' });
  const scanId = await createScan(t.api, of);

  const isWaiting = async (count: number) =>
    (
      await admin.sql.unsafe(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
    ).length >= count;
  let pushing: Promise<unknown> | undefined;
  let removing: Promise<boolean> | undefined;
  // Holds up the push after it has found the scan.
  await locker.sql.begin(async (tx) => {
    await tx.unsafe(`select from "${orgSchemaName(of.id)}".findings for update`);
    pushing = push(t.api, of, scanId, { fingerprint: 'known' });
    await vi.waitUntil(() => isWaiting(1), { timeout: 10_000 });
    removing = removeScan(t.services.database.sql, t.services.knownOrgs.tablesOf(of), scanId);
    await vi.waitUntil(() => isWaiting(2), { timeout: 10_000 });
  });
  expect(await pushing).toMatchObject({ deduplicated: true });
  expect(await removing).toBe(false);
  expect(must(await t.api.get(`/scans/${scanId}`, of.asOwner)).finding_count).toBe(1);
  await locker.close();
});
