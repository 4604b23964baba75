import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createByteBudget } from '../../lib/fair-share/byte-budget.ts';
import type { ReportReader } from '../../lib/reports/reader.ts';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startApp } from '../support/server/app.ts';
import { startServer, stopServers } from '../support/server/server.ts';

const LARGEST = 64 * 1024 * 1024;
const REPORT = JSON.stringify({ findings: [{ title: 'A', severity: 'low' }] });

describe('four clients of two organizations that announce the largest report and send a byte per second', () => {
  it('keep neither others nor their own organization from sending reports', async () => {
    const database = await createDatabase();
    afterSuite(database.drop);
    afterSuite(stopServers);
    const { api, url } = await startServer({ DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests' });
    const [first, second, other] = [await createOrg(api), await createOrg(api), await createOrg(api)];

    const startToSend = ({ token, slug, projectId }: TestOrg): Socket => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      const head = [
        `POST /api/v1/agent/reports?project_id=${projectId} HTTP/1.1`,
        ...['Host: localhost', `Authorization: Bearer ${token}`, `X-Org-Slug: ${slug}`],
        ...['Content-Type: multipart/form-data; boundary=y', `Content-Length: ${LARGEST + 64 * 1024}`],
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      return socket;
    };
    const sockets = [first, first, second, second].map(startToSend);
    const answers = sockets.map((socket) => {
      let text = '';
      socket.on('data', (data) => {
        text += data;
      });
      return () => text;
    });
    const timer = setInterval(() => {
      for (const socket of sockets) socket.write('-');
    }, 1_000);
    try {
      const send = ({ asAgent, projectId }: TestOrg) =>
        api.post(`/agent/reports?project_id=${projectId}`, { ...asAgent, body: REPORT });
      const isOneAborted = () => answers.some((text) => /^HTTP\/1.1 429 [\s\S]*too slowly/.test(text()));
      await vi.waitUntil(
        async () => {
          expect((await send(other)).status).toBe(201);
          return isOneAborted();
        },
        { timeout: 30_000, interval: 50 },
      );
      expect((await send(first)).status).toBe(201);
    } finally {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    }
  });
});

it('a report that arrives slowly on the edge, where it holds a permit meanwhile, is broken off', async () => {
  const reader: ReportReader = {
    ...{ maxBytes: 1_000, arrivalMs: 300 },
    open: async () => ({
      format: 'sarif',
      errors: [],
      warnings: [],
      sources: [],
      count: 0,
      next: async () => [],
      close() {},
    }),
  };
  const t = await startApp({ reports: reader });
  const { projectId, token, slug } = await createOrg(t.api);
  const send = (body: string | ReadableStream) =>
    t.app.request(
      new Request(`http://localhost/api/v1/agent/reports?project_id=${projectId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'x-org-slug': slug },
        body,
        ...({ duplex: 'half' } as object),
      }),
    );
  const answer = send(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(REPORT)) }));
  await expect.poll(() => t.services.reportPermits.inUse()).toBe(1);
  const refused = await answer;
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('too slowly')]);
  expect(t.services.reportPermits.inUse()).toBe(0);
  expect((await send(REPORT)).status).toBe(201);
});

describe('a byte budget with senders', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A sender that has sent a share of its bytes. */
  function createSender(received: number | (() => number)) {
    const breakOff = vi.fn();
    return { received: typeof received === 'number' ? () => received : received, breakOff };
  }
  const start = () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'setInterval', 'clearInterval', 'clearTimeout', 'performance'],
    });
    return createByteBudget({ total: 200, perAccount: 100 });
  };

  it('aborts a slow sender only while a request has waited for its bytes', async () => {
    const budget = start();
    const slow = createSender(1);
    const free = await budget.reserve({ id: 'a' }, 100, { sender: slow });
    vi.advanceTimersByTime(15_000);
    // Another organization has its own share.
    (await budget.reserve({ id: 'b' }, 50))();
    vi.advanceTimersByTime(5_000);
    const waiting = budget.reserve({ id: 'a' }, 10);
    vi.advanceTimersByTime(900);
    expect(slow.breakOff).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(slow.breakOff).toHaveBeenCalledOnce();
    free();
    (await waiting)();
    await Promise.resolve();
    expect([budget.inUse(), budget.waiting(), vi.getTimerCount()]).toEqual([0, 0, 0]);
    expect(budget.refused()).toEqual({ late: 0, slow: 1 });
  });

  it('leaves senders alone that are fast enough, that began just now, or that have sent everything', async () => {
    const budget = start();
    const complete = createSender(1);
    const release = await budget.reserve({ id: 'a' }, 60, { sender: complete });
    release(60);
    const began = performance.now();
    const fast = createSender(() => (40 * (performance.now() - began)) / 19_000);
    await budget.reserve({ id: 'a' }, 40, { sender: fast });
    const recent = createSender(0);
    await budget.reserve({ id: 'b' }, 99, { sender: recent });
    const waiting = budget.reserve({ id: 'c' }, 10).catch((error) => error.code);
    vi.advanceTimersByTime(1_900);
    for (const { breakOff } of [complete, fast, recent]) expect(breakOff).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(recent.breakOff).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(10_000);
    expect(await waiting).toBe('TOO_BUSY');
    for (const { breakOff } of [complete, fast]) expect(breakOff).not.toHaveBeenCalled();
  });

  it('aborts the slowest first, until the next request is served', async () => {
    const budget = start();
    const honest = createSender(8);
    await budget.reserve({ id: 'a' }, 90, { sender: honest });
    const senders = [];
    for (let i = 0; i < 11; i++) {
      const sender = createSender(0);
      senders.push(sender);
      const release = await budget.reserve({ id: i === 0 ? 'a' : 'b' }, 10, { sender });
      sender.breakOff.mockImplementation(() => release());
    }
    const waiting = budget.reserve({ id: 'c' }, 45);
    vi.advanceTimersByTime(5_000);
    await waiting;
    vi.advanceTimersByTime(10_000);
    expect(senders.filter(({ breakOff }) => breakOff.mock.calls.length > 0)).toHaveLength(5);
    expect(honest.breakOff).not.toHaveBeenCalled();
  });

  it('aborts one that sends nothing more, however fast it was', async () => {
    const budget = start();
    const sender = createSender(99);
    await budget.reserve({ id: 'a' }, 100, { sender });
    void budget.reserve({ id: 'a' }, 10).catch(() => {});
    vi.advanceTimersByTime(3_000);
    expect(sender.breakOff).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_500);
    expect(sender.breakOff).toHaveBeenCalledOnce();
  });

  it('measures a sender from when it got its bytes, however long it waited for them', async () => {
    const budget = start();
    const free = await budget.reserve({ id: 'a' }, 100);
    const sender = createSender(0);
    const admitted = budget.reserve({ id: 'a' }, 100, { sender });
    void budget.reserve({ id: 'a' }, 10).catch(() => {});
    vi.advanceTimersByTime(5_000);
    free();
    await admitted;
    vi.advanceTimersByTime(1_900);
    expect(sender.breakOff).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(sender.breakOff).toHaveBeenCalledOnce();
  });

  it('aborts nobody whose bytes another account may not use', async () => {
    const budget = start();
    const slow = createSender(0);
    await budget.reserve({ id: 'b' }, 50, { sender: slow });
    await budget.reserve({ id: 'a' }, 100);
    void budget.reserve({ id: 'a' }, 20).catch(() => {});
    vi.advanceTimersByTime(9_000);
    expect(slow.breakOff).not.toHaveBeenCalled();
  });

  it('frees what is not needed of a body that has arrived', async () => {
    const budget = start();
    const release = await budget.reserve({ id: 'a' }, 100);
    const waiting = budget.reserve({ id: 'a' }, 60);
    release(40);
    (await waiting)();
    expect(budget.inUse()).toBe(40);
    release();
    expect(budget.inUse()).toBe(0);
  });

  it('knows a reservation after an earlier one of the same sender was freed twice', async () => {
    const budget = start();
    const first = await budget.reserve({ id: 'a' }, 100);
    first();
    const second = await budget.reserve({ id: 'a' }, 100);
    first();
    const waiting = budget.reserve({ id: 'a' }, 10);
    expect(budget.waiting()).toBe(1);
    second();
    (await waiting)();
    expect([budget.inUse(), budget.waiting()]).toEqual([0, 0]);
  });
});
