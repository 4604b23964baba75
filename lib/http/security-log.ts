import type { ApiError } from '../errors.ts';
import type { LogFields } from '../logger.ts';
import { SECURITY_MESSAGE, type SecurityEvent } from '../security-events.ts';
import type { EndedToken } from '../tokens/creators.ts';
import type { PublicCall } from './call.ts';

/**
 * Writes one line of the security log: the event, the request, its user or token, address and user agent, and the fields
 * of the event. Fields never hold a password, a code, a token or a link.
 */
export function logSecurityEvent(
  call: Pick<PublicCall, 'c' | 'log' | 'peer'>,
  event: SecurityEvent,
  fields: LogFields = {},
): void {
  const { ids, org, user, token } = call.c.get('request');
  call.log.info(SECURITY_MESSAGE, {
    event,
    ...ids,
    ip: call.peer.ip,
    user_agent: call.c.req.header('user-agent')?.slice(0, 512),
    org,
    user,
    token,
    ...fields,
  });
}

/** Errors that refuse a known user or token: role, scope or account does not allow the request. */
const DENIALS = /^(?:permission_error\/|token_error\/scope_mismatch$|tenant_error\/(?:not_member|deleted)$)/;

/** Writes a line for a request that was refused for lack of permission. */
export function logDenial(call: Pick<PublicCall, 'c' | 'log' | 'peer'>, error: ApiError): void {
  if (!DENIALS.test(error.key)) return;
  const { method } = call.c.req;
  const { route } = call.c.get('request');
  logSecurityEvent(call, 'permission_denied', { error: error.key, method, route });
}

/** Writes a line for each token that was revoked with the rights of its creator. */
export function logEndedTokens(
  call: Pick<PublicCall, 'c' | 'log' | 'peer'>,
  creator: string,
  tokens: readonly EndedToken[],
): void {
  for (const { id: token, name: token_name } of tokens)
    logSecurityEvent(call, 'token_revoked', { token, token_name, created_by: creator });
}
