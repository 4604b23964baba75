import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Services } from '../services.ts';
import { ACCESS_ERRORS, type Access, admit, type CallOf } from './access.ts';
import type { AppEnv, PublicCall } from './call.ts';
import { ERRORS, type ErrorKey } from './errors.ts';
import { type RequestSchemas, readInput } from './input.ts';
import { type Body, envelope, type Headers, JSON_TYPE, type ResultInfo, respond } from './respond.ts';

export type Tag =
  | 'Auth'
  | 'Profile'
  | 'Organizations'
  | 'Configuration'
  | 'Scans'
  | 'Findings'
  | 'Dashboard'
  | 'Projects'
  | 'Agent ingest'
  | 'API tokens'
  | 'Operations';

/** One success an endpoint can answer. */
export interface SuccessSpec {
  description: string;
  /** Schema of `result`; none for a message or an empty body. */
  result?: z.ZodType;
  /** The answer is no envelope: this media type. */
  media?: string;
}

type SuccessSpecs = { [status in 200 | 201 | 204 | 503]?: SuccessSpec };

export interface EndpointSpec<A extends Access, S extends RequestSchemas, R extends SuccessSpecs> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v1`, or from the root for the operational endpoints; parameters in braces. */
  path: string;
  root?: boolean;
  access: A;
  tag: Tag;
  summary: string;
  description?: string;
  request?: S;
  responses: R;
  /** What the handler itself can answer, beside its access and its input. */
  errors?: readonly ErrorKey[];
  /** Too frequent and too dull for the log: logged at debug. */
  quiet?: boolean;
}

type Input<S extends RequestSchemas> = {
  [K in keyof S & keyof RequestSchemas]: S[K] extends z.ZodType ? z.output<S[K]> : never;
};

interface Extras {
  message?: string;
  headers?: Headers;
}

/** What a handler answers. `result` is checked against the endpoint's schema by the compiler. */
export type Answer<R extends SuccessSpecs> =
  | {
      [Status in keyof R]: R[Status] extends { result: infer T extends z.ZodType }
        ? { status: Status; result: z.output<T>; result_info?: ResultInfo } & Extras
        : { status: Status } & Extras;
    }[keyof R]
  | Raw;

/** A body that was made elsewhere: a streamed envelope, text. */
export interface Raw {
  status: number;
  body: Body;
  headers: Headers;
}

export const ok = <T>(result: T, extras?: Extras) => ({ status: 200 as const, result, ...extras });
export const created = <T>(result: T, extras?: Extras) => ({ status: 201 as const, result, ...extras });
export const done = (message: string, headers?: Headers) => ({
  status: 200 as const,
  message,
  ...(headers && { headers }),
});
export const noContent = () => ({ status: 204 as const });

/** An endpoint as the table of contents lists it. */
export interface Endpoint {
  method: string;
  /** With its prefix, parameters in braces. */
  path: string;
  access: Access;
  /** Registers it with the app and its API description. */
  mount(app: OpenAPIHono<AppEnv>, services: Services): void;
}

export const API_PREFIX = '/api/v1';

/** Declares an endpoint: the one way to make one. Its order of checks is that of `admit`, then the input. */
export function endpoint<A extends Access, S extends RequestSchemas, R extends SuccessSpecs>(
  spec: EndpointSpec<A, S, R>,
  handler: (call: CallOf<A> & Input<S>) => Promise<Answer<R>>,
): Endpoint {
  const path = spec.root ? spec.path : API_PREFIX + spec.path;
  const schemas: RequestSchemas = spec.request ?? {};

  async function serve(c: Context<AppEnv>, services: Services): Promise<Response> {
    const request = c.get('request');
    request.route = path;
    request.quiet = spec.quiet ?? false;
    const base: PublicCall = {
      c,
      services,
      db: services.database.db,
      log: services.log,
      peer: request.peer,
      now: services.clock(),
    };
    const { call, leave } = await admit(spec.access, base);
    try {
      const input = await readInput(c, schemas);
      return render(
        c,
        (await handler(Object.assign(call, input) as unknown as CallOf<A> & Input<S>)) as AnyAnswer,
      );
    } finally {
      await leave?.();
    }
  }

  return {
    method: spec.method.toUpperCase(),
    path,
    access: spec.access,
    mount(app, services) {
      const route = describe(path, spec);
      app.openAPIRegistry.registerPath(route);
      app.on(spec.method.toUpperCase(), route.getRoutingPath(), (c) => serve(c, services));
    },
  };
}

/** An answer of whichever endpoint. */
type AnyAnswer = Raw | ({ status: number; result?: unknown; result_info?: ResultInfo } & Extras);

function render(c: Context<AppEnv>, answer: AnyAnswer): Response {
  const request = c.get('request');
  if ('body' in answer) return respond(request, answer.status, answer.body, answer.headers);
  const { status, headers, ...content } = answer;
  if (status === 204) return respond(request, 204, null, headers ?? {});
  return respond(
    request,
    status,
    envelope(request, content),
    headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE,
  );
}

function describe(path: string, spec: EndpointSpec<Access, RequestSchemas, SuccessSpecs>) {
  const { access, request } = spec;
  return createRoute({
    method: spec.method,
    path,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.description !== undefined && { description: spec.description }),
    security:
      access.kind === 'bearer' ? [{ token: [] }] : access.kind.startsWith('cookie') ? [{ cookie: [] }] : [],
    request: {
      ...(request?.params && { params: request.params as z.ZodObject }),
      ...(request?.query && { query: request.query as z.ZodObject }),
      ...(request?.body && {
        body: { required: true, content: { 'application/json': { schema: request.body } } },
      }),
    },
    responses: { ...describeSuccesses(spec.responses), ...describeErrors(errorsOf(spec)) },
  });
}

function describeSuccesses(specs: SuccessSpecs) {
  const responses: Record<number, object> = {};
  for (const [status, success] of Object.entries(specs)) {
    const { description, result, media } = success;
    if (status === '204') responses[204] = { description };
    else if (media) responses[Number(status)] = { description, content: { [media]: { schema: z.string() } } };
    else {
      const schema = z.object({
        success: z.literal(true),
        request_id: z.string(),
        ...(result && { result }),
        message: z.string().optional(),
      });
      responses[Number(status)] = { description, content: { 'application/json': { schema } } };
    }
  }
  return responses;
}

/** Every error an endpoint can answer. */
function errorsOf({
  access,
  request,
  errors = [],
}: EndpointSpec<Access, RequestSchemas, SuccessSpecs>): ErrorKey[] {
  const keys = new Set<ErrorKey>([
    ...ACCESS_ERRORS[access.kind],
    ...errors,
    'server_error/internal',
    'server_error/unavailable',
  ]);
  if (request?.params) keys.add('resource_error/not_found');
  if (request?.query) keys.add('validation_error/invalid_request');
  if (request?.body) {
    keys
      .add('validation_error/invalid_body')
      .add('validation_error/field_required')
      .add('validation_error/field_invalid');
  }
  return [...keys];
}

const ErrorEnvelope = z
  .object({
    success: z.literal(false),
    request_id: z.string(),
    errors: z.array(
      z.object({
        type: z.string(),
        code: z.string(),
        ref: z.string(),
        message: z.string(),
        details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
      }),
    ),
  })
  .openapi('Error');

function describeErrors(keys: ErrorKey[]) {
  const responses: Record<number, { description: string; content: object }> = {};
  for (const key of keys) {
    const { status, ref } = ERRORS[key];
    const line = `\`${key}\` (${ref})`;
    const response = responses[status];
    if (response) response.description += `, ${line}`;
    else
      responses[status] = { description: line, content: { 'application/json': { schema: ErrorEnvelope } } };
  }
  return responses;
}
