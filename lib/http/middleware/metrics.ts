import type { Metrics } from '../../metrics/metrics.ts';
import type { RequestEnv } from '../call.ts';
import type { PlainMiddleware } from './middleware.ts';

/** Counts requests in progress, and answered ones with their duration. */
export const metrics = ({ requestStarted, requestEnded }: Metrics): PlainMiddleware<RequestEnv> =>
  async function metrics(c, next) {
    const started = performance.now();
    requestStarted();
    try {
      await next();
    } finally {
      const seconds = (performance.now() - started) / 1000;
      requestEnded(c.req.method, c.get('request').route, c.res.status, seconds);
    }
  };
