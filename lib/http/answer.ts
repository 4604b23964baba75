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

/** An answer of whichever endpoint. */
export type AnyAnswer =
  | Raw
  | { status: number; headers?: Headers; result?: unknown; result_info?: ResultInfo; message?: string };

/** Makes the response of an answer. */
export function render(request: ResponseContext, answer: AnyAnswer, specs: SuccessSpecs): Response {
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
