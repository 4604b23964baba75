import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as open, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { Logger } from '../../../lib/logger.ts';
import type { Mail } from '../../../lib/mail/mailer.ts';
import type { EdgeApp } from './worker.ts';

/** An app that runs in workerd, called over HTTP. */
export interface EdgeClient {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export interface EdgeClientOptions extends Omit<EdgeApp, 'id'> {
  /** Gets what the app has logged, with the next response. */
  log: Logger;
  /** Gets what the app has mailed. */
  mails: Mail[];
  /** How far its clock is ahead. */
  aheadMs: () => number;
}

const MAX_REQUESTS = 20;
const LINK = /https?:\/\/\S+/;

/** Makes an app in the run's workerd, which mails to us by Resend's API. */
export async function openEdgeClient(options: EdgeClientOptions): Promise<EdgeClient> {
  const { log, mails, aheadMs, variables, ...rest } = options;
  const id = randomUUID();
  // Nothing here stands in for Hyperdrive: each request connects to PostgreSQL, which takes a hundred.
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_REQUESTS });
  const resend = await receiveMails(mails);
  const { port } = resend.address() as AddressInfo;
  const mailing = { RESEND_API_KEY: 'for tests', RESEND_BASE_URL: `http://127.0.0.1:${port}` };

  async function send(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const sent = open({
      agent,
      host: '127.0.0.1',
      port: inject('edgePort'),
      method: request.method,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        ...Object.fromEntries(request.headers),
        ...(request.body && !request.headers.has('content-length') && { 'transfer-encoding': 'chunked' }),
        'x-test-app': id,
        'x-test-ahead': aheadMs(),
        'x-test-scheme': url.protocol.slice(0, -1),
      },
      maxHeaderSize: 1024 * 1024,
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    if (request.body) Readable.fromWeb(request.body as never).pipe(sent);
    else sent.end();
    const [response] = await answered;
    const headers = new Headers(
      Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    );
    tell(log, headers.get('x-test-log'));
    headers.delete('x-test-log');
    const status = response.statusCode ?? 0;
    const isEmpty = request.method === 'HEAD' || [204, 304].includes(status);
    if (isEmpty) response.resume();
    return new Response(isEmpty ? null : (Readable.toWeb(response) as never), { status, headers });
  }

  const made: EdgeApp = { id, ...rest, variables: { ...variables, ...mailing } };
  await send(new Request('http://localhost/', { method: 'POST', body: JSON.stringify(made) }));
  return {
    fetch: send,
    async close() {
      agent.destroy();
      resend.close();
      resend.closeAllConnections();
    },
  };
}

/** Repeats the app's log lines in the test's logger. */
function tell(log: Logger, lines: string | null): void {
  for (const line of JSON.parse(decodeURIComponent(lines ?? '[]'))) {
    const { level, message, time: _, ...fields } = JSON.parse(line);
    log[level as keyof Logger](message, fields);
  }
}

async function receiveMails(mails: Mail[]): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { to, subject, html, text } = (await json(request)) as Mail & { to: string[] };
    mails.push({ recipient: to[0] ?? '', subject, html, text, link: LINK.exec(text)?.[0] });
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: randomUUID() }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
