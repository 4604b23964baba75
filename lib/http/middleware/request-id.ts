import type { RequestContext, RequestEnv } from '../call.ts';
import type { PeerOf } from '../request/peer.ts';
import { createRequestIds, requestIdOf } from '../request/request-id.ts';
import { traceOf } from '../request/trace.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';
import type { PlainMiddleware } from './middleware.ts';

/** The route label of requests that match no route. */
export const UNMATCHED = 'unmatched';

/** Creates the request's context: its id (the caller's, if valid), its trace and its peer. */
export function requestId(peerOf: PeerOf): PlainMiddleware<RequestEnv> {
  const newRequestId = createRequestIds();
  return function requestId(c, next) {
    const id = requestIdOf(c.req.header('x-request-id')) ?? newRequestId();
    const request: RequestContext = {
      peer: peerOf(c),
      requestId: id,
      ids: { request_id: id, ...traceOf(c.req.header('traceparent')) },
      headers: SECURITY_HEADERS,
      route: UNMATCHED,
      quiet: false,
    };
    c.set('request', request);
    return next();
  };
}
