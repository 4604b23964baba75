import { Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { isUnavailable } from '../../db/errors.ts';
import type { Services } from '../services.ts';
import type { AppEnv, RequestContext } from './call.ts';
import { type Endpoint, type Endpoints, toPattern } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { describeApi, toYaml } from './openapi.ts';
import { isAllowedOrigin } from './origin.ts';
import { LANDING_PAGE } from './page.ts';
import { peerOf } from './peer.ts';
import { REQUEST_ID, respond, respondError } from './respond.ts';

export type App = Hono<AppEnv>;

const newRequestId = () => `req_${crypto.randomUUID().replaceAll('-', '')}`;

/** The whole service as one fetch handler, the same on every runtime. */
export function createApp(services: Services, endpoints: Endpoints): App {
  const { config, log, metrics } = services;
  const app = new Hono<AppEnv>();

  app.use(async (c, next) => {
    const started = performance.now();
    const given = c.req.header('x-request-id');
    const peer = peerOf(c, config.trustProxy, services.remoteAddress);
    const request: RequestContext = {
      peer,
      requestId: given && REQUEST_ID.test(given) ? given : newRequestId(),
      secure: peer.secure,
      route: 'unmatched',
      quiet: false,
    };
    c.set('request', request);
    metrics.requestStarted();
    try {
      await next();
    } finally {
      const duration = performance.now() - started;
      const { status } = c.res;
      const { route, org, user, requestId: request_id } = request;
      metrics.requestEnded(c.req.method, route, status, duration / 1000);
      log[request.quiet && status < 500 ? 'debug' : 'info']('request', {
        request_id,
        method: c.req.method,
        route,
        status,
        duration_ms: Math.round(duration * 100) / 100,
        org,
        user,
      });
    }
  });

  // Without an Origin there is nothing to allow, and the response stays on the fast path.
  const allowOrigins = cors({
    origin: (origin) => (isAllowedOrigin(origin, config) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type', 'Authorization', 'X-Request-ID', 'X-Org-Slug'],
    exposeHeaders: ['X-Request-ID', 'Retry-After'],
    maxAge: 600,
  });
  app.use(async (c, next) => {
    if (c.req.header('origin') === undefined) return next();
    const preflight = await allowOrigins(c, next);
    return preflight && respond(c.get('request'), 204, null, Object.fromEntries(preflight.headers));
  });

  let description: string | undefined;
  const openApi = () => {
    description ??= toYaml(describeApi(endpoints));
    return description;
  };
  for (const [path, ofPath] of byPath(endpoints)) {
    for (const endpoint of ofPath) endpoint.mount({ app, services, openApi });
    refuseOtherMethods(app, path, ofPath);
  }
  if (services.staticFiles) serveFiles(app, services.staticFiles);

  app.notFound((c) => {
    const request = c.get('request');
    const isPage = ['GET', 'HEAD'].includes(c.req.method) && !/^\/api(\/|$)/.test(c.req.path);
    if (!isPage) return respondError(request, new ApiError('resource_error/not_found'));
    return respond(request, 200, LANDING_PAGE, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
  });

  app.onError((error, c) => {
    const request = c.get('request');
    if (error instanceof ApiError) return respondError(request, error);
    const unavailable = isUnavailable(error);
    const { route, requestId: request_id } = request;
    log.error(unavailable ? 'database unavailable' : 'request failed', { request_id, route, error });
    const key = unavailable ? 'server_error/unavailable' : 'server_error/internal';
    return respondError(request, new ApiError(key));
  });

  return app;
}

/** What is mounted first answers: a path that is spelled out goes before one whose parameter could be that. */
function byPath(endpoints: Endpoints): [path: string, ofPath: Endpoint[]][] {
  const paths = new Map<string, Endpoint[]>();
  for (const endpoint of Object.values(endpoints)) {
    paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint]);
  }
  // `{` sorts behind every letter.
  return [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Answers a path we know, asked with a method it does not take: 405 with what it takes (RFC 9110, 15.5.6). */
function refuseOtherMethods(app: App, path: string, ofPath: readonly Endpoint[]): void {
  const allowed = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = { allow: allowed.join(', ') };
  app.all(toPattern(path), (c) => {
    const request = c.get('request');
    request.route = path;
    if (c.req.method === 'OPTIONS') return respond(request, 204, null, allow);
    return respondError(request, new ApiError('resource_error/method_not_allowed'), allow);
  });
}

const FILES = '/assets/*';

function serveFiles(app: App, files: MiddlewareHandler): void {
  app.get(FILES, async (c, next) => {
    const request = c.get('request');
    const found = await files(c, async () => {});
    if (!found) return next();
    request.route = FILES;
    request.quiet = true;
    const headers = { ...Object.fromEntries(found.headers), 'cache-control': 'no-cache' };
    return respond(request, found.status, found.body, headers);
  });
}

/** Answers a request whose target or Host header is malformed, before there is a request to speak of. */
export function refuseMalformed(): Response {
  const error = new ApiError('validation_error/invalid_request', {
    message: 'The request line or Host is malformed.',
  });
  return respondError({ requestId: newRequestId(), secure: false }, error);
}
