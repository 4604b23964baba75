import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Refusal } from '../http/app.ts';
import { hasOneTarget } from '../http/request/target.ts';
import type { Logger } from '../logger.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { listen, stopListening } from './listener.ts';

export interface HttpServer {
  /** Resolves with the port. */
  listen(port: number, host: string | undefined): Promise<number>;
  /**
   * Stops accepting connections, answers at most one more request on each open one, and aborts requests that take longer than
   * `timeoutMs`.
   * @returns how many requests were aborted
   */
  stop(timeoutMs: number): Promise<number>;
}

export interface HttpServerOptions {
  fetch: Hono['fetch'];
  /** Creates the response to a malformed request. */
  malformed: (refusal: Refusal) => Response;
  limits?: Partial<HttpLimits>;
  log?: Logger;
}

/** Limits on the time and memory that clients can use. */
export interface HttpLimits extends ConnectionLimits {
  /** Timeout of a request's head, measured from the connection (first request) or from its first byte (later ones). */
  headersMs: number;
  /** Timeout of a complete request. */
  requestMs: number;
  /**
   * Idle time between two requests. Longer than the keep-alive of a proxy in front, so that the proxy never sends a request on
   * a connection that the server is closing.
   */
  keepAliveMs: number;
  /** Timeout of a connection without traffic while a request is answered or its response is read. */
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
      : malformed(refusalOf(incoming));
    // The response to the connection's last request closes it.
    if (stopping && connection && number === connection.requests) {
      connection.refusing = true;
      outgoing.shouldKeepAlive = false;
    }
    return response;
  };
  let current: IncomingMessage | undefined;
  const listener = getRequestListener(answer, {
    // The default for HTTP/1.0, where the Host header is optional.
    hostname: 'localhost',
    // Called synchronously when the request has no valid URL, so `current` is its request.
    errorHandler: (error) =>
      error instanceof Error && error.name === 'RequestError' ? malformed(refusalOf(current)) : undefined,
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
  // Runs before Node's own listener, which begins to read.
  server.prependListener('connection', connections.add);
  const serve = (req: IncomingMessage, res: ServerResponse) =>
    connections.begin(req, res, () => listenTo(req, res));
  server.on('request', serve);
  // Ignores unknown `Expect` headers (allowed by RFC 9110, 10.1.1), which Node would answer with 417.
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    const connection = connections.get(socket);
    // Input that is dropped does not need to be well-formed.
    if (!connection || connection.refusing) return;
    const { unanswered, latest, bytesRead } = connection;
    const isSilent = unanswered === 0 && socket.bytesRead === bytesRead;
    const isGone = !socket.writable || error.code === 'HPE_INVALID_EOF_STATE';
    const inBody = latest && !latest.req.complete;
    // A response would be mistaken for that of an earlier request, or be written into the middle of one.
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
    const refusal = { ...(inBody && refusalOf(latest.req)), ...(REFUSALS[error.code ?? ''] ?? MALFORMED) };
    // The handler's own response is discarded, because Node writes nothing to an ended connection.
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
      const aborted = await connections.endAll(deadline);
      // Stops Node's timer that checks connections.
      server.close();
      return aborted;
    },
  };
}

const MALFORMED = { status: 400, message: 'The request is malformed.' };
const REFUSALS: Record<string, typeof MALFORMED> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request was not complete in time.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request line and headers are too large.' },
};

const refusalOf = (req: IncomingMessage | undefined): Refusal => ({
  method: req?.method,
  requestId: req?.headers['x-request-id'] as string | undefined,
});

/** Serializes a response for a connection whose request Node rejected, so that there is no `ServerResponse`. */
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

/** File descriptors that are reserved for the database and for files. */
const RESERVED_FILES = 1_000;

/** The connections that the system's limit of open files allows. */
function maxSockets(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    const files = Number(soft ?? Number.POSITIVE_INFINITY);
    return Math.max(files - RESERVED_FILES, files / 2);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
