import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../lib/fair-share/byte-budget.ts';
import type { OpenReport, ReportReader } from '../../lib/reports/reader.ts';
import { type Answer, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const MAX = 64 * 1024;
const NO_FINDINGS: OpenReport = {
  ...{ format: 'sarif', errors: [], warnings: [], sources: [], count: 0 },
  next: async () => [],
  close() {},
};

/** A reader whose reports take until they are released, except those with the text `quick`. */
function createSlowReader() {
  const release: (() => void)[] = [];
  const reader: ReportReader = {
    maxBytes: MAX,
    bodies: createByteBudget({ total: 4 * MAX, perAccount: 2 * MAX, timeoutMs: 1_000 }),
    async open({ body }) {
      if (!Buffer.from(body).toString().includes('quick'))
        await new Promise<void>((resolve) => release.push(resolve));
      return NO_FINDINGS;
    },
  };
  return { reader, release };
}

const send = ({ api }: TestApp, { projectId, asAgent }: TestOrg, body: string) =>
  api.post(`/agent/reports?project_id=${projectId}`, { ...asAgent, body });

describe('an organization with many reports', () => {
  it('waits for its own, not the others; beyond its share it gets 429', async () => {
    const { reader, release } = createSlowReader();
    const t = await startApp({ reports: reader });
    const [busy, other] = [await createOrg(t.api), await createOrg(t.api)];
    const answers: Answer[] = [];
    for (let i = 0; i < 5; i++) void send(t, busy, 'slow').then((answer) => answers.push(answer));
    await expect.poll(() => release.length).toBe(1);

    const start = performance.now();
    expect((await send(t, other, 'quick')).status).toBe(201);
    expect(performance.now() - start).toBeLessThan(limit(2_000));
    // Other requests of the busy organization are answered, too.
    expect((await t.api.get('/scans', busy.asOwner)).status).toBe(200);

    await expect.poll(() => answers.length).toBe(4);
    const refused = [...answers];
    expect(refused.map(({ status, error }) => `${status} ${error}`)).toEqual(
      Array(4).fill('429 rate_limit_error/exceeded'),
    );
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const next of release) next();
    await expect.poll(() => answers.length).toBe(5);
    expect(answers.at(-1)?.status).toBe(201);
    expect(reader.bodies?.inUse()).toBe(0);
    expect(t.services.reportPermits.inUse()).toBe(0);
  });

  it('does not hold up reports by sending slowly', async () => {
    const { reader } = createSlowReader();
    const t = await startApp({ reports: reader });
    const org = await createOrg(t.api);
    const pending: (() => void)[] = [];
    const slowly = () => {
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from('quick'));
          await new Promise<void>((resolve) => pending.push(resolve));
          controller.close();
        },
      });
      const headers = {
        authorization: `Bearer ${org.token}`,
        'x-org-slug': org.slug,
        'transfer-encoding': 'chunked',
      };
      return t.app.request(
        new Request(`http://localhost/api/v1/agent/reports?project_id=${org.projectId}`, {
          ...{ method: 'POST', headers, body },
          ...({ duplex: 'half' } as object),
        }),
      );
    };
    const [first] = [slowly()];
    await expect.poll(() => reader.bodies?.inUse()).toBe(MAX);
    expect((await send(t, org, 'quick')).status).toBe(201);
    // A second one of unknown size takes the rest of the organization's memory.
    const second = slowly();
    await expect.poll(() => reader.bodies?.inUse()).toBe(2 * MAX);
    expect((await send(t, org, 'quick')).status).toBe(429);
    expect((await send(t, await createOrg(t.api), 'quick')).status).toBe(201);
    for (const end of pending) end();
    expect((await Promise.all([first, second])).map((response) => response?.status)).toEqual([201, 201]);
    expect(reader.bodies?.inUse()).toBe(0);
  });
});

describe('two organizations with large reports', () => {
  it('do not keep another one from having a small report read', async () => {
    const { reader, release } = createSlowReader();
    const t = await startApp({ reports: reader });
    const [first, second, other] = [await createOrg(t.api), await createOrg(t.api), await createOrg(t.api)];
    const large = [send(t, first, 'slow'), send(t, second, 'slow')];
    await expect.poll(() => release.length).toBe(2);
    const body = 'quick';
    const small = t.api.post(`/agent/reports?project_id=${other.projectId}`, {
      ...{ ...other.asAgent, body, headers: { 'content-length': String(body.length) } },
    });
    // Longer than other reports wait.
    expect(await Promise.race([small, sleep(11_000)])).toBeUndefined();
    for (const next of release) next();
    expect((await small).status).toBe(201);
    expect((await Promise.all(large)).map(({ status }) => status)).toEqual([201, 201]);
    expect(t.services.reportPermits.inUse()).toBe(0);
  });
});

describe('a byte budget', () => {
  const order: string[] = [];
  const take = async (budget: ReturnType<typeof createByteBudget>, org: string, bytes: number) => {
    const free = await budget.reserve({ id: org }, bytes);
    order.push(`${org}${bytes}`);
    return free;
  };

  it('serves organizations round-robin, and large requests before later small ones', async () => {
    const budget = createByteBudget({ total: 10, perAccount: 8 });
    const first = await take(budget, 'a', 8);
    const waiting = [take(budget, 'a', 8), take(budget, 'a', 1), take(budget, 'b', 6), take(budget, 'c', 1)];
    await sleep(0);
    expect(order).toEqual(['a8']);
    first();
    await sleep(0);
    // The budget has room for the next of `a`, but not for that of `b` beside it.
    expect(order).toEqual(['a8', 'a8']);
    (await waiting[0])?.();
    await Promise.all(waiting);
    expect(order.slice(2)).toEqual(['b6', 'c1', 'a1']);
    expect(budget.inUse()).toBe(8);
  });

  it('refuses after its timeout, and when the request is aborted', async () => {
    const budget = createByteBudget({ total: 2, perAccount: 1, timeoutMs: 30 });
    const free = await budget.reserve({ id: 'a' }, 1);
    await expect(budget.reserve({ id: 'a' }, 1)).rejects.toMatchObject({ code: 'OVER_SHARE' });
    const controller = new AbortController();
    const aborted = budget.reserve({ id: 'a' }, 1, { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    free();
    free();
    expect([budget.inUse(), budget.waiting()]).toEqual([0, 0]);
  });
});

describe('a scan that is ended while its report is imported', () => {
  it.each(['agent', 'member'])('is left as it is: sent by an %s', async (sender) => {
    const { reader, release } = createSlowReader();
    const t = await startApp({ reports: reader });
    const org = await createOrg(t.api);
    const { asAgent, asOwner, projectId } = org;
    const answer =
      sender === 'agent'
        ? send(t, org, 'slow')
        : t.api.post(`/projects/${projectId}/reports`, { ...asOwner, body: 'slow' });
    await expect.poll(() => release.length).toBe(1);
    const [{ scan_id }] = must(await t.api.get('/scans', asOwner));
    must(await t.api.patch(`/agent/scans/${scan_id}`, { ...asAgent, body: { status: 'completed' } }));
    release[0]?.();
    expect(await answer).toMatchObject({ status: 409, error: 'resource_error/conflict' });
    expect(must(await t.api.get(`/scans/${scan_id}`, asOwner)).status).toBe('completed');
  });
});
