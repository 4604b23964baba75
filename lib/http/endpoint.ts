import type { Context, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import type { Services } from '../services.ts';
import { type Access, type CallOf, checksOf, inputChecksOf } from './access.ts';
import { type Answer, type AnyAnswer, render } from './answer.ts';
import type { AppEnv } from './call.ts';
import { describe, type Operation } from './describe.ts';
import type { EndpointSpec, SuccessSpecs } from './endpoint-spec.ts';
import type { RequestSchemas } from './input.ts';
import { input } from './middleware/input.ts';

type Input<S extends RequestSchemas> = {
  [K in keyof S & keyof RequestSchemas]: S[K] extends z.ZodType ? z.output<S[K]> : never;
};

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
  /**
   * The endpoint's middleware in the order in which it runs, and its handler: arguments of Hono's `app.on`.
   * @param servingOf what a request is served with
   */
  route(servingOf: (c: Context<AppEnv>) => Serving): MiddlewareHandler[];
  /** The operation of the API's description, without its id. */
  describe(): Operation;
}

/** The endpoints of an app. Their names are the ids of the operations. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** A path as Hono's router takes it. */
export const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export const API_PREFIX = '/api/v1';

/** Declares an endpoint: the one way to make one. The access checks run first, then the input is read. */
export function endpoint<A extends Access, S extends RequestSchemas, R extends SuccessSpecs>(
  spec: EndpointSpec<A, S, R>,
  handler: (call: CallOf<A> & Input<S>) => Promise<Answer<R>>,
): Endpoint {
  const { access, request = {}, responses, quiet = false } = spec;
  const method = spec.method.toUpperCase();
  const path = spec.root ? spec.path : API_PREFIX + spec.path;

  return {
    method,
    path,
    access,
    route: (servingOf) => [
      begin(path, quiet, servingOf),
      ...checksOf(access, method),
      ...(Object.keys(request).length > 0 ? [input(request)] : []),
      ...inputChecksOf(access),
      async function handle(c: Context<AppEnv>) {
        const answer = await handler(c.get('call') as unknown as CallOf<A> & Input<S>);
        return render(c.get('request'), answer as AnyAnswer, responses);
      },
    ],
    describe: () => describe(path, spec),
  };
}

/** Begins the call of an endpoint; the middleware behind it adds the caller and the input. */
function begin(
  path: string,
  quiet: boolean,
  servingOf: (c: Context<AppEnv>) => Serving,
): MiddlewareHandler<AppEnv> {
  return function begin(c, next) {
    const request = c.get('request');
    request.route = path;
    request.quiet = quiet;
    const { services, openApi } = servingOf(c);
    const { database, log, clock } = services;
    const { peer } = request;
    const stepAside = () => {};
    c.set('call', {
      c,
      services,
      openApi,
      db: database.db,
      sql: database.sql,
      log,
      peer,
      now: clock(),
      stepAside,
    });
    return next();
  };
}
