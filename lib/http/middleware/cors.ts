import type { MiddlewareHandler } from 'hono';
import { cors as honoCors } from 'hono/cors';
import type { Config } from '../../config/config.ts';
import type { RequestEnv } from '../call.ts';
import { isAllowedOrigin } from '../request/origin.ts';
import { respond } from '../respond.ts';
import type { PlainMiddleware } from './middleware.ts';

/** Lets browser pages of the allowed origins use the API. Requests without an Origin skip it. */
export function cors(config: Config): PlainMiddleware<RequestEnv> {
  const allowOrigins: MiddlewareHandler<RequestEnv> = honoCors({
    origin: (origin, c) => (isAllowedOrigin(origin, config, c.get('request').peer.secure) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      'Content-Type',
      'Authorization',
      'X-Request-ID',
      'X-Org-Slug',
      'traceparent',
      'tracestate',
    ],
    exposeHeaders: ['X-Request-ID', 'Retry-After', 'Warning'],
    maxAge: 600,
  });
  const withOrigin: PlainMiddleware<RequestEnv> = async (c, next) => {
    const preflight = await allowOrigins(c, next);
    if (preflight) c.res = respond(c.get('request'), 204, null, Object.fromEntries(preflight.headers));
  };
  return function cors(c, next) {
    return c.req.header('origin') === undefined ? next() : withOrigin(c, next);
  };
}
