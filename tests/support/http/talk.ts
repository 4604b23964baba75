import net from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { expect, vi } from 'vitest';
import { refuseMalformed } from '../../../lib/http/app.ts';
import { createHttpServer, type HttpLimits, type HttpServer } from '../../../lib/node/http-server.ts';

const servers: HttpServer[] = [];
const talks: Talk[] = [];

/** Closes everything that a test has opened. */
export async function endTalks(): Promise<void> {
  for (const { socket } of talks.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop(1_000)));
}

export type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

/** Answers with the path and the body. */
export const ok = async (request: Request) =>
  new Response(`${new URL(request.url).pathname} ${await request.text()}`);

/** Serves until `endTalks`. */
export async function serve(fetch: Fetch = ok, limits: Partial<HttpLimits> = {}) {
  const server = createHttpServer({ fetch: fetch as never, malformed: refuseMalformed, limits });
  servers.push(server);
  return { server, port: await server.listen(0, '127.0.0.1') };
}

/** A client's side of a connection. */
export interface Talk {
  socket: net.Socket;
  received(): string;
  /** Resolves when this text has arrived. */
  got(text: string): Promise<void>;
  /** Resolves when the connection is closed, with the error if it was broken off. */
  closed: Promise<string | undefined>;
}

/** Connects until `endTalks`. */
export function talk(port: number, allowHalfOpen = false): Talk {
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
      vi.waitFor(() => expect(received).toContain(text), { timeout: 15_000, interval: 5 }),
    closed: new Promise<string | undefined>((resolve) => socket.once('close', () => resolve(broken))),
  };
  talks.push(made);
  return made;
}

export const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
export const post = (path: string, length: number, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${headers}\r\n`;

/** The status codes of all responses in the received text. */
export const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => Number(status));
/** The number of responses with `connection: close`. */
export const lastOnes = (text: string) => text.match(/^connection: close\r?$/gim)?.length ?? 0;
