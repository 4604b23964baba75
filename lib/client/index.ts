import createFetchClient, { type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { components, paths } from './schema.ts';

/** The prefix of the paths of the API. */
export const PREFIX = '/api/v1';

/** The paths of the API, below its prefix. */
export type ApiPaths = {
  [Path in keyof paths as Path extends `${typeof PREFIX}${infer Rest}`
    ? Exclude<Rest, `/docs${string}`>
    : never]: paths[Path];
};

/** The resources as the API shows them: `Schemas['Finding']`. */
export type Schemas = components['schemas'];

type Envelope<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Responses[Status] extends { content: { 'application/json': infer Body } }
        ? Body
        : { result?: undefined };
    }[keyof Responses]
  : never;

/** A result without what only a call with `group_by` or `preview` gets. */
type Usual<Result> = Schemas['FindingGroup'] extends (Result extends (infer Row)[] ? Row : never)
  ? Schemas['ListedFinding'][]
  : Exclude<Result, Schemas['ReportPreview']>;

/** The content of a success envelope. */
export interface Reply<Operation> {
  status: number;
  requestId: string;
  /** Undefined if the response has only a message or no body. A call with `group_by` casts it to `FindingGroup[]`, one with `preview` to `ReportPreview`. */
  result: Envelope<Operation> extends { result: infer Result } ? Usual<Result> : undefined;
  /** For lists, if the request asked for a page. */
  resultInfo: Schemas['ResultInfo'] | undefined;
  message: string | undefined;
}

type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<ApiPaths, Method>,
  Init extends MaybeOptionalInit<ApiPaths[Path], Method>,
>(
  path: Path,
  ...init: RequiredKeysOf<Init> extends never ? [Init?] : [Init]
) => Promise<Reply<ApiPaths[Path][Method & keyof ApiPaths[Path]]>>;

/**
 * The API, typed from the OpenAPI document: `client.get('/findings/{id}', { params: { path: { id } } })`.
 *
 * Every call resolves with a {@link Reply}. It rejects with a {@link ServiceError} if the service responds with an error,
 * and with the error of `fetch` if the service cannot be reached.
 */
export interface Client {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
}

export interface ClientOptions {
  /** The service's address, without `/api/v1`. */
  baseUrl: string;
  /** An API token. Without it, a browser sends its cookie. */
  token?: string;
  /** Names the organization if no base domain is configured. */
  orgSlug?: string;
  fetch?: (request: Request) => Promise<Response>;
}

/** The parts of a response that the client reads besides its body. */
export interface ResponseHead {
  status: number;
  ok: boolean;
  headers: Pick<Headers, 'get'>;
}

/** An error response of the service (API contract, "Error object"). */
export class ServiceError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** Such as `validation_error`; empty if the response is not from the service, but for example from a proxy. */
  readonly type: string;
  /** Stable and machine-readable, such as `field_required`. */
  readonly code: string;
  /** Such as `E50003`. */
  readonly ref: string;
  readonly requestId: string | undefined;
  /** Every field that is missing or invalid. */
  readonly details: readonly { field: string; message: string }[];
  /** Seconds to wait before another attempt, if the response names them. */
  readonly retryAfter: number | undefined;

  constructor(response: Pick<ResponseHead, 'status' | 'headers'>, body: unknown) {
    const error = (body as Partial<Schemas['ErrorEnvelope']> | undefined)?.errors?.[0];
    super(textOf(error?.message) || `The service answered ${response.status}.`);
    this.name = 'ServiceError';
    this.status = response.status;
    this.type = textOf(error?.type);
    this.code = textOf(error?.code);
    this.ref = textOf(error?.ref);
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    const details: unknown[] = Array.isArray(error?.details) ? error.details : [];
    this.details = details.flatMap((detail) => {
      const { field, message } = (detail ?? {}) as Partial<Record<string, unknown>>;
      return textOf(message) === '' ? [] : [{ field: textOf(field), message: textOf(message) }];
    });
    const wait = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
    this.retryAfter = Number.isNaN(wait) ? undefined : wait;
  }
}

/** A proxy or another program may have answered. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export interface Body {
  success?: boolean;
  result?: undefined;
  result_info?: Schemas['ResultInfo'];
  message?: string;
}

/** Parses the body of a response; undefined if it is not JSON. */
export function parseBody(text: string | undefined): Body | undefined {
  try {
    return JSON.parse(text ?? '') ?? undefined;
  } catch {
    return undefined;
  }
}

/** @throws ServiceError if the response is an error, or not from the service */
export function replyOf(response: ResponseHead, body: Body | undefined): Reply<unknown> {
  const { status, headers } = response;
  // A success of a proxy or a login page is not a success of the service.
  if (!response.ok || (status !== 204 && body?.success !== true)) throw new ServiceError(response, body);
  const { result, result_info, message } = status === 204 ? {} : (body ?? {});
  return {
    ...{ status, requestId: headers.get('x-request-id') ?? '' },
    ...{ result, resultInfo: result_info, message },
  };
}

/** Creates a client of the API. */
export function createClient({ baseUrl, token, orgSlug, fetch }: ClientOptions): Client {
  const inner = createFetchClient<Record<string, Record<HttpMethod, object>>>({
    baseUrl: baseUrl.replace(/(?<!\/)\/+$/, '') + PREFIX,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(orgSlug !== undefined && { 'x-org-slug': orgSlug }),
    },
    ...(fetch && { fetch }),
  });

  const caller =
    (method: HttpMethod) =>
    async (path: string, init: object = {}): Promise<Reply<unknown>> => {
      const { data, error, response } = await inner.request(method, path, {
        ...init,
        parseAs: 'text',
      } as never);
      return replyOf(response, response.ok ? parseBody(data as string | undefined) : error);
    };
  return {
    get: caller('get') as Client['get'],
    post: caller('post') as Client['post'],
    put: caller('put') as Client['put'],
    patch: caller('patch') as Client['patch'],
    delete: caller('delete') as Client['delete'],
  };
}
