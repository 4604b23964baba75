import type { Context, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { type AuditAction, type AuditRule, changesNothing, readAction } from '../audit/actions.ts';
import { ApiError } from '../errors.ts';
import type { Services } from '../services.ts';
import { type Access, type CallOf, checksOf, inputChecksOf, mayStore, mayWrite } from './access.ts';
import { type Answer, type AnyAnswer, render } from './answer.ts';
import { type AuditedCall, auditRead, auditRefusal, beginAudit } from './audit.ts';
import type { AppEnv, Description } from './call.ts';
import { compressList, isList } from './compress.ts';
import { isInContract } from './contract.ts';
import type { AuditDeclared, EndpointSpec, Method, SuccessSpecs } from './endpoint-spec.ts';
import { events } from './middleware/events.ts';
import { input } from './middleware/input.ts';
import { ownTables } from './middleware/own-tables.ts';
import { storageQuota } from './middleware/storage-quota.ts';
import { describe, type Operation } from './openapi/operation.ts';
import { NO_BODY } from './request/held-body.ts';
import type { RequestSchemas } from './request/input.ts';

type Input<S extends RequestSchemas> = {
  [K in keyof S & keyof RequestSchemas]: S[K] extends z.ZodType ? z.output<S[K]> : never;
};

/** The data that a call of an endpoint starts with. */
export interface Serving {
  services: Services;
  openApi: Description;
}

/** An endpoint as `handlers/index.ts` lists it. */
export interface Endpoint {
  method: string;
  /** With the prefix `/api/v1`, parameters in braces. */
  path: string;
  access: Access;
  /** Unset: it only answers with JSON. */
  audit: AuditRule | undefined;
  /**
   * The endpoint's middleware in the order in which it runs, followed by its handler: arguments of Hono's `app.on`.
   * @param servingOf returns the services of a request
   */
  route(servingOf: (c: Context<AppEnv>) => Serving): MiddlewareHandler[];
  /** The operation of the OpenAPI document, without its id. */
  describe(): Operation;
}

/** The endpoints of an app by operation id. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** A path in the syntax of Hono's router. */
export const toPattern = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export const API_PREFIX = '/api/v1';

/** Declares an endpoint. Its access checks run first, then its input is read. */
export function endpoint<
  A extends Access,
  S extends RequestSchemas,
  R extends SuccessSpecs,
  M extends Method,
  const U extends AuditRule,
>(
  spec: EndpointSpec<A, S, R> & { method: M; audit?: U } & AuditDeclared<M, R>,
  handler: (call: CallOf<A> & Input<S> & AuditedBy<U>) => Promise<Answer<R>>,
): Endpoint {
  type HandlerCall = Parameters<typeof handler>[0];
  const {
    access,
    audit,
    request = {},
    maxBytes,
    responses,
    quiet = false,
    insertsInOrg = true,
    causesEvents = true,
    storage,
  } = spec;
  const method = spec.method.toUpperCase();
  const path = spec.root ? spec.path : API_PREFIX + spec.path;
  const compresses = isList(responses);
  const unknownParameters = spec.foreignQuery ? 'ignore' : isInContract(method, path) ? 'warn' : 'refuse';
  const action = typeof audit === 'string' ? (audit as AuditAction) : undefined;
  const isPrivileged =
    action !== undefined || (access.kind === 'cookieOrg' && ['admin', 'owner'].includes(access.role));

  return {
    method,
    path,
    access,
    audit,
    route: (servingOf) => [
      beginCall(path, quiet, servingOf),
      ...(isPrivileged ? [refusals] : []),
      ...checksOf(access, method),
      input(request, { maxBytes, unknownParameters }),
      ...inputChecksOf(access),
      ...(insertsInOrg && mayStore(access, method) ? [storageQuota(method, storage)] : []),
      ...(insertsInOrg && mayWrite(access, method) ? [ownTables] : []),
      ...(causesEvents && mayStore(access, method) && !changesNothing(audit) ? [events] : []),
      async function handle(c: Context<AppEnv>) {
        const call = c.get('call');
        if (method === 'GET') {
          const read = readAction(audit, (call as Partial<Input<RequestSchemas>>).query);
          if (read) await auditRead(call, read);
        } else if (action) beginAudit(call, action);
        const answer = (await handler(call as unknown as HandlerCall)) as AnyAnswer;
        const sent = compresses ? compressList(c, answer, call.services.gzip) : answer;
        c.res = render(c.get('request'), sent, responses);
      },
    ],
    describe: () => describe(path, spec),
  };
}

/** The call of an endpoint with an action can record it. */
type AuditedBy<U> = [U] extends [AuditAction] ? AuditedCall : unknown;

/** Middleware that records a call which is refused for lack of permission. */
const refusals: MiddlewareHandler<AppEnv> = async function refusals(c, next) {
  try {
    await next();
  } catch (error) {
    if (error instanceof ApiError) await auditRefusal(c.get('call'), error);
    throw error;
  }
};

/** Middleware that creates the call of an endpoint. Later middleware adds the caller and the input. */
export function beginCall(
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
    const leaveGate = () => {};
    c.set('call', {
      c,
      services,
      openApi,
      db: database.db,
      sql: database.sql,
      log,
      peer,
      now: clock(),
      bodyBytes: NO_BODY.bytes,
      leaveGate,
    });
    return next();
  };
}
