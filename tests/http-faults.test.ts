import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { refuseMalformed } from '../lib/http/app.ts';
import { createListTurns, type ListTurns } from '../lib/http/list-turns.ts';
import { createLogger } from '../lib/logger.ts';
import { createHttpServer, type HttpLimits, type HttpServer } from '../lib/node/http-server.ts';
import { listen } from '../lib/node/listener.ts';

const servers: HttpServer[] = [];
const talks: Talk[] = [];
afterEach(async () => {
  for (const { socket } of talks.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop(1_000)));
});

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

const ok = async (request: Request) =>
  new Response(`${new URL(request.url).pathname} ${await request.text()}`);

async function serve(fetch: Fetch = ok, limits: Partial<HttpLimits> = {}) {
  const server = createHttpServer({ fetch: fetch as never, malformed: refuseMalformed, limits });
  servers.push(server);
  return { server, port: await server.listen(0, '127.0.0.1') };
}

/** A client's side of a connection. */
interface Talk {
  socket: net.Socket;
  received(): string;
  /** Resolves when this has come. */
  got(text: string): Promise<void>;
  /** Resolves when the connection is closed, with the error if it was broken off. */
  closed: Promise<string | undefined>;
}

function talk(port: number, allowHalfOpen = false): Talk {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen });
  let received = '';
  let broken: string | undefined;
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    broken = error.code;
  });
  const made = {
    socket,
    received: () => received,
    got: (text: string) =>
      vi.waitFor(() => expect(received).toContain(text), { timeout: 5_000, interval: 5 }),
    closed: new Promise<string | undefined>((resolve) => socket.once('close', () => resolve(broken))),
  };
  talks.push(made);
  return made;
}

const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const post = (path: string, length: number, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${headers}\r\n`;

/** Bodies of whole answers in what was received. */
const statuses = (text: string) => [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => Number(status));
const lastOnes = (text: string) => text.match(/^connection: close\r?$/gim)?.length ?? 0;

describe('a server that stops', () => {
  it.each([0, 200])('answers what comes %i ms later on a kept connection, as the last', async (ms) => {
    const { server, port } = await serve();
    const client = talk(port);
    client.socket.write(get('/first'));
    await client.got('/first');
    const stopped = server.stop(5_000);
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
    const stopped = server.stop(5_000);
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
    const clients = Array.from({ length: 100 }, () => talk(port));
    for (const { socket } of clients) socket.write(get('/waiting'));
    // The system has connected them all, in this turn; nothing has been accepted.
    await new Promise<void>((done) => process.nextTick(done));
    const stopped = server.stop(5_000);
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
    const stopped = server.stop(5_000);
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
      expect(await server.stop(5_000)).toBe(0);
      expect(performance.now() - began).toBeLessThan(2_000);
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
    const stopped = server.stop(5_000);
    await sleep(700);
    client.socket.write(get().slice(10));
    expect(await client.closed).toBeUndefined();
    expect(statuses(client.received())).toEqual([200, 200]);
    expect(await stopped).toBe(0);
  });

  it('gives its last answer also to who goes on with nonsense', async () => {
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
    const stopped = server.stop(5_000);
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
    expect(await server.stop(5_000)).toBe(0);
    expect(performance.now() - began).toBeLessThan(2_000);
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
    expect(await server.stop(5_000)).toBe(0);
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
    expect(performance.now() - began).toBeLessThan(500);
    expect(came).toBe(100);
  });

  it('may expect what we do not know', async () => {
    const { server, port } = await serve();
    const client = talk(port);
    client.socket.write(get('/wonders', 'Expect: wonders\r\n'));
    await client.got('/wonders');
    const began = performance.now();
    expect(await server.stop(5_000)).toBe(0);
    expect(performance.now() - began).toBeLessThan(2_000);
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
    await vi.waitFor(() => expect(cancelled).toBe(true), { timeout: 5_000 });
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
    await sleep(1_500);
    for (const { socket } of [long, short]) socket.resume();
    await long.closed;
    expect(long.received().length).toBeLessThan(40 * MIB);
    await vi.waitFor(() => expect(short.received().length).toBeGreaterThan(20 * MIB), { timeout: 5_000 });
  });
});

describe('connections that another process has accepted', () => {
  it('have the same limits, and the same end', async () => {
    const server = createHttpServer({
      ...{ fetch: ok as never, malformed: refuseMalformed },
      limits: { headersMs: 200 },
    });
    servers.push(server);
    const primary = net.createServer(server.take);
    await new Promise<void>((done) => primary.listen(0, '127.0.0.1', done));
    const { port } = primary.address() as net.AddressInfo;
    const [slow, silent] = [talk(port), talk(port)];
    slow.socket.write('GET / HTTP/1.1\r\nHo');
    expect(await slow.closed).toBeUndefined();
    expect(statuses(slow.received())).toEqual([408]);
    expect(await silent.closed).toBeUndefined();
    const kept = talk(port);
    kept.socket.write(get('/kept'));
    await kept.got('/kept');
    const stopped = server.stop(5_000);
    kept.socket.write(get('/last'));
    expect(await kept.closed).toBeUndefined();
    expect(kept.received()).toContain('/last');
    expect(lastOnes(kept.received())).toBe(1);
    expect(await stopped).toBe(0);
    primary.close();
  });
});

describe('too many connections', () => {
  it('for the system are told to who reads the log, once in a while', async () => {
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

describe('whole lists', () => {
  /** Reads a list, with rows waiting for it all the time. */
  async function read(turns: ListTurns, bytesPerSecond: number) {
    const began = performance.now();
    const waited = () => performance.now() - began;
    const taken = () => (waited() / 1_000) * bytesPerSecond;
    const reader = { taken, waited, broken: 0, breakOff: () => {} };
    const leave = await turns.enter(reader);
    reader.breakOff = () => {
      reader.broken++;
      leave();
    };
    return Object.assign(reader, { leave });
  }

  it('give way to others when their reader is slow, the slowest first', async () => {
    const turns = createListTurns(3, { patienceMs: 5_000, slowMs: 200 });
    const readers = [await read(turns, 1_000_000), await read(turns, 100_000), await read(turns, 50_000)];
    const broken = () => readers.map((reader) => reader.broken);
    await sleep(400);
    expect(broken()).toEqual([0, 0, 0]);
    await read(turns, 1_000_000);
    expect(broken()).toEqual([0, 0, 1]);
    for (const { leave } of readers) leave();
  });

  it('do not give way when it is the database that is slow', async () => {
    const turns = createListTurns(1, { patienceMs: 500, slowMs: 100 });
    const reader = await turns.enter({
      taken: () => 0,
      waited: () => 0,
      breakOff: () => expect.unreachable(),
    });
    await expect(read(turns, 0)).rejects.toThrow('no turn within 500 ms');
    reader();
  });

  it('come to their end, also when all readers are slower than the database and there are too many', async () => {
    const turns = createListTurns(2, { patienceMs: 300, slowMs: 100 });
    let [done, broken] = [0, 0];
    const until = performance.now() + 2_000;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (performance.now() < until) {
          const reader = await read(turns, 1_000_000).catch(() => undefined);
          if (!reader) continue;
          await sleep(400);
          if (reader.broken) broken++;
          else done++;
          reader.leave();
        }
      }),
    );
    expect(done).toBeGreaterThan(4);
    expect(broken).toBe(0);
  });

  it('refuse who comes when there are too many', async () => {
    const turns = createListTurns(1, { patienceMs: 50 });
    await read(turns, 0);
    await expect(read(turns, 0)).rejects.toThrow('no turn within 50 ms');
  });
});
