import type { z } from '@hono/zod-openapi';
import type { SuccessSpecs } from './endpoint-spec.ts';
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

/** The return value of a handler. The compiler checks `result` and `message` against the endpoint's responses. */
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

/** A complete body, such as a streamed envelope or text. */
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
export const accepted = <T, E extends object>(result: T, extras?: E) => ({
  status: 202 as const,
  result,
  ...(extras as E),
});
/** A result that the database returned as JSON text. */
export const okJson = (request: ResponseContext, result: string): Raw => ({
  status: 200,
  headers: JSON_TYPE,
  body: jsonEnvelope(request, result),
});
/** A message without a result. The endpoint's `message` is the default. */
export const done = (extras?: { message?: string; headers?: Headers }) => ({
  status: 200 as const,
  ...extras,
});
/** Sends the browser to another address. */
export const redirect = (location: string, headers?: Headers) => ({
  status: 302 as const,
  headers: { ...headers, location },
});
export const noContent = (extras?: { headers?: Headers }) => ({ status: 204 as const, ...extras });

/** The answer of any endpoint. */
export type AnyAnswer =
  | Raw
  | { status: number; headers?: Headers; result?: unknown; result_info?: ResultInfo; message?: string };

/** Converts an answer to a response. */
export function render(request: ResponseContext, answer: AnyAnswer, specs: SuccessSpecs): Response {
  if ('body' in answer) return respond(request, answer.status, answer.body, answer.headers);
  const { status, headers, result, result_info } = answer;
  if (status === 204 || status === 302 || status === 304)
    return respond(request, status, null, headers ?? {});
  const message = answer.message ?? specs[status as keyof SuccessSpecs]?.message;
  return respond(
    request,
    status,
    envelope(request, { result, result_info, message }),
    headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE,
  );
}
