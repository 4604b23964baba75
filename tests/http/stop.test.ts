import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endTalks, get, lastOnes, ok, post, serve, statuses, talk } from '../support/http/talk.ts';
import { limit } from '../support/run/limits.ts';

afterEach(endTalks);

describe('a server that stops', () => {
  it.each([0, 200])('answers what comes %i ms later on a kept connection, as the last', async (ms) => {
    const { server, port } = await serve();
    const client = talk(port);
    client.socket.write(get('/first'));
    await client.got('/first');
    const stopped = server.stop(limit(5_000));
    if (ms > 0) await sleep(ms);
    client.socket.write(get('/second'));
    expect(await client.closed).toBeUndefined();
    expect(client.received()).toContain('/second');
    expect(lastOnes(client.received())).toBe(1);
    expect(await stopped).toBe(0);
  });

  it('waits for the rest of a request, of its head and of its body', async () => {
    const { server, port } = await serve();
    const [head, body] = [talk(port), talk(port)];
    head.socket.write(get('/head').slice(0, 10));
    body.socket.write(`${post('/body', 4)}ab`);
    await sleep(50);
    const stopped = server.stop(limit(5_000));
    await sleep(700);
    head.socket.write(get('/head').slice(10));
    body.socket.write('cd');
    expect([await head.closed, await body.closed]).toEqual([undefined, undefined]);
    expect(head.received()).toContain('/head');
    expect(body.received()).toContain('/body abcd');
    expect(await stopped).toBe(0);
  });

  it('answers those that it has not accepted yet, and refuses those that come later', async () => {
    const { server, port } = await serve();
    const clients = Array.from({ length: 40 }, () => talk(port));
    for (const { socket } of clients) socket.write(get('/waiting'));
    // The system has connected them all, in this turn; nothing has been accepted.
    await new Promise<void>((done) => process.nextTick(done));
    const stopped = server.stop(limit(5_000));
    for (const client of clients) {
      expect(await client.closed).toBeUndefined();
      expect(client.received()).toContain('/waiting');
    }
    expect(await stopped).toBe(0);
    expect(await talk(port).closed).toBe('ECONNREFUSED');
  });

  it('answers all that was pipelined, and says with the last that it is the last', async () => {
    let go = () => {};
    const going = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { server, port } = await serve(async (request) => {
      if (request.url.endsWith('/slow')) await going;
      return ok(request);
    });
    const client = talk(port);
    client.socket.write(get('/slow') + get('/second') + get('/third'));
    await sleep(50);
    const stopped = server.stop(limit(5_000));
    client.socket.write(get('/fourth'));
    await sleep(50);
    go();
    expect(await client.closed).toBeUndefined();
    expect(statuses(client.received())).toEqual([200, 200, 200, 200]);
    expect(client.received().split('HTTP/1.1').map(lastOnes)).toEqual([0, 0, 0, 0, 1]);
    expect(await stopped).toBe(0);
  });

  it.each([
    ['has come since', '1234567890'],
    ['does not come', ''],
  ])(
    'does not wait on a connection whose request was answered before its body, which %s',
    async (_, body) => {
      const { server, port } = await serve(() => new Response('no'));
      const client = talk(port);
      client.socket.write(get('/', 'Content-Length: 10\r\n'));
      await client.got('no');
      client.socket.write(body);
      await sleep(50);
      const began = performance.now();
      expect(await server.stop(limit(5_000))).toBe(0);
      expect(performance.now() - began).toBeLessThan(limit(2_000));
      expect(await client.closed).toBeUndefined();
    },
  );

  it('waits for what comes behind such a body', async () => {
    const { server, port } = await serve(() => new Response('no'));
    const client = talk(port);
    client.socket.write(post('/', 10));
    await client.got('no');
    client.socket.write('1234567890');
    await sleep(50);
    client.socket.write(get().slice(0, 10));
    await sleep(50);
    const stopped = server.stop(limit(5_000));
    await sleep(700);
    client.socket.write(get().slice(10));
    expect(await client.closed).toBeUndefined();
    expect(statuses(client.received())).toEqual([200, 200]);
    expect(await stopped).toBe(0);
  });

  it('gives its last answer also to a client that goes on with nonsense', async () => {
    const { server, port } = await serve(async (request) => {
      if (request.url.endsWith('/first')) return ok(request);
      const parts = ['begun', ' and ended'];
      const pull = async (controller: ReadableStreamDefaultController) => {
        const part = parts.shift();
        if (part) controller.enqueue(Buffer.from(part));
        else controller.close();
        await sleep(200);
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    });
    const client = talk(port);
    client.socket.write(get('/first'));
    await client.got('/first');
    const stopped = server.stop(limit(5_000));
    client.socket.write(get('/last'));
    await client.got('begun');
    client.socket.write('nonsense\r\n\r\n');
    expect(await client.closed).toBeUndefined();
    expect(client.received()).toContain(' and ended');
    expect(await stopped).toBe(0);
  });

  it('ends connections on which nothing comes, without a reset', async () => {
    const { server, port } = await serve();
    const [silent, kept] = [talk(port), talk(port)];
    kept.socket.write(get('/kept'));
    await kept.got('/kept');
    const began = performance.now();
    expect(await server.stop(limit(5_000))).toBe(0);
    expect(performance.now() - began).toBeLessThan(limit(2_000));
    expect([await silent.closed, await kept.closed]).toEqual([undefined, undefined]);
  });

  it('breaks off what takes too long, and says how much that was', async () => {
    const { server, port } = await serve(() => new Promise(() => {}));
    talk(port).socket.write(get('/for-ever'));
    talk(port).socket.write(get('/for-ever'));
    await sleep(50);
    expect(await server.stop(300)).toBe(2);
  });

  it('waits for nobody who has left', async () => {
    let cancelled = 0;
    const { server, port } = await serve(
      () =>
        new Response(
          new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => void cancelled++ }),
        ),
    );
    const client = talk(port);
    client.socket.write(get('/one') + get('/two') + get('/three'));
    await client.got('HTTP/1.1 200');
    client.socket.destroy();
    await vi.waitFor(() => expect(cancelled).toBe(3));
    expect(await server.stop(limit(5_000))).toBe(0);
  });
});

describe('the last answer on a connection', () => {
  it('reaches a client that is still sending', async () => {
    const { port } = await serve(() => new Response('enough'));
    const client = talk(port, true);
    const part = 'x'.repeat(1_000);
    client.socket.write(post('/', 1_000 * part.length, 'Connection: close\r\n'));
    for (let i = 0; i < 50; i++) {
      client.socket.write(part);
      await sleep(5);
    }
    client.socket.end();
    expect(await client.closed).toBeUndefined();
    expect(client.received()).toMatch(/enough$/);
  });
});
