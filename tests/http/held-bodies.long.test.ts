import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, createScan, finding, must, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { limit } from '../support/run/limits.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

/* Clients that keep the last byte of their bodies to themselves: what they have sent stays in memory. */

const MIB = 1024 * 1024;
const LARGEST = 8 * MIB;
const LARGE = 'x'.repeat(100_000);

describe('sixty clients of an organization that send all of the largest batch but one byte', () => {
  let server: RunningServer;
  let busy: TestOrg;
  let other: TestOrg;

  beforeAll(async () => {
    const database = await createDatabase();
    afterSuite(database.drop);
    afterSuite(stopServers);
    server = await startServer({ DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests' });
    [busy, other] = [await createOrg(server.api), await createOrg(server.api)];
  });

  /** @returns the socket and what the server has answered so far */
  function startToSend({ token, slug }: TestOrg): { socket: Socket; text: () => string } {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      text += data;
    });
    const head = [
      'POST /api/v1/agent/findings/batch HTTP/1.1',
      ...['Host: localhost', `Authorization: Bearer ${token}`, `X-Org-Slug: ${slug}`],
      ...['Content-Type: application/json', `Content-Length: ${LARGEST}`],
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(LARGEST - 1, ' '));
    return { socket, text: () => text };
  }

  /** The value of a series in `/metrics`. */
  async function measured(series: string): Promise<number> {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const line = text.split('\n').find((line) => line.startsWith(`${series} `));
    return Number(line?.slice(series.length));
  }

  it('take the memory of four, and keep nobody from pushing', async () => {
    const { api } = server;
    const scans = { busy: await createScan(api, busy), other: await createScan(api, other) };
    const batch = (org: TestOrg, scan: string, description: string) =>
      api.post('/agent/findings/batch', {
        ...org.asAgent,
        body: { findings: [finding(org, scan, { description })] },
      });
    must(await batch(other, scans.other, LARGE));
    const before = await server.memory();
    const senders = Array.from({ length: 60 }, () => startToSend(busy));
    try {
      await sleep(3_000);
      // Sockets of both sides keep some of it. Without a limit, the server holds 480 MiB.
      expect((await server.memory()) - before).toBeLessThan(150);
      expect(await measured('svc_body_memory_bytes{budget="organizations"}')).toBe(4 * LARGEST);
      expect(await measured('svc_body_memory_waiting{budget="organizations"}')).toBeGreaterThan(50);
      const start = performance.now();
      must(await batch(other, scans.other, LARGE));
      must(await api.post('/agent/findings', { ...busy.asAgent, body: finding(busy, scans.busy) }));
      must(await batch(busy, scans.busy, 'small'));
      expect(performance.now() - start).toBeLessThan(limit(3_000));
      // Some wait too long. Others give way to those that wait, because they have sent nothing for long.
      const refused = (message: string) =>
        senders.filter(({ text }) => text().startsWith('HTTP/1.1 429') && text().includes(message)).length;
      const isNew = ({ text }: { text: () => string }) => text() === '';
      await expect.poll(() => senders.filter(isNew).length, { timeout: limit(25_000) }).toBeLessThan(5);
      expect(refused('Too many large bodies')).toBeGreaterThan(30);
      expect(refused('too slowly')).toBeGreaterThan(3);
      const counted = (reason: string) =>
        measured(`svc_body_memory_refused_total{budget="organizations",reason="${reason}"}`);
      expect(await counted('late')).toBeGreaterThan(30);
      expect(await counted('slow')).toBeGreaterThan(3);
      expect(await measured('svc_body_memory_refused_total{budget="clients",reason="late"}')).toBe(0);
      must(await batch(busy, scans.busy, LARGE));
    } finally {
      for (const { socket } of senders) socket.destroy();
    }
  });
});

describe('the memory of a large body', () => {
  const inUse = ({ services: { bodies } }: TestApp) => [bodies?.ofOrgs.inUse(), bodies?.ofClients.inUse()];

  it('counts until a batch is answered, however its length was announced', async () => {
    const t = await startApp();
    const org = await createOrg(t.api);
    const scan = await createScan(t.api, org);
    const body = { findings: [finding(org, scan, { description: LARGE })] };
    const { pushed } = await t.services.database.sql.begin(async (tx) => {
      await tx.unsafe(`lock table "${orgSchemaName(org.id)}".findings in access exclusive mode`);
      const pushed = t.api.post('/agent/findings/batch', { ...org.asAgent, body });
      await expect.poll(() => inUse(t)).toEqual([JSON.stringify(body).length, 0]);
      return { pushed };
    });
    must(await pushed);
    expect(inUse(t)).toEqual([0, 0]);
  });

  it('counts until other bodies are read, so that nobody waits for what they ask for', async () => {
    const waiting: (() => void)[] = [];
    const verify = () => new Promise<boolean>((resolve) => waiting.push(() => resolve(false)));
    const t = await startApp({ hasher: { hash: async () => '', verify } });
    const body = { email: 'nobody@example.com', password: 'Correct1horse', unknown: LARGE };
    const answer = t.api.post('/auth/login', { body });
    await expect.poll(() => waiting.length).toBe(1);
    expect(inUse(t)).toEqual([0, 0]);
    waiting[0]?.();
    expect((await answer).status).toBe(401);
  });

  it('is free when the body is refused, or its client has left', async () => {
    const t = await startApp();
    const org = await createOrg(t.api);
    const send = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
      t.app.request(
        new Request('http://localhost/api/v1/agent/findings/batch', {
          method: 'POST',
          headers: {
            ...{ 'content-type': 'application/json', authorization: `Bearer ${org.token}` },
            ...{ 'x-org-slug': org.slug, ...headers },
          },
          body,
          ...({ duplex: 'half' } as object),
        }),
      );
    const lengths = (text: string): Record<string, string>[] => [{}, { 'content-length': `${text.length}` }];
    for (const text of [LARGE, JSON.stringify({ findings: LARGE }), JSON.stringify([LARGE])])
      for (const headers of lengths(text)) expect((await send(text, headers)).status).toBe(400);
    const lost = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(LARGE)),
      pull: (controller) => controller.error(new Error('gone')),
    });
    expect((await send(lost)).status).toBe(400);
    expect(inUse(t)).toEqual([0, 0]);
  });

  it('is shared by the clients of an IPv6 /48, whatever /64 they send from', async () => {
    const t = await startApp({ env: { SVC_TRUST_PROXY: 'on' } });
    const senders = new AbortController();
    const send = async (address: string) => {
      const request = new Request('http://localhost/api/v1/auth/login', {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'content-length': String(MIB) },
          'x-forwarded-for': address,
        },
        body: new ReadableStream(),
        signal: senders.signal,
        ...({ duplex: 'half' } as object),
      });
      await t.app.request(request);
    };
    const clients = t.services.bodies?.ofClients;
    for (let n = 1; n <= 5; n++) void send(`2001:db8:1:${n}::1`);
    await expect.poll(() => [clients?.inUse(), clients?.waiting()]).toEqual([4 * MIB, 1]);
    void send('2001:db8:2:1::1');
    void send('192.0.2.7');
    await expect.poll(() => [clients?.inUse(), clients?.waiting()]).toEqual([6 * MIB, 1]);
    senders.abort();
    await expect.poll(() => clients?.waiting()).toBe(0);
  });
});
