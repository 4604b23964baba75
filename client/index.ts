import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import {
  type ApiPaths,
  type Client,
  createClient,
  PREFIX,
  parseBody,
  type Reply,
  replyOf,
  type Schemas,
  ServiceError,
} from '../lib/client/index.ts';
import { isTransient, pause, RETRY_DELAYS_S, type Wait, withRetries } from '../lib/client/retry.ts';
import { batchesOf } from './batches.ts';
import { isLost, TransportError } from './errors.ts';
import { eventsOf, type ReceivedEvent } from './events.ts';
import { isRepeatable, withKey } from './repeatable.ts';
import { rowsOf } from './rows.ts';
import { createTransport } from './transport.ts';

export { ServiceError } from '../lib/client/index.ts';
export { TransportError, type TransportErrorCode } from './errors.ts';
export type { Client, ReceivedEvent, Schemas };

export interface FindingsClientOptions {
  /** The address of the organization, such as `https://acme.findings.example.com`, without `/api/v1`. */
  baseUrl: string;
  /** A personal access token or an API token. Without it, a browser sends its cookie. */
  token?: string;
  /** The organization's slug, for a service without a base domain. */
  orgSlug?: string;
  /** How long the service may take to respond, and between two chunks of a stream. Default: 30,000. */
  timeoutMs?: number;
  /** Seconds before each retry. Default: 1, 2 and 4. An empty list switches retries off. */
  retryDelays?: readonly number[];
  /** The largest response that is read into memory; streams have no limit. Default: 64 MiB. */
  maxBytes?: number;
  /** Aborts all requests of this client. */
  signal?: AbortSignal;
  fetch?: (request: Request) => Promise<Response>;
  /**
   * Called if the service has ignored query parameters, because it is older than this client or the parameters are not typed: the
   * response has more rows than the request asked for. Default: `console.warn`.
   */
  onWarning?: (warning: string) => void;
  /** Waits before a retry, for tests. */
  wait?: Wait;
}

/** The query parameters of an operation. */
type QueryOf<Path extends keyof ApiPaths> = ApiPaths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

/** `keyof never` would be every key. */
type KeysOf<Query> = [Query] extends [never] ? never : keyof Query;

/** Lists that have pages. */
type PagedPath = {
  [Path in keyof ApiPaths]: 'page' extends KeysOf<QueryOf<Path>> ? Path : never;
}[keyof ApiPaths];

type RowOf<Path extends keyof ApiPaths> = ApiPaths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': { result: (infer Row)[] } } } } };
}
  ? Exclude<Row, Schemas['FindingGroup']>
  : never;

export interface CallOptions {
  signal?: AbortSignal;
}

export type FindingsQuery = Omit<QueryOf<'/findings'>, 'page' | 'per_page' | 'format' | 'group_by'>;
export type EventsQuery = QueryOf<'/events'>;
export type PushedFinding = Schemas['BatchResult']['results'][number];

/** A client of one organization: the typed calls of the API, and lists, files and pushes of any size. */
export interface FindingsClient extends Client {
  /** Every finding that matches, in one streamed response. Memory holds one finding at a time. */
  findings(query?: FindingsQuery, options?: CallOptions): AsyncGenerator<Schemas['ListedFinding'], void>;
  /** The rows of a list, page by page. Rows that move to another page meanwhile can be missed or come twice. */
  list<Path extends PagedPath>(
    path: Path,
    init?: { query?: QueryOf<Path>; path?: Record<string, string> } & CallOptions,
  ): AsyncGenerator<RowOf<Path>, void>;
  /** The bytes of an export, as they arrive. */
  exportFindings(
    format: 'csv' | 'sarif',
    query?: QueryOf<'/findings/export.csv'>,
    options?: CallOptions,
  ): AsyncGenerator<Uint8Array, void>;
  /**
   * The events of the organization, as they happen. It connects again when a stream ends or is lost, without gaps and repeats. Ends with
   * an error only: when the service cannot be reached in spite of retries, the caller loses access, or `signal` is aborted.
   */
  events(query?: EventsQuery, options?: CallOptions): AsyncGenerator<ReceivedEvent, void>;
  /**
   * Pushes findings in batches and yields the result of each finding, in their order. A batch that is sent again counts once. Its
   * scan must be registered.
   */
  push(
    findings: Iterable<Schemas['FindingInput']> | AsyncIterable<Schemas['FindingInput']>,
    options?: CallOptions,
  ): AsyncGenerator<PushedFinding, void>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 64 * 2 ** 20;
const PER_PAGE = 100;
/** The pause before a stream of events is opened again. */
const RECONNECT_MS = 1_000;

/** Creates a client of the service. It uses `fetch` only, so it runs in Node.js, browsers and workers. */
export function createFindingsClient(options: FindingsClientOptions): FindingsClient {
  const { baseUrl, token, orgSlug, signal: ownSignal } = options;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const transport = createTransport({
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBytes,
    signal: ownSignal,
    fetch: options.fetch ?? ((request) => globalThis.fetch(request)),
    // biome-ignore lint/suspicious/noConsole: a program that takes no warnings must not miss them
    onWarning: options.onWarning ?? ((warning) => console.warn(`svc-findings: ${warning}`)),
  });
  const api = createClient({
    baseUrl,
    ...(token !== undefined && { token }),
    ...(orgSlug !== undefined && { orgSlug }),
    fetch: transport.send,
  });

  async function retrying<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await withRetries(call, {
        delays: options.retryDelays ?? RETRY_DELAYS_S,
        signal: signal ?? ownSignal,
        wait: options.wait,
        shouldRetry: (error) => isLost(error) || (error instanceof ServiceError && isTransient(error)),
      });
    } catch (error) {
      signal?.throwIfAborted();
      ownSignal?.throwIfAborted();
      throw error;
    }
  }

  const caller = (method: keyof Client) => {
    const send = api[method] as unknown as (path: string, init: Init) => Promise<Reply<unknown>>;
    return (path: string, given: Init = {}) => {
      const init = withKey(method, path, given);
      const call = () => send(path, init);
      return isRepeatable(method, path) ? retrying(call, init.signal) : call();
    };
  };

  /** Begins to read a response. Later errors are not retried, because rows have been used by then. */
  function open(path: string, query: object, type: string, signal: AbortSignal | undefined) {
    const url = createFinalURL(path, {
      baseUrl: baseUrl.replace(/(?<!\/)\/+$/, '') + PREFIX,
      params: { query: query as Record<string, unknown> },
      querySerializer: createQuerySerializer(),
      pathSerializer: defaultPathSerializer,
    });
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(orgSlug !== undefined && { 'x-org-slug': orgSlug }),
    };
    return retrying(async () => {
      const response = await transport.open(new Request(url, { headers, ...(signal && { signal }) }));
      const { head, chunks } = response;
      if (head.ok && head.headers.get('content-type')?.startsWith(type)) return response;
      const text = await textOf(chunks);
      // @throws ServiceError, also for the success of another program
      replyOf(head, head.ok ? undefined : parseBody(text));
      throw new TransportError('invalid_response', `The response is not ${type}.`);
    }, signal);
  }

  async function* findings(query: FindingsQuery = {}, { signal }: CallOptions = {}) {
    const { chunks } = await open('/findings', query, 'application/json', signal);
    yield* rowsOf<Schemas['ListedFinding']>(chunks);
  }

  async function* exportFindings(format: 'csv' | 'sarif', query: object = {}, { signal }: CallOptions = {}) {
    const type = format === 'csv' ? 'text/csv' : 'application/sarif+json';
    const { chunks } = await open(`/findings/export.${format}`, query, type, signal);
    yield* chunks;
  }

  function events(query: EventsQuery = {}, { signal }: CallOptions = {}) {
    const opened = (last_event_id: string | undefined) =>
      open('/events', { ...query, last_event_id }, 'text/event-stream', signal);
    const reconnects = () => (options.wait ?? pause)(RECONNECT_MS, signal ?? ownSignal);
    const { last_event_id: lastEventId } = query;
    return eventsOf({ open: opened, lastEventId, maxLength: maxBytes, pause: reconnects });
  }

  async function* list(path: string, { query = {}, path: names = {}, signal }: ListInit = {}) {
    for (let page = 1; ; page++) {
      const params = { path: names, query: { per_page: PER_PAGE, ...query, page } };
      const reply = await caller('get')(path, { params, ...(signal && { signal }) });
      const { result, resultInfo } = reply;
      if (!Array.isArray(result) || resultInfo?.page !== page)
        throw new TransportError('invalid_response', `The response is not page ${page} of a list.`);
      yield* result;
      if (!resultInfo.has_next) return;
      // Otherwise a faulty service could keep a client busy for ever.
      if (result.length === 0 || page >= resultInfo.total_pages)
        throw new TransportError('invalid_response', 'The list continues after its last page.');
    }
  }

  async function* push(
    given: Iterable<Schemas['FindingInput']> | AsyncIterable<Schemas['FindingInput']>,
    { signal }: CallOptions = {},
  ) {
    for await (const findings of batchesOf(given)) {
      const init = { body: { findings }, ...(signal && { signal }) };
      const reply = await caller('post')('/agent/findings/batch', init);
      const { results } = (reply.result ?? {}) as Partial<Schemas['BatchResult']>;
      if (!Array.isArray(results) || results.length !== findings.length)
        throw new TransportError('invalid_response', 'The response has not one result for each finding.');
      yield* results;
    }
  }

  return {
    get: caller('get') as Client['get'],
    post: caller('post') as Client['post'],
    put: caller('put') as Client['put'],
    patch: caller('patch') as Client['patch'],
    delete: caller('delete') as Client['delete'],
    findings,
    list: list as FindingsClient['list'],
    exportFindings,
    events,
    push,
  };
}

interface ListInit extends CallOptions {
  query?: object;
  path?: Record<string, string>;
}

interface Init extends CallOptions {
  params?: { path?: object; query?: object; header?: Record<string, string> };
  body?: unknown;
}

/** The start of a body, which is all that an error needs. */
async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ERROR_LENGTH) break;
  }
  return text;
}

const MAX_ERROR_LENGTH = 100_000;
