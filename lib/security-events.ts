import type { PublicCall } from './http/call.ts';
import type { LogFields } from './logger.ts';

/** What the security log tells of (ASVS 16.3): one line each, for alerts and investigations. */
export type SecurityEvent =
  | 'sign_in'
  | 'sign_in_failed'
  | 'step_up'
  | 'step_up_failed'
  | 'password_changed'
  | 'password_reset'
  | 'email_added'
  | 'email_removed'
  | 'primary_email_changed'
  | 'primary_email_restored'
  | 'mfa_enabled'
  | 'mfa_disabled'
  | 'mfa_device_added'
  | 'mfa_device_removed'
  | 'recovery_codes_renewed'
  | 'permission_denied'
  | 'member_invited'
  | 'member_removed'
  | 'member_left'
  | 'role_changed'
  | 'token_created'
  | 'token_first_used'
  | 'token_revoked'
  | 'limit_exceeded';

/**
 * Writes one line of the security log: the event, the request, who asked from where, and the fields of the event. Fields
 * never hold a password, a code, a token or a link.
 */
export function logSecurityEvent(
  call: Pick<PublicCall, 'c' | 'log' | 'peer'>,
  event: SecurityEvent,
  fields: LogFields = {},
): void {
  const { ids, org, user } = call.c.get('request');
  call.log.info('security event', {
    event,
    ...ids,
    ip: call.peer.ip,
    user_agent: call.c.req.header('user-agent')?.slice(0, 512),
    org,
    user,
    ...fields,
  });
}
