import type { Context, Env, Next } from 'hono';
import type { ErrorKey } from '../../errors.ts';
import type { CallEnv, PublicCall } from '../call.ts';

/**
 * Hono middleware that returns nothing: a response goes to `c.res`, because the router composes the middleware of a path to one
 * handler (`router.ts`).
 */
export type PlainMiddleware<E extends Env> = (c: Context<E>, next: Next) => Promise<void>;

/**
 * Middleware of an endpoint. It refuses a request with an exception.
 * @template C the call as this middleware leaves it to the next one
 */
export interface Middleware<C extends PublicCall = PublicCall> extends PlainMiddleware<CallEnv<C>> {
  /** The errors it can answer; the OpenAPI document lists them. */
  readonly errors: readonly ErrorKey[];
}

/** Middleware of any endpoint, as a route takes it. */
// biome-ignore lint/suspicious/noExplicitAny: it depends on the endpoint which call arrives.
export type AnyMiddleware = PlainMiddleware<any> & Pick<Middleware, 'errors'>;

/** Declares middleware. Name the function: `app.routes` lists it. */
export const middleware = <C extends PublicCall = PublicCall>(
  errors: readonly ErrorKey[],
  handler: PlainMiddleware<CallEnv<C>>,
): Middleware<C> => Object.assign(handler, { errors });
