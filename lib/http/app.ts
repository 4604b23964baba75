import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { isUnavailable, refusesWrites } from '../../db/errors.ts';
import { connectionsOverShare, isOverShare, OverShareError } from '../fair-share/over-share.ts';
import { logDenial, logSecurityEvent } from '../security-events.ts';
import type { CoreServices, Services } from '../services.ts';
import type { AppEnv, RequestContext } from './call.ts';
import { type Endpoint, type Endpoints, type Serving, toPattern } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { describeApi, toYaml } from './openapi.ts';
import { isAllowedOrigin } from './origin.ts';
import { createPeers } from './peer.ts';
import { createRequestIds, requestIdOf } from './request-id.ts';
import { PAGE_HEADERS, respond, respondError } from './respond.ts';
import { traceOf } from './trace.ts';

export type App = Hono<AppEnv>;

/** The route of what goes nowhere. */
const UNMATCHED = 'unmatched';

/** The services of a request. */
type ServicesOf = (c: Context<AppEnv>) => Services;

/** The whole service as one fetch handler, the same on every runtime. */
export function createApp(services: Services, endpoints: Endpoints): App;
/** @param servicesOf what those requests bring that share no database */
export function createApp(core: CoreServices, endpoints: Endpoints, servicesOf: ServicesOf): App;
export function createApp(
  core: CoreServices,
  endpoints: Endpoints,
  servicesOf: ServicesOf = () => core as Services,
): App {
  const { config, log, metrics } = core;
  const app = new Hono<AppEnv>();

  // Without an Origin there is nothing to allow, and the response stays on the fast path.
  const allowOrigins = cors({
    origin: (origin, c) => (isAllowedOrigin(origin, config, c.get('request').peer.secure) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: [
      'Content-Type',
      'Authorization',
      'X-Request-ID',
      'X-Org-Slug',
      'traceparent',
      'tracestate',
    ],
    exposeHeaders: ['X-Request-ID', 'Retry-After'],
    maxAge: 600,
  });
  const newRequestId = createRequestIds();
  const hsts = `max-age=31536000${config.hstsSubdomains ? '; includeSubDomains' : ''}`;
  const peerOf = createPeers(config.trustProxy, core.remoteAddress);

  app.use(async (c, next) => {
    const started = performance.now();
    const given = c.req.header('x-request-id');
    const peer = peerOf(c);
    const requestId = requestIdOf(given) ?? newRequestId();
    const request: RequestContext = {
      peer,
      requestId,
      ids: { request_id: requestId, ...traceOf(c.req.header('traceparent')) },
      hsts: peer.secure ? hsts : undefined,
      route: UNMATCHED,
      quiet: false,
    };
    c.set('request', request);
    metrics.requestStarted();
    try {
      if (c.req.header('origin') === undefined) {
        await next();
      } else {
        const preflight = await allowOrigins(c, next);
        if (preflight) c.res = respond(request, 204, null, Object.fromEntries(preflight.headers));
      }
    } finally {
      const duration = performance.now() - started;
      const { status } = c.res;
      const { route, org, user, token, ids } = request;
      metrics.requestEnded(c.req.method, route, status, duration / 1000);
      log[request.quiet && status < 500 ? 'debug' : 'info']('request', {
        ...ids,
        method: c.req.method,
        route,
        status,
        duration_ms: Math.round(duration * 100) / 100,
        org,
        user,
        token,
      });
    }
  });

  let description: string | undefined;
  const openApi = () => {
    description ??= toYaml(describeApi(endpoints));
    return description;
  };
  serveEndpoints(app, endpoints, (c) => ({ services: servicesOf(c), openApi }));
  if (core.staticFiles) serveFiles(app, core.staticFiles);

  app.notFound((c) => {
    const request = c.get('request');
    const isPage = ['GET', 'HEAD'].includes(c.req.method) && !/^\/api(\/|$)/.test(c.req.path);
    if (!isPage) return respondError(request, new ApiError('resource_error/not_found'));
    return respond(request, 200, core.page, {
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
  });

  app.onError((error, c) => {
    const request = c.get('request');
    if (error instanceof ApiError) {
      if (!(error instanceof OverShareError)) metrics.refused(error.key);
      const from = { c, log, peer: request.peer };
      logDenial(from, error);
      if (error.limit) logSecurityEvent(from, 'limit_exceeded', { limit: error.limit });
      // Nothing else says why an answer is a 500.
      if (error.key === 'server_error/unavailable') {
        const { route, ids } = request;
        log.warn('unavailable', { ...ids, route, reason: error.message });
      }
      return respondError(request, error);
    }
    if (isOverShare(error)) {
      metrics.connectionRefused();
      return respondError(request, connectionsOverShare(error));
    }
    const unavailable = isUnavailable(error);
    const { route, ids } = request;
    log.error(unavailable ? 'database unavailable' : 'request failed', { ...ids, route, error });
    const key = unavailable ? 'server_error/unavailable' : 'server_error/internal';
    return respondError(request, new ApiError(key, refusesWrites(error) ? NO_WRITES : {}));
  });

  return app;
}

const NO_WRITES = { message: 'The database takes no writes at the moment: its disk may be full.' };

type Handler = (c: Context<AppEnv>) => Response | Promise<Response>;
type ServingOf = (c: Context<AppEnv>) => Serving;

/** What is routed first answers: a path that is spelled out goes before one whose parameter could be that. */
function serveEndpoints(app: App, endpoints: Endpoints, servingOf: ServingOf): void {
  const byPath = new Map<string, Endpoint[]>();
  for (const endpoint of Object.values(endpoints)) {
    byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint]);
  }
  // `{` sorts behind every letter.
  for (const [path, ofPath] of [...byPath].sort(([a], [b]) => (a < b ? -1 : 1))) {
    app.all(toPattern(path), methodsOf(path, ofPath, servingOf));
  }
}

/** Serves a path by method; other methods are answered 405 with what it takes (RFC 9110, 15.5.6). */
function methodsOf(path: string, ofPath: readonly Endpoint[], servingOf: ServingOf): Handler {
  const byMethod = new Map<string, Endpoint>();
  for (const endpoint of ofPath) {
    byMethod.set(endpoint.method, endpoint);
    if (endpoint.method === 'GET') byMethod.set('HEAD', endpoint);
  }
  const allow = { allow: [...byMethod.keys()].join(', ') };
  return (c) => {
    const endpoint = byMethod.get(c.req.method);
    if (endpoint) return endpoint.serve(c, servingOf(c));
    const request = c.get('request');
    request.route = path;
    if (c.req.method === 'OPTIONS') return respond(request, 204, null, allow);
    return respondError(request, new ApiError('resource_error/method_not_allowed'), allow);
  };
}

const FILES = '/assets/*';
/** Below it a name stands for what is in it, see ui/vite.config.ts. */
const HASHED_FILES = '/assets/ui/';

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

/** What is refused before there is a request that an app could see. */
export interface Refusal {
  status?: number;
  message?: string;
  /** As far as it was read. */
  method?: string | undefined;
  requestId?: string | undefined;
}

/** Answers a request whose target or Host header is malformed, or that is none at all. */
export function refuseMalformed(refusal: Refusal = {}): Response {
  const { status, message = 'The request line or Host is malformed.', requestId } = refusal;
  const error = new ApiError('validation_error/invalid_request', { message });
  const context = { requestId: requestIdOf(requestId) ?? createRequestIds()() };
  return respondError(context, error, {}, status);
}

/** The same, in the log and the metrics, where it has no route. */
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
