import type { RequestEnv } from '../call.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import type { PlainMiddleware } from './middleware.ts';

/**
 * Selects the response's security headers, which over HTTPS include `Strict-Transport-Security`. They are selected before
 * the response is created, because @hono/node-server is slower for responses that are changed afterwards.
 */
export function securityHeaders({
  hstsSubdomains,
}: {
  hstsSubdomains: boolean;
}): PlainMiddleware<RequestEnv> {
  const hsts = `max-age=31536000${hstsSubdomains ? '; includeSubDomains' : ''}`;
  const secureHeaders = { ...SECURITY_HEADERS, 'strict-transport-security': hsts };
  return function securityHeaders(c, next) {
    const request = c.get('request');
    if (request.peer.secure) request.headers = secureHeaders;
    return next();
  };
}
