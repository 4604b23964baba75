import type { MiddlewareHandler } from 'hono';
import type { CallEnv, PublicCall } from '../call.ts';
import type { ErrorKey } from '../errors.ts';

/**
 * Hono middleware of an endpoint.
 * @template C the call as this middleware leaves it to the next one
 */
export interface Middleware<C extends PublicCall = PublicCall> extends MiddlewareHandler<CallEnv<C>> {
  /** The errors it can answer; the OpenAPI document lists them. */
  readonly errors: readonly ErrorKey[];
}

/** Middleware of any endpoint, as a route takes it. */
export type AnyMiddleware = MiddlewareHandler & Pick<Middleware, 'errors'>;

/** Declares middleware. Name the function: `app.routes` lists it. */
export const middleware = <C extends PublicCall = PublicCall>(
  errors: readonly ErrorKey[],
  handler: MiddlewareHandler<CallEnv<C>>,
): Middleware<C> => Object.assign(handler, { errors });
