import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { ApiError } from '../errors.ts';
import { OverShareError } from '../fair-share/over-share.ts';
import type { CoreServices, Services } from '../services.ts';
import type { AppEnv } from './call.ts';
import { type Endpoint, type Endpoints, type Serving, toPattern } from './endpoint.ts';
import { cors } from './middleware/cors.ts';
import { logging } from './middleware/logging.ts';
import { metrics } from './middleware/metrics.ts';
import { requestId, UNMATCHED } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { describing } from './openapi/document.ts';
import { createPeers } from './request/peer.ts';
import { createRequestIds, requestIdOf } from './request/request-id.ts';
import { respond, respondError } from './respond.ts';
import { RouteRouter } from './router.ts';
import { isScim, respondScimError, serveScim } from './scim/routes.ts';
import { PAGE_HEADERS } from './security-headers.ts';
import { logDenial, logSecurityEvent } from './security-log.ts';
import { unexpectedError } from './unexpected.ts';

export type App = Hono<AppEnv>;

type ServicesOf = (c: Context<AppEnv>) => Services;

/** Creates the service as one fetch handler, the same on every runtime. */
export function createApp(services: Services, endpoints: Endpoints): App;
/** @param servicesOf returns the services of one request, for runtimes where requests cannot share a database */
export function createApp(core: CoreServices, endpoints: Endpoints, servicesOf: ServicesOf): App;
export function createApp(
  core: CoreServices,
  endpoints: Endpoints,
  servicesOf: ServicesOf = () => core as Services,
): App {
  const { config, log } = core;
  const app = new Hono<AppEnv>({ router: new RouteRouter() });

  app.use(
    requestId(createPeers(config.trustProxy, core.remoteAddress)),
    logging(log),
    metrics(core.metrics),
    securityHeaders(config),
    cors(config),
  );

  const openApi = describing(endpoints);
  const servingOf: ServingOf = (c) => ({ services: servicesOf(c), openApi });
  serveEndpoints(app, endpoints, servingOf);
  serveScim(app, servingOf);
  if (core.staticFiles) serveFiles(app, core.staticFiles);

  app.notFound((c) => {
    const request = c.get('request');
    const isPage = ['GET', 'HEAD'].includes(c.req.method) && !isBelowApi(c.req.path);
    if (!isPage) return respondError(request, new ApiError('resource_error/not_found'));
    return respond(request, 200, core.page, {
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
  });

  app.onError((error, c) => {
    const request = c.get('request');
    const refuse = isScim(request.route) ? respondScimError : respondError;
    if (error instanceof ApiError) {
      if (!(error instanceof OverShareError)) core.metrics.refused(error.key);
      const from = { c, log, peer: request.peer };
      logDenial(from, error);
      if (error.limit) logSecurityEvent(from, 'limit_exceeded', error.limit);
      // The response does not contain the reason.
      if (error.key === 'server_error/unavailable') {
        const { route, ids } = request;
        log.warn('unavailable', { ...ids, route, reason: error.message });
      }
      return refuse(request, error);
    }
    return refuse(request, unexpectedError({ log, metrics: core.metrics }, request, error));
  });

  return app;
}

type ServingOf = (c: Context<AppEnv>) => Serving;

/**
 * Routes the endpoints. Literal paths are added before paths with a parameter in the same position, because the first
 * matching route answers.
 */
function serveEndpoints(app: App, endpoints: Endpoints, servingOf: ServingOf): void {
  const byPath = new Map<string, Endpoint[]>();
  for (const endpoint of Object.values(endpoints)) {
    byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint]);
  }
  // `{` sorts after every letter.
  for (const [path, operations] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const pattern = toPattern(path);
    for (const endpoint of operations) app.on([endpoint.method], [pattern], ...endpoint.route(servingOf));
    app.all(pattern, methodNotAllowed(path, operations));
  }
}

/** Answers 405 with the methods that the path supports (RFC 9110, 15.5.6). */
function methodNotAllowed(path: string, operations: readonly Endpoint[]): Handler<AppEnv> {
  const methods = operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = { allow: methods.join(', ') };
  return function methodNotAllowed(c) {
    const request = c.get('request');
    request.route = path;
    if (c.req.method === 'OPTIONS') return respond(request, 204, null, allow);
    return respondError(request, new ApiError('resource_error/method_not_allowed'), allow);
  };
}

const FILES = '/assets/*';
/** File names in this folder contain a hash of the content (ui/vite.config.ts), so browsers may cache them for a year. */
const HASHED_FILES = '/assets/ui/';

/** Whether a client that sent the path means the API, also with doubled or escaped slashes. */
function isBelowApi(path: string): boolean {
  let plain = path;
  try {
    plain = decodeURIComponent(path);
  } catch {
    // The path has a percent sign that is not an escape.
  }
  return /^[\\/.\s]*api(?:[\\/?#;]|$)/i.test(plain);
}

function serveFiles(app: App, files: MiddlewareHandler): void {
  app.get(FILES, async (c, next) => {
    const request = c.get('request');
    const found = await files(c, async () => {});
    if (!found) return next();
    request.route = FILES;
    request.quiet = true;
    const caching = c.req.path.startsWith(HASHED_FILES) ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = { ...PAGE_HEADERS, ...Object.fromEntries(found.headers), 'cache-control': caching };
    return respond(request, found.status, found.body, headers);
  });
}

/** A malformed request that the HTTP server rejects before it reaches the app. */
export interface Refusal {
  status?: number;
  message?: string;
  /** Undefined if the request line was not read completely. */
  method?: string | undefined;
  requestId?: string | undefined;
}

/** The response to a malformed request. */
export function refuseMalformed(refusal: Refusal = {}): Response {
  const { status, message = 'The request line or Host is malformed.', requestId } = refusal;
  const error = new ApiError('validation_error/invalid_request', { message });
  const context = { requestId: requestIdOf(requestId) ?? createRequestIds()() };
  return respondError(context, error, {}, status);
}

/** Returns a function that answers malformed requests and logs and counts them under the route `unmatched`. */
export function createRefusals({ log, metrics }: Pick<CoreServices, 'log' | 'metrics'>) {
  return (refusal: Refusal): Response => {
    const response = refuseMalformed(refusal);
    const { method, message: reason } = refusal;
    const { status } = response;
    metrics.requestStarted();
    metrics.requestEnded(method ?? 'other', UNMATCHED, status, 0);
    const request_id = response.headers.get('x-request-id');
    log.info('request', { request_id, method, route: UNMATCHED, status, reason });
    return response;
  };
}
