import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFindingsClient, type FindingsClient, type FindingsClientOptions } from '../../client/index.ts';
import { limit } from '../support/run/limits.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A client of a server that does what `handle` says; waits are recorded and skipped. */
async function against(handle: Handler, options: Partial<FindingsClientOptions> = {}) {
  const received: { method: string; key: string | undefined; url: string }[] = [];
  const server = createServer((request, response) => {
    const key = request.headers['idempotency-key'] as string | undefined;
    received.push({ method: request.method ?? '', key, url: request.url ?? '' });
    request.resume();
    handle(request, response, received.length);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const waits: number[] = [];
  const client = createFindingsClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'svc_0',
    wait: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  return { client, received, waits };
}

const json = (response: ServerResponse, body: unknown, status = 200, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
    .end(JSON.stringify(body));

const failure = (type: string, code: string) => ({
  success: false,
  request_id: 'req_1',
  errors: [{ type, code, ref: 'E70001', message: 'Wait.' }],
});

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

const id = '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07';
const FINDING = {
  scan_id: 's',
  project_id: id,
  fingerprint: 'f',
  title: 't',
  severity: 'low' as const,
  description: 'd',
};

describe('retries', () => {
  it('wait as long as Retry-After asks, and end', async () => {
    const { client, received, waits } = await against((_, response) =>
      json(response, failure('rate_limit_error', 'exceeded'), 429, { 'retry-after': '7' }),
    );
    await expect(client.get('/projects')).rejects.toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'exceeded',
      requestId: 'req_1',
      retryAfter: 7,
    });
    expect(received).toHaveLength(4);
    expect(waits).toEqual([7_000, 7_000, 7_000]);
  });

  it('do not wait for hours', async () => {
    const { client, received } = await against((_, response) =>
      json(response, failure('rate_limit_error', 'exceeded'), 429, { 'retry-after': '86400' }),
    );
    await expect(client.get('/projects')).rejects.toMatchObject({ status: 429 });
    expect(received).toHaveLength(1);
  });

  it.each([
    ['a read', (client: FindingsClient) => client.get('/projects'), 2],
    ['a new project', (client: FindingsClient) => client.post('/projects', { body: { name: 'Web' } }), 1],
    [
      'a triage',
      (client: FindingsClient) =>
        client.patch('/findings/{id}', { params: { path: { id } }, body: { status: 'fixed' } }),
      1,
    ],
    ['a push', (client: FindingsClient) => client.post('/agent/findings', { body: FINDING }), 2],
    [
      'a batch',
      (client: FindingsClient) => client.post('/agent/findings/batch', { body: { findings: [FINDING] } }),
      2,
    ],
  ] as const)('repeat only what can be repeated: %s', async (_, call, times) => {
    const { client, received } = await against((_, response, count) =>
      count === 1
        ? json(response, failure('server_error', 'unavailable'), 503)
        : json(response, { success: true, result: [] }),
    );
    await call(client).catch(() => {});
    expect(received).toHaveLength(times);
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
  });

  it('do not repeat errors of the request', async () => {
    const { client, received } = await against((_, response) =>
      json(response, failure('permission_error', 'denied'), 403),
    );
    await expect(client.get('/projects')).rejects.toMatchObject({ code: 'denied' });
    expect(received).toHaveLength(1);
  });

  it('stop at once when the call is aborted', async () => {
    const controller = new AbortController();
    const { client, received } = await against(
      (_, response) => json(response, failure('server_error', 'unavailable'), 503),
      { wait: undefined as never, retryDelays: [3_600] },
    );
    const call = client.get('/projects', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 200);
    await expect(call).rejects.toThrow('enough');
    expect(received).toHaveLength(1);
  });
});

describe('a slow service', () => {
  it('that never responds is given up', async () => {
    const { client, received } = await against(() => {}, { timeoutMs: 100, retryDelays: [0] });
    await expect(client.get('/projects')).rejects.toMatchObject({ name: 'TransportError', code: 'timeout' });
    expect(received).toHaveLength(2);
  });

  it('that sends one byte at a time is given up', async () => {
    const drip = (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const { client } = await against(drip, { timeoutMs: 200, retryDelays: [] });
    await expect(client.get('/projects')).rejects.toMatchObject({ code: 'timeout' });
  });

  it('may pause in a stream for less than the timeout, not for more', async () => {
    const rows = (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"success":true,"result":[{"id":"1"}');
      setTimeout(() => response.write(',{"id":"2"}'), 100);
    };
    const { client } = await against(rows, { timeoutMs: limit(1_000) });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { id } of client.findings()) seen.push(id);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'timeout' });
    expect(seen).toEqual(['1', '2']);
  });

  it('is not confused with a slow consumer', async () => {
    const { client } = await against((_, response) => json(response, { success: true, result: [{}, {}] }), {
      timeoutMs: 300,
    });
    let rows = 0;
    for await (const _ of client.findings()) {
      rows++;
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(rows).toBe(2);
  });
});

describe('a broken response', () => {
  it('that is cut off is an error after the rows before it', async () => {
    const { client, received } = await against((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"success":true,"result":[{"id":"1"},{"id":"2"},{"id"', () => response.destroy());
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { id } of client.findings()) seen.push(id);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'cut_off' });
    expect(seen).toEqual(['1', '2']);
    expect(received).toHaveLength(1);
  });

  it.each([
    ['an unfinished list', '{"success":true,"result":[{"id":"1"}'],
    ['no list', '{"success":true,"result":{"id":"1"}}'],
    ['a list of its own', '[{"id":"1"}]'],
    ['a row that is not JSON', '{"success":true,"result":[{id}]}'],
    ['too many brackets', '{"success":true,"result":[]}}'],
    ['nothing', ''],
  ])('is no complete list: %s', async (_, body) => {
    const { client } = await against((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    await expect(all(client.findings())).rejects.toMatchObject({ code: 'invalid_response' });
  });

  it.each(['{"success":true}', '<html>Sign in</html>', ''])('with another content type: %s', async (body) => {
    const { client, received } = await against((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(body),
    );
    const error = { name: 'ServiceError', status: 200, type: '' };
    await expect(all(client.findings())).rejects.toMatchObject(error);
    await expect(all(client.exportFindings('csv'))).rejects.toMatchObject(error);
    expect(received).toHaveLength(2);
  });

  it('that is too large is refused before it fills the memory', async () => {
    const chunk = ' '.repeat(64 * 1024);
    let sent = 0;
    const endless = (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"success":true,"result":[{"title":"');
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        sent += chunk.length;
        response.once('drain', send);
      };
      send();
    };
    const { client } = await against(endless, { maxBytes: 2 ** 20 });
    await expect(client.get('/findings')).rejects.toMatchObject({ code: 'too_large' });
    await expect(all(client.findings())).rejects.toMatchObject({ code: 'too_large' });
    expect(sent).toBeLessThan(64 * 2 ** 20);
  });

  it('that redirects does not get the token', async () => {
    const { client, received } = await against((request, response) =>
      response.writeHead(307, { location: `http://${request.headers.host}/elsewhere` }).end(),
    );
    await expect(client.get('/projects')).rejects.toMatchObject({ code: 'redirected' });
    await expect(all(client.findings())).rejects.toMatchObject({ code: 'redirected' });
    expect(received).toHaveLength(2);
  });

  it('is told apart from no response', async () => {
    const { client } = await against((request) => request.socket.destroy(), { retryDelays: [] });
    await expect(client.get('/projects')).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('a list without end', () => {
  const page = (changes: object, rows = [{}]) => ({
    success: true,
    result: rows,
    result_info: {
      page: 1,
      per_page: 100,
      total: 1,
      total_pages: 1,
      has_next: true,
      has_prev: false,
      ...changes,
    },
  });

  it.each([
    ['repeats its first page', () => page({ total_pages: 9 })],
    ['goes on after its last page', (n: number) => page({ page: n, total_pages: 2 })],
    ['has empty pages', (n: number) => page({ page: n, total_pages: 1_000_000 }, [])],
    ['has no pages', () => ({ success: true, result: [] })],
    ['has no rows', (n: number) => ({ ...page({ page: n }), result: 'rows' })],
  ])('ends where it %s', async (_, answer) => {
    const { client, received } = await against((_, response, count) => json(response, answer(count)));
    await expect(all(client.list('/scans'))).rejects.toMatchObject({ code: 'invalid_response' });
    expect(received.length).toBeLessThanOrEqual(2);
  });

  it('is read no faster than it is used', async () => {
    const row = JSON.stringify({ id: '1', description: 'x'.repeat(10_000) });
    let sent = 0;
    const { client } = await against((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"success":true,"result":[${row}`);
      const send = () => {
        do sent += row.length;
        while (!response.destroyed && response.write(`,${row}`));
        response.once('drain', send);
      };
      send();
    });
    let rows = 0;
    for await (const _ of client.findings()) {
      if (++rows === 1_000) break;
      if (rows % 250 === 0) await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // The buffers of two sockets and a stream hold the difference.
    expect(sent).toBeLessThan(rows * row.length + 32 * 2 ** 20);
  });
});

describe('a batch', () => {
  it('has a result for each finding, or is an error', async () => {
    const { client } = await against((_, response) =>
      json(response, { success: true, result: { created: 1, deduplicated: 0, failed: 0, results: [] } }),
    );
    await expect(all(client.push([FINDING]))).rejects.toMatchObject({ code: 'invalid_response' });
  });

  it('is not sent before the one in front of it was used', async () => {
    const { client, received } = await against((_, response) => {
      const results = Array.from({ length: 500 }, () => ({ status: 'created' }));
      json(response, { success: true, result: { results } });
    });
    for await (const _ of client.push(Array(5_000).fill(FINDING))) break;
    expect(received).toHaveLength(1);
  });
});
