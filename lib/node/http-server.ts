import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Refusal } from '../http/app.ts';
import { hasOneTarget } from '../http/target.ts';
import type { Logger } from '../logger.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { listen, stopListening } from './listener.ts';

export interface HttpServer {
  /** Resolves with the port. */
  listen(port: number, host: string | undefined): Promise<number>;
  /**
   * Takes no new connections, answers what comes on those there are as their last request, and ends what takes longer
   * than `timeoutMs`.
   * @returns how many requests had to be ended
   */
  stop(timeoutMs: number): Promise<number>;
}

export interface HttpServerOptions {
  fetch: Hono['fetch'];
  /** The answer to what is no request an app could see, such as a malformed Host header. */
  malformed: (refusal: Refusal) => Response;
  limits?: Partial<HttpLimits>;
  log?: Logger;
}

/** What a client may take of the server's time and memory. */
export interface HttpLimits extends ConnectionLimits {
  /** For the head of a request: of the first, from the connection on, of others, from its first byte on. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** Between two requests. Longer than a proxy in front keeps its side, so that it never uses a connection that we are closing. */
  keepAliveMs: number;
  /** On a connection on which nothing moves, while a request is answered or its answer is read. */
  stallMs: number;
}

const LIMITS: HttpLimits = {
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 75_000,
  stallMs: 90_000,
  answerMs: 10 * 60_000,
  max: 16_384,
  maxPipelined: 100,
  maxUnsent: 256 * 1024 * 1024,
};

/** Serves a fetch handler over HTTP. */
export function createHttpServer({ fetch, malformed, limits, log }: HttpServerOptions): HttpServer {
  const { headersMs, requestMs, keepAliveMs, stallMs, ...bounds } = { ...LIMITS, ...limits };
  const connections = createConnections({ ...bounds, max: Math.min(bounds.max, maxSockets()) });
  let stopping = false;

  const answer = async (request: Request, env: unknown) => {
    const { incoming, outgoing } = env as HttpBindings;
    const connection = connections.get(incoming.socket);
    const number = connection?.requests;
    const response = hasOneTarget(incoming)
      ? await fetch(request, env as HttpBindings)
      : malformed(saidBy(incoming));
    // Its connection ends with the answer, unless there are more to be given on it.
    if (stopping && connection && number === connection.requests) {
      connection.refusing = true;
      outgoing.shouldKeepAlive = false;
    }
    return response;
  };
  let current: IncomingMessage | undefined;
  const listener = getRequestListener(answer, {
    // So that HTTP/1.0 may come without.
    hostname: 'localhost',
    // It is called at once for a request of which no URL can be made.
    errorHandler: (error) =>
      error instanceof Error && error.name === 'RequestError' ? malformed(saidBy(current)) : undefined,
  });
  const listenTo = (req: IncomingMessage, res: ServerResponse) => {
    current = req;
    void listener(req, res);
    current = undefined;
  };

  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(headersMs, 5_000),
    requireHostHeader: false,
  });
  server.timeout = stallMs;
  // In front of Node's own, which begins to read.
  server.prependListener('connection', connections.add);
  const serve = (req: IncomingMessage, res: ServerResponse) =>
    connections.begin(req, res, () => listenTo(req, res));
  server.on('request', serve);
  // What Node would answer by itself; we have none but those it knows, and may leave it at that (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    const connection = connections.get(socket);
    // What is dropped need not be well-formed.
    if (!connection || connection.refusing) return;
    const { unanswered, latest, bytesRead } = connection;
    const isSilent = unanswered === 0 && socket.bytesRead === bytesRead;
    const isGone = !socket.writable || error.code === 'HPE_INVALID_EOF_STATE';
    const inBody = latest && !latest.req.complete;
    // An answer now would be taken for that of an earlier request, or go into the middle of one.
    const isLate = unanswered > (inBody ? 1 : 0) || (inBody && latest.res.headersSent);
    if (isGone || isSilent || (isLate && unanswered > 0)) {
      socket.destroy();
      return;
    }
    if (isLate) {
      connections.end(socket);
      return;
    }
    connection.refusing = true;
    const refusal = { ...(inBody && saidBy(latest.req)), ...(REFUSALS[error.code ?? ''] ?? MALFORMED) };
    // What is answered from now on goes nowhere: Node writes nothing on a connection that has ended.
    void toText(malformed(refusal)).then((text) => {
      if (socket.writable && !latest?.res.headersSent) socket.write(text);
      connections.end(socket);
    });
  });

  return {
    listen: (port, host) => listen(server, port, host, log),
    async stop(timeoutMs) {
      stopping = true;
      const deadline = Date.now() + timeoutMs;
      await stopListening(server);
      const ended = await connections.endAll(deadline);
      // Node stops watching.
      server.close();
      return ended;
    },
  };
}

const MALFORMED = { status: 400, message: 'The request is malformed.' };
const REFUSALS: Record<string, typeof MALFORMED> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request was not complete in time.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request line and headers are too large.' },
};

const saidBy = (req: IncomingMessage | undefined): Refusal => ({
  method: req?.method,
  requestId: req?.headers['x-request-id'] as string | undefined,
});

/** A response as it goes over the wire where there is no request that Node would answer. */
async function toText(response: Response): Promise<string> {
  const { status } = response;
  const body = await response.text();
  const headers = [
    ...response.headers,
    ['connection', 'close'],
    ['content-length', `${Buffer.byteLength(body)}`],
  ];
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Files that are kept for the database, for other processes and for what is read. */
const RESERVED_FILES = 1_000;

/** As many connections as this process may have: the system limits its open files. */
function maxSockets(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    const files = Number(soft ?? Number.POSITIVE_INFINITY);
    return Math.max(files - RESERVED_FILES, files / 2);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
