import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, createScan, finding, must, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { limit } from '../support/run/limits.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startApp } from '../support/server/app.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

/* Clients that keep the last byte of their bodies to themselves: what they have sent stays in memory. */

const LARGEST = 8 * 1024 * 1024;
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

  it('take the memory of two, and keep nobody from pushing', async () => {
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
      const start = performance.now();
      must(await batch(other, scans.other, LARGE));
      must(await api.post('/agent/findings', { ...busy.asAgent, body: finding(busy, scans.busy) }));
      must(await batch(busy, scans.busy, 'small'));
      expect(performance.now() - start).toBeLessThan(limit(3_000));
      // Large ones wait, then they are refused.
      const TOO_MANY = /^HTTP\/1.1 429 [\s\S]*Too many large bodies/;
      const refused = () => senders.filter(({ text }) => TOO_MANY.test(text())).length;
      await expect.poll(refused, { timeout: limit(20_000) }).toBe(58);
      const held = senders.filter(({ text }) => text() === '');
      for (const { socket } of held) socket.write(' ');
      await expect
        .poll(() => held.every(({ text }) => text().startsWith('HTTP/1.1 400')), { timeout: limit(10_000) })
        .toBe(true);
      must(await batch(busy, scans.busy, LARGE));
    } finally {
      for (const { socket } of senders) socket.destroy();
    }
  });
});

describe('a large body counts', () => {
  it('until its organization is answered', async () => {
    const t = await startApp();
    const org = await createOrg(t.api);
    const scan = await createScan(t.api, org);
    const inUse = () => t.services.bodies?.inUse();
    const body = { findings: [finding(org, scan, { description: LARGE })] };
    const { pushed } = await t.services.database.sql.begin(async (tx) => {
      await tx.unsafe(`lock table "${orgSchemaName(org.id)}".findings in access exclusive mode`);
      const pushed = t.api.post('/agent/findings/batch', { ...org.asAgent, body });
      await expect.poll(inUse).toBeGreaterThan(LARGE.length);
      return { pushed };
    });
    must(await pushed);
    expect(inUse()).toBe(0);
  });

  it('until it is read if a stranger sends it, whose work others need not wait for', async () => {
    const waiting: (() => void)[] = [];
    const verify = () => new Promise<boolean>((resolve) => waiting.push(() => resolve(false)));
    const t = await startApp({ hasher: { hash: async () => '', verify } });
    const body = { email: 'nobody@example.com', password: 'Correct1horse', unknown: LARGE };
    const answer = t.api.post('/auth/login', { body });
    await expect.poll(() => waiting.length).toBe(1);
    expect(t.services.bodies?.inUse()).toBe(0);
    waiting[0]?.();
    expect((await answer).status).toBe(401);
  });

  it('not at all if it is refused', async () => {
    const t = await startApp();
    const send = (text: string) =>
      t.app.request('http://localhost/api/v1/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': String(text.length) },
        body: text,
      });
    for (const text of [LARGE, JSON.stringify({ email: LARGE }), JSON.stringify([LARGE])])
      expect((await send(text)).status).toBe(400);
    expect(t.services.bodies?.inUse()).toBe(0);
  });
});
