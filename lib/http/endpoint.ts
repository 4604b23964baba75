import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Services } from '../services.ts';
import type { Access, CallOf } from './access/access.ts';
import { admit } from './access/admit.ts';
import type { AppEnv, PublicCall } from './call.ts';
import { describe, type Operation } from './describe.ts';
import type { ErrorKey } from './errors.ts';
import { type RequestSchemas, readInput } from './input.ts';
import {
  type Body,
  envelope,
  type Headers,
  JSON_TYPE,
  jsonEnvelope,
  type ResponseContext,
  type ResultInfo,
  respond,
} from './respond.ts';

/** The API contract's tables of endpoints, in their order. */
export const TAGS = [
  'Auth',
  'Profile: e-mails',
  'Profile: MFA',
  'Profile: sessions',
  'Organizations',
  'Configuration',
  'Scans',
  'Findings',
  'Dashboard',
  'Projects',
  'Members',
  'Agent ingest',
  'API tokens: project-scoped',
  'API tokens: org-wide',
  'Org feature flags',
  'Health, metrics, documentation',
] as const;

/** One success an endpoint can answer. */
export interface SuccessSpec {
  description: string;
  /** Schema of `result`; none for a message alone or an empty body. */
  result?: z.ZodType;
  /** The `message`; a handler may say more precisely. Without this there is none. */
  message?: string;
  /** A list that can be paged: `result_info` stands beside it then. */
  paged?: boolean;
  /** The session cookie comes with it: set or cleared. */
  cookie?: boolean;
  /** The body is not the usual envelope: its media type and schema. */
  body?: { type: string; schema: z.ZodType };
  /** What the body may be instead when that was asked for, by media type. */
  others?: Record<string, z.ZodType>;
}

export type SuccessSpecs = { [status in 200 | 201 | 204 | 503]?: SuccessSpec };

export interface EndpointSpec<A extends Access, S extends RequestSchemas, R extends SuccessSpecs> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v1`, or from the root for the operational endpoints; parameters in braces. */
  path: string;
  root?: boolean;
  access: A;
  tag: (typeof TAGS)[number];
  summary: string;
  description?: string;
  request?: S;
  responses: R;
  /** What the handler itself can answer, beside its access and its input. */
  errors?: readonly ErrorKey[];
  /** It does its work without the database. */
  withoutDatabase?: boolean;
  /** Too frequent and too dull for the log: logged at debug. */
  quiet?: boolean;
}

type Input<S extends RequestSchemas> = {
  [K in keyof S & keyof RequestSchemas]: S[K] extends z.ZodType ? z.output<S[K]> : never;
};

/** What a handler answers. `result` and `message` are checked against the endpoint's schema by the compiler. */
export type Answer<R extends SuccessSpecs> =
  | {
      [Status in keyof R]: { status: Status; headers?: Headers } & (R[Status] extends {
        result: infer T extends z.ZodType;
      }
        ? { result: z.output<T>; result_info?: ResultInfo }
        : object) &
        (R[Status] extends { message: string } ? { message?: string } : { message?: undefined });
    }[keyof R]
  | Raw;

/** A body that was made elsewhere: a streamed envelope, text. */
export interface Raw {
  status: number;
  body: Body;
  headers: Headers;
}

export const ok = <T, E extends object>(result: T, extras?: E) => ({
  status: 200 as const,
  result,
  ...(extras as E),
});
export const created = <T, E extends object>(result: T, extras?: E) => ({
  status: 201 as const,
  result,
  ...(extras as E),
});
/** A result that the database has made into JSON. */
export const okJson = (request: ResponseContext, result: string): Raw => ({
  status: 200,
  headers: JSON_TYPE,
  body: jsonEnvelope(request, result),
});
/** A message without a result: the endpoint's, or this one. */
export const done = (extras?: { message?: string; headers?: Headers }) => ({
  status: 200 as const,
  ...extras,
});
export const noContent = () => ({ status: 204 as const });

/** What endpoints are served with. */
export interface Serving {
  services: Services;
  /** The API's description in YAML. */
  openApi: () => string;
}

/** An endpoint as the table of contents lists it. */
export interface Endpoint {
  method: string;
  /** With its prefix, parameters in braces. */
  path: string;
  access: Access;
  serve(c: Context<AppEnv>, serving: Serving): Promise<Response>;
  /** The operation of the API's description, without its id. */
  describe(): Operation;
}

/** The endpoints of an app. Their names are the ids of the operations. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** A path as Hono's router takes it. */
export const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export const API_PREFIX = '/api/v1';

/** Declares an endpoint: the one way to make one. Its order of checks is that of `admit`, then the input. */
export function endpoint<A extends Access, S extends RequestSchemas, R extends SuccessSpecs>(
  spec: EndpointSpec<A, S, R>,
  handler: (call: CallOf<A> & Input<S>) => Promise<Answer<R>>,
): Endpoint {
  const path = spec.root ? spec.path : API_PREFIX + spec.path;
  const schemas: RequestSchemas = spec.request ?? {};

  async function serve(c: Context<AppEnv>, { services, openApi }: Serving): Promise<Response> {
    const request = c.get('request');
    request.route = path;
    request.quiet = spec.quiet ?? false;
    const base: PublicCall = {
      c,
      services,
      openApi,
      db: services.database.db,
      sql: services.database.sql,
      log: services.log,
      peer: request.peer,
      now: services.clock(),
      stepAside: () => {},
    };
    try {
      const { call, leave } = await admit(spec.access, base);
      try {
        const input = await readInput(c, schemas);
        const answer = await handler(Object.assign(call, input) as unknown as CallOf<A> & Input<S>);
        return render(c, answer as AnyAnswer, spec.responses);
      } finally {
        await leave?.();
      }
    } finally {
      base.stepAside();
    }
  }

  return {
    method: spec.method.toUpperCase(),
    path,
    access: spec.access,
    serve,
    describe: () => describe(path, spec),
  };
}

/** An answer of whichever endpoint. */
type AnyAnswer =
  | Raw
  | { status: number; headers?: Headers; result?: unknown; result_info?: ResultInfo; message?: string };

function render(c: Context<AppEnv>, answer: AnyAnswer, specs: SuccessSpecs): Response {
  const request = c.get('request');
  if ('body' in answer) return respond(request, answer.status, answer.body, answer.headers);
  const { status, headers, result, result_info } = answer;
  if (status === 204) return respond(request, 204, null, headers ?? {});
  const message = answer.message ?? specs[status as keyof SuccessSpecs]?.message;
  return respond(
    request,
    status,
    envelope(request, { result, result_info, message }),
    headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE,
  );
}
