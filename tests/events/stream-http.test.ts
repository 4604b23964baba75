import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { endTalks, type Fetch, get, serve, talk } from '../support/http/talk.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Streams of events on connections of the HTTP server. */

let t: TestApp;
let org: TestOrg;
let id: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  id = (await push(t.api, org, await createScan(t.api, org))).id;
});

afterEach(endTalks);

async function open(headers = '') {
  const { server, port } = await serve(t.app.fetch as Fetch);
  const client = talk(port);
  const own = `X-Org-Slug: ${org.slug}\r\nCookie: svc_token=${org.owner.cookie}\r\n`;
  client.socket.write(get('/api/v1/events', own + headers));
  await client.got('retry: 3000');
  return { server, client };
}

const change = async (status: string) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));

describe('a stream over HTTP', () => {
  it('is neither compressed nor held back', async () => {
    const { client } = await open('Accept-Encoding: gzip, br\r\n');
    await change('confirmed');
    await client.got('event: finding.status_changed');
    const [head = ''] = client.received().split('\r\n\r\n');
    expect(head.toLowerCase()).toContain('content-type: text/event-stream');
    expect(head.toLowerCase()).toContain('x-accel-buffering: no');
    expect(head.toLowerCase()).not.toContain('content-encoding');
  });

  it('frees its place when the client goes away', async () => {
    const clients = [];
    for (let i = 0; i < 10; i++) clients.push((await open()).client);
    const refused = () => t.api.get('/events', org.asOwner);
    expect((await refused()).status).toBe(429);
    for (const { socket } of clients) socket.destroy();
    await expect.poll(async () => (await refused()).status, { timeout: limit(5_000) }).toBe(200);
  });

  it('ends at once when the server stops', async () => {
    const { server, client } = await open();
    const began = performance.now();
    t.services.eventFeeds.stop();
    expect(await server.stop(limit(5_000))).toBe(0);
    expect(await client.closed).toBeUndefined();
    expect(client.received().endsWith('0\r\n\r\n')).toBe(true);
    expect(performance.now() - began).toBeLessThan(limit(3_000));
  });
});
