import type { Logger } from '../../logger.ts';
import type { RequestEnv } from '../call.ts';
import type { PlainMiddleware } from './middleware.ts';

/** Writes one log line per request when its response begins. */
export const logging = (log: Logger): PlainMiddleware<RequestEnv> =>
  async function logging(c, next) {
    const started = performance.now();
    try {
      await next();
    } finally {
      const { ids, route, quiet, org, user, token } = c.get('request');
      const { status } = c.res;
      log[quiet && status < 500 ? 'debug' : 'info']('request', {
        ...ids,
        method: c.req.method,
        route,
        status,
        duration_ms: Math.round((performance.now() - started) * 100) / 100,
        org,
        user,
        token,
      });
    }
  };
