import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { afterTest } from '../run/suite.ts';

type Schema = Record<string, unknown>;

/** A response. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request that a tracker received. */
export interface TrackerRequest {
  method: string;
  /** Without the query. */
  path: string;
  /** The values of the path, decoded. */
  params: string[];
  query: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  body: any;
  headers: IncomingMessage['headers'];
}

/** A request that the service may send. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** Such as `/issues/{number}`. */
  path: string;
  /** The schema of the parameters of the query, which are texts. */
  query?: Schema;
  body?: Schema;
  answer(request: TrackerRequest): Reply;
}

/** A tracker on loopback. */
export interface FakeTracker {
  url: string;
  requests: TrackerRequest[];
  /** Answers a request instead of the tracker, or before it. `lost`: it is answered, but the answer does not arrive. */
  intercept: ((request: TrackerRequest) => Reply | 'lost' | undefined) | undefined;
}

const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });

/** An object with these properties only. A name that ends with `?` is optional. */
export const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
  required: Object.keys(properties).filter((name) => !name.endsWith('?')),
});

const NOTHING = object({});

function compiled({ method, path, query = NOTHING, body, answer }: Operation) {
  return {
    method,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
    checkQuery: ajv.compile(query),
    checkBody: body && ajv.compile(body),
    answer,
  };
}

export interface FakeOptions {
  /** The path before those of the operations. */
  root: string;
  /** Headers that each request has. */
  headers: Record<string, string>;
  operations: Operation[];
  /** The violation of the description that the vendor publishes, by a request. */
  vendor?: ((request: TrackerRequest) => string | undefined) | undefined;
}

/** Starts a tracker for the current test, which fails if the tracker receives a request that is not described. */
export async function startFake({ root, headers, operations, vendor }: FakeOptions): Promise<FakeTracker> {
  const known = operations.map(compiled);
  const violations: string[] = [];
  const fake: FakeTracker = { url: '', requests: [], intercept: undefined };

  function problemOf(request: TrackerRequest, text: string): string | undefined {
    for (const [name, value] of Object.entries(headers))
      if (request.headers[name] !== value) return `the header ${name} is ${request.headers[name]}`;
    if (!request.headers['user-agent']) return 'without a user agent, GitHub answers 403';
    const type = request.headers['content-type'];
    if ((text !== '') !== (type === 'application/json')) return `the content type is ${type}`;
    return undefined;
  }

  function replyTo(request: TrackerRequest, text: string): Reply {
    const refuse = (why: string): Reply => {
      violations.push(`${request.method} ${request.path}: ${why}`);
      return { status: 418, body: { message: why } };
    };
    const problem = problemOf(request, text);
    if (problem) return refuse(problem);
    for (const { method, pattern, checkQuery, checkBody, answer } of known) {
      const [matched, ...params] = pattern.exec(request.path) ?? [];
      if (matched === undefined || method !== request.method) continue;
      request.params = params.map(decodeURIComponent);
      if (!checkQuery(request.query)) return refuse(`query: ${ajv.errorsText(checkQuery.errors)}`);
      if (checkBody ? !checkBody(request.body) : text !== '')
        return refuse(`body: ${ajv.errorsText(checkBody?.errors)}`);
      const violation = vendor?.(request);
      if (violation !== undefined) return refuse(`the vendor's description: ${violation}`);
      return answer(request);
    }
    return refuse('no operation is described');
  }

  const server = createServer(async (incoming, response) => {
    const text = await readText(incoming);
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://fake');
    const request: TrackerRequest = {
      ...{ method: incoming.method ?? '', path: pathname.slice(root.length), params: [] },
      ...{ query: Object.fromEntries(searchParams), headers: incoming.headers },
      body: text === '' ? undefined : JSON.parse(text),
    };
    if (!pathname.startsWith(root)) violations.push(`${pathname} is not below ${root}`);
    fake.requests.push(request);
    const instead = fake.intercept?.(request);
    const { status, body, headers } = typeof instead === 'object' ? instead : replyTo(request, text);
    if (instead === 'lost') return incoming.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterTest(() => {
    server.closeAllConnections();
    server.close();
    if (violations.length > 0) throw new Error(`A tracker received: ${violations.join('\n')}`);
  });
  return fake;
}
