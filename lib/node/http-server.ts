import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';

export interface HttpServer {
  port: number;
  /**
   * Takes no new connections, lets the requests under way finish, and ends those that take longer than `timeoutMs`.
   * @returns how many had to be ended
   */
  stop(timeoutMs: number): Promise<number>;
}

export interface HttpServerOptions {
  fetch: Hono['fetch'];
  port: number;
  /** Undefined is every interface. */
  host: string | undefined;
  /** Answers what is HTTP but no request an app could see, such as a malformed Host header. */
  malformed: () => Response;
}

/** Serves a fetch handler over HTTP; resolves when it listens. */
export async function startHttpServer({
  fetch,
  port,
  host,
  malformed,
}: HttpServerOptions): Promise<HttpServer> {
  const unanswered = new Set<ServerResponse>();
  let stopping = false;
  const listener = getRequestListener(fetch, {
    errorHandler: (error) =>
      error instanceof Error && error.name === 'RequestError' ? malformed() : undefined,
  });
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    unanswered.add(res);
    res.once('close', () => unanswered.delete(res));
    if (stopping) res.shouldKeepAlive = false;
    void listener(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });

  return {
    port: (server.address() as AddressInfo).port,
    async stop(timeoutMs) {
      stopping = true;
      // Their connections end with the answers, so that nobody sends another request into a closing one.
      for (const res of unanswered) if (!res.headersSent) res.shouldKeepAlive = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const ended = await Promise.race([closed.then(() => 0), waitIdle(timeoutMs)]);
      server.closeAllConnections();
      await closed;
      return ended;
    },
  };

  async function waitIdle(timeoutMs: number): Promise<number> {
    const deadline = Date.now() + timeoutMs;
    while (unanswered.size > 0 && Date.now() < deadline) await sleep(10);
    return unanswered.size;
  }
}
