import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../lib/logger.ts';
import { listen } from '../../lib/node/listener.ts';
import {
  endTalks,
  type Fetch,
  get,
  lastOnes,
  ok,
  post,
  serve,
  statuses,
  talk,
} from '../support/http/talk.ts';
import { limit } from '../support/run/limits.ts';

afterEach(endTalks);

describe('a client that takes its time', () => {
  const refused = (text: string, status: number) => {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
    expect(head).toMatch(/x-request-id: req_/);
    expect(lastOnes(head)).toBe(1);
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      errors: [{ type: 'validation_error', code: 'invalid_request' }],
    });
  };
  const short = { headersMs: 200, requestMs: 400 };

  it.each([
    ['the head of a request', get('/slow').slice(0, -2)],
    ['its body', `${post('/slow', 10)}12345`],
    [
      'a chunked body',
      'POST /slow HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n',
    ],
  ])('over %s is told so', async (_, text) => {
    const { port } = await serve(ok, short);
    const client = talk(port);
    for (const part of text.match(/.{1,15}/gs) ?? []) {
      client.socket.write(part);
      await sleep(5);
    }
    expect(await client.closed).toBeUndefined();
    refused(client.received(), 408);
  });

  it('over a body is told so while it goes on sending, and once, also when the body is complete then', async () => {
    const { port } = await serve(ok, short);
    const [dribbles, completes] = [talk(port, true), talk(port, true)];
    dribbles.socket.write(post('/slow', 1_000));
    completes.socket.write(post('/slow', 1_000));
    for (let i = 0; i < 25 || !completes.received(); i++) {
      for (const { socket } of [dribbles, completes]) socket.write('x');
      await sleep(20);
    }
    for (let i = 0; i < 3; i++) {
      completes.socket.write('x'.repeat(1_000));
      await sleep(20);
    }
    for (const client of [dribbles, completes]) {
      client.socket.end();
      expect(await client.closed).toBeUndefined();
      refused(client.received(), 408);
      expect(statuses(client.received())).toEqual([408]);
    }
  });

  it('over a body whose request is answered already is told nothing more', async () => {
    const { port } = await serve(() => new Response('no', { status: 401 }));
    const client = talk(port);
    client.socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await client.got('no');
    client.socket.write('zz\r\n');
    expect(await client.closed).toBeUndefined();
    expect(statuses(client.received())).toEqual([401]);
  });

  it('and says nothing at all is told nothing, and let go', async () => {
    const { port } = await serve(ok, short);
    const client = talk(port);
    expect(await client.closed).toBeUndefined();
    expect(client.received()).toBe('');
  });

  it('between two requests is let go, but not before a proxy would', async () => {
    const { port } = await serve(ok, { keepAliveMs: 65_000 });
    const client = talk(port);
    client.socket.write(get('/kept'));
    await client.got('/kept');
    expect(client.received()).toMatch(/^keep-alive: timeout=65\r$/im);
  });

  it.each([
    ['no HTTP', 400, 'nonsense\r\n\r\n'],
    ['no Host', 400, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['too many headers', 431, get('/', `X-Long: ${'x'.repeat(20_000)}\r\n`)],
    [
      'too much beside the chunks',
      413,
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n1\r\n0\r\n\r\n`,
    ],
  ])('is refused like one that sends %s', async (_, status, text) => {
    const { port } = await serve();
    const client = talk(port);
    client.socket.write(text);
    expect(await client.closed).toBeUndefined();
    refused(client.received(), status);
  });

  it('holds nothing of what comes before nonsense', async () => {
    const { port } = await serve(() => new Promise(() => {}));
    const client = talk(port);
    client.socket.write(`${get('/first')}nonsense\r\n\r\n`);
    await client.closed;
    // It would be taken for the answer to the first.
    expect(client.received()).toBe('');
  });
});

describe('many requests on one connection', () => {
  it('are served some at a time, in their order, and not read before', async () => {
    let [running, most] = [0, 0];
    const { port } = await serve(
      async (request) => {
        most = Math.max(most, ++running);
        await sleep(1);
        running--;
        return ok(request);
      },
      { maxPipelined: 10 },
    );
    const client = talk(port);
    const paths = Array.from({ length: 3_000 }, (_, i) => `/${i}`);
    client.socket.write(paths.map((path) => `${post(path, 1)}x`).join(''));
    await client.got('/2999 x');
    expect([...client.received().matchAll(/(\/\d+) x/g)].map(([, path]) => path)).toEqual(paths);
    expect(most).toBe(10);
    client.socket.write(get('/after'));
    await client.got('/after');
  });

  it('are few in memory, and nobody waits for their end', async () => {
    let came = 0;
    let socket: net.Socket | undefined;
    const { port } = await serve(async (request, env) => {
      came++;
      socket = env.incoming.socket;
      await request.text();
      return await new Promise<Response>(() => {});
    });
    const client = talk(port);
    client.socket.write(`${post('/', 1)}x`.repeat(50_000));
    await vi.waitFor(() => expect(came).toBeGreaterThan(0));
    await sleep(300);
    expect(socket?.bytesRead).toBeLessThan(500_000);
    expect(came).toBe(100);
    const began = performance.now();
    client.socket.destroy();
    await sleep(50);
    expect(performance.now() - began).toBeLessThan(limit(500));
    expect(came).toBe(100);
  });

  it('may expect what we do not know', async () => {
    const { server, port } = await serve();
    const client = talk(port);
    client.socket.write(get('/wonders', 'Expect: wonders\r\n'));
    await client.got('/wonders');
    const began = performance.now();
    expect(await server.stop(limit(5_000))).toBe(0);
    expect(performance.now() - began).toBeLessThan(limit(2_000));
  });
});

describe('an answer that is not read', () => {
  const MIB = 1024 * 1024;
  const endless = (onCancel: () => void): Fetch => {
    const chunk = new Uint8Array(MIB);
    return () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel: onCancel }));
  };

  it.each([
    ['when nothing moves any more', { stallMs: 200 }],
    ['when it takes too long altogether', { answerMs: 200 }],
  ])('is broken off %s', async (_, limits) => {
    let cancelled = false;
    const onCancel = () => {
      cancelled = true;
    };
    const { port } = await serve(endless(onCancel), limits);
    const client = talk(port);
    client.socket.write(get());
    client.socket.pause();
    await vi.waitFor(() => expect(cancelled).toBe(true));
    client.socket.resume();
    await client.closed;
    // Not as if it were whole.
    expect(client.received()).not.toMatch(/0\r\n\r\n$/);
  });

  it('is broken off when answers take too much memory, the longest first', async () => {
    const { port } = await serve(
      (request) => new Response(new Uint8Array(Number(new URL(request.url).pathname.slice(1)) * MIB)),
      { maxUnsent: 40 * MIB },
    );
    const [long, short] = [talk(port), talk(port)];
    for (const { socket } of [long, short]) socket.pause();
    short.socket.write(get('/20'));
    long.socket.write(get('/40'));
    await sleep(limit(1_500));
    for (const { socket } of [long, short]) socket.resume();
    await long.closed;
    expect(long.received().length).toBeLessThan(40 * MIB);
    await vi.waitFor(() => expect(short.received().length).toBeGreaterThan(20 * MIB));
  });
});

describe('too many connections', () => {
  it('for the system are logged, once in a while', async () => {
    const said: unknown[] = [];
    const log = createLogger({ level: 'info', format: 'text', write: (line) => said.push(line) });
    const server = net.createServer();
    await listen(server, 0, '127.0.0.1', log);
    for (let i = 0; i < 3; i++) server.emit('error', new Error('accept EMFILE'));
    expect(said).toEqual([expect.stringContaining('connections are not accepted reason="accept EMFILE"')]);
    server.close();
  });

  it('take the place of those that have been idle for longest', async () => {
    const { port } = await serve(
      async (request) =>
        request.url.endsWith('/busy') ? await new Promise<Response>(() => {}) : ok(request),
      { max: 3 },
    );
    const busy = talk(port);
    busy.socket.write(get('/busy'));
    await sleep(20);
    const old = talk(port);
    old.socket.write(get('/old'));
    await old.got('/old');
    const young = talk(port);
    young.socket.write(get('/young'));
    await young.got('/young');
    const next = talk(port);
    next.socket.write(get('/next'));
    await next.got('/next');
    await old.closed;
    expect([busy, young, next].map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
  });
});
