import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createOrg, createScan, finding, type TestOrg } from '../support/api/api.ts';
import { type CitusApp, startCitusApp } from '../support/citus/app.ts';
import { citusBinDir } from '../support/citus/cluster.ts';
import { moveOrg, workersOf } from '../support/citus/placements.ts';
import { limit } from '../support/run/limits.ts';
import { startApp } from '../support/server/app.ts';

/* A worker that has stopped, for instance on a disk that hangs: its connections stay open, and nothing answers. */

const binDir = citusBinDir() ?? '';
const REQUEST_MS = 5_000;
let on: CitusApp;
/** On the worker that hangs. */
let lost: TestOrg;
let org: TestOrg;
let scanIds: string[];
let stopWatch = () => {};

const push = (one: TestOrg, i: number) =>
  on.t.api.post('/agent/findings', { ...one.asAgent, body: finding(one, scanIds[i] as string) });

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const began = performance.now();
  const answer = await work;
  return { answer, ms: performance.now() - began };
}

describe.skipIf(!binDir)('while a worker hangs', () => {
  beforeAll(async () => {
    on = await startCitusApp(binDir);
    stopWatch = await on.t.services.workers.start();
    [lost, org] = [await createOrg(on.t.api), await createOrg(on.t.api)];
    const [one, other] = (await workersOf(on.admin)) as [string, string];
    await moveOrg(on.admin, lost.id, one);
    await moveOrg(on.admin, org.id, other);
    scanIds = [await createScan(on.t.api, lost), await createScan(on.t.api, org)];
    await push(lost, 0);
    await on.cluster.workers[0]?.pause();
  });

  afterAll(async () => {
    stopWatch();
    await on.cluster.workers[0]?.resume();
  });

  it('its organizations are unavailable within 5 s, and others are served', async () => {
    const { api } = on.t;
    const refused = [
      push(lost, 0),
      api.get('/findings', lost.asOwner),
      ...Array.from({ length: 12 }, () => api.get('/dashboard/stats', lost.asOwner)),
    ];
    const served = [push(org, 1), api.get('/findings?per_page=5', org.asOwner)];
    for (const { answer, ms } of await Promise.all(refused.map(timed))) {
      expect([answer.status, answer.error]).toEqual([500, 'server_error/unavailable']);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(ms).toBeLessThan(limit(REQUEST_MS));
    }
    for (const { answer } of await Promise.all(served.map(timed))) expect(answer.status).toBeLessThan(300);
  });

  it('further requests to them are refused at once, and hold no connection', async () => {
    const { answer, ms } = await timed(push(lost, 0));
    expect(answer.error).toBe('server_error/unavailable');
    expect(ms).toBeLessThan(limit(500));
    expect(on.t.services.database.pool().inUse).toBe(0);
  });

  it('an organization gets its tables on the coordinator', async () => {
    const { answer, ms } = await timed(createOrg(on.t.api));
    expect(answer.projectId).toBeDefined();
    expect(ms).toBeLessThan(limit(2 * REQUEST_MS));
  });

  it('/readyz of a server that starts now says so from its first answer', async () => {
    const t = await startApp({ databaseUrl: on.t.databaseUrl });
    (await t.services.workers.start())();
    expect((await t.api.get('//readyz')).json).toMatchObject({ status: 'ok', workers_down: 1 });
  });

  it('they are served soon after it continues', async () => {
    await on.cluster.workers[0]?.resume();
    await vi.waitFor(async () => expect((await push(lost, 0)).status).toBeLessThan(300));
  });
});
