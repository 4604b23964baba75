import type { ApiError } from './errors.ts';
import type { PublicCall } from './http/call.ts';
import type { LogFields, Logger } from './logger.ts';

/** Events of the security log (ASVS 16.3); docs/operations.md lists their fields. */
export const SECURITY_EVENTS = [
  'sign_in',
  'sign_in_failed',
  'step_up',
  'step_up_failed',
  'password_changed',
  'password_reset',
  'email_added',
  'email_verified',
  'email_removed',
  'primary_email_changed',
  'primary_email_restored',
  'mfa_enabled',
  'mfa_disabled',
  'mfa_device_added',
  'mfa_device_removed',
  'recovery_codes_renewed',
  'permission_denied',
  'member_invited',
  'member_removed',
  'member_left',
  'role_changed',
  'org_setting_changed',
  'org_deleted',
  'org_restored',
  'org_purged',
  'org_backed_up',
  'org_restored_from_backup',
  'retention_applied',
  'finding_deleted',
  'scan_deleted',
  'project_deleted',
  'project_transfer_started',
  'project_transfer_cancelled',
  'project_transferred',
  'token_created',
  'token_first_used',
  'token_revoked',
  'limit_exceeded',
  'account_disabled',
  'account_enabled',
  'account_deleted',
  'account_exported',
  'sessions_ended',
  'mfa_reset',
] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** The message of every line of the security log. */
const MESSAGE = 'security event';

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
  call.log.info(MESSAGE, {
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

/** Writes the event of an operator's command. */
export function logOperatorEvent(log: Logger, event: SecurityEvent, fields: LogFields): void {
  log.info(MESSAGE, { event, ...fields });
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
