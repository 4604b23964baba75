import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';

export interface HttpServer {
  /** Takes connections of its own; resolves with the port. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** Serves a connection that another process has accepted. */
  take(connection: Socket): void;
  /**
   * Takes no new connections, lets the requests under way finish, and ends those that take longer than `timeoutMs`.
   * @returns how many had to be ended
   */
  stop(timeoutMs: number): Promise<number>;
}

export interface HttpServerOptions {
  fetch: Hono['fetch'];
  /** Answers what is HTTP but no request an app could see, such as a malformed Host header. */
  malformed: () => Response;
}

/** Serves a fetch handler over HTTP. */
export function createHttpServer({ fetch, malformed }: HttpServerOptions): HttpServer {
  // Only their number: with a Set of them, every response and its request lived until a full garbage collection.
  let unanswered = 0;
  let stopping = false;
  let taken = 0;
  const answer = async (request: Request, env: unknown) => {
    const response = await fetch(request, env as HttpBindings);
    // Its connection ends with the answer, so that nobody sends another request into a closing one.
    if (stopping) (env as HttpBindings).outgoing.shouldKeepAlive = false;
    return response;
  };
  const listener = getRequestListener(answer, {
    errorHandler: (error) =>
      error instanceof Error && error.name === 'RequestError' ? malformed() : undefined,
  });
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    unanswered++;
    res.once('close', () => unanswered--);
    void listener(req, res);
  });
  return {
    listen: (port, host) => listen(server, port, host),
    take(connection) {
      // Node watches over connections, and can close them, from this event on.
      if (taken++ === 0) server.emit('listening');
      server.emit('connection', connection);
    },
    async stop(timeoutMs) {
      stopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const ended = await waitIdle(timeoutMs);
      server.closeAllConnections();
      await closed;
      return ended;
    },
  };

  async function waitIdle(timeoutMs: number): Promise<number> {
    const deadline = Date.now() + timeoutMs;
    while (unanswered > 0 && Date.now() < deadline) await sleep(10);
    return unanswered;
  }
}

/** Resolves with the port when the server listens; an undefined host is every interface. */
export async function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
