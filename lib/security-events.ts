import type { LogFields, Logger } from './logger.ts';

/** Events of the security log (ASVS 16.3); docs/operations.md lists their fields. */
export const SECURITY_EVENTS = [
  'sign_in',
  'sign_in_failed',
  'sso_linked',
  'sso_unlinked',
  'sso_logout',
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
  'project_access_changed',
  'project_role_changed',
  'owner_offer',
  'invitation_declined',
  'ownership_restored',
  'org_setting_changed',
  'connection_changed',
  'domain_verified',
  'org_deleted',
  'org_restored',
  'org_purged',
  'org_backed_up',
  'org_restored_from_backup',
  'retention_applied',
  'finding_deleted',
  'findings_deleted',
  'scan_deleted',
  'deletion_undone',
  'deletion_purged',
  'project_deleted',
  'project_transfer_started',
  'project_transfer_cancelled',
  'project_transferred',
  'token_created',
  'token_first_used',
  'token_revoked',
  'ci_token_refused',
  'limit_exceeded',
  'account_disabled',
  'account_enabled',
  'account_deleted',
  'account_exported',
  'sessions_ended',
  'mfa_reset',
  'operator_command',
] as const;
export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** The message of every line of the security log. */
export const SECURITY_MESSAGE = 'security event';

/** Writes the event of an operator's command. */
export function logOperatorEvent(log: Logger, event: SecurityEvent, fields: LogFields): void {
  log.info(SECURITY_MESSAGE, { event, ...fields });
}
