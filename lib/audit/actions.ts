/** The actions of the audit log, for docs/audit.md. `access.refused` is a call that an endpoint refused for lack of permission. */
export const AUDIT_ACTIONS = [
  'access.refused',
  'activity.exported',
  'audit.exported',
  'ci_trust.created',
  'ci_trust.deleted',
  'ci_trust.used',
  'connection.changed',
  'connection.created',
  'connection.deleted',
  'connection.tested',
  'deletion.purged',
  'deletion.undone',
  'domain.added',
  'domain.removed',
  'domain.verified',
  'finding.deleted',
  'findings.deleted',
  'findings.exported',
  'group.changed',
  'group.created',
  'group.deleted',
  'integration.changed',
  'integration.created',
  'integration.deleted',
  'integration.redelivered',
  'integration.tested',
  'member.changed',
  'member.invitation_declined',
  'member.invitation_resent',
  'member.invited',
  'member.joined',
  'member.left',
  'member.owner_offer_accepted',
  'member.owner_offer_declined',
  'member.reactivated',
  'member.removed',
  'member.role_changed',
  'member.suspended',
  'organization.changed',
  'organization.deleted',
  'organization.restored',
  'organization.undone',
  'project.changed',
  'project.created',
  'project.deleted',
  'project.demo_created',
  'project.due_dates_changed',
  'project.member_removed',
  'project.member_set',
  'project.transfer_cancelled',
  'project.transfer_started',
  'rule.changed',
  'rule.created',
  'rule.deleted',
  'rule.order_changed',
  'scan.deleted',
  'scim_token.created',
  'scim_token.removed',
  'settings.due_dates_changed',
  'settings.feature_changed',
  'settings.retention_changed',
  'settings.security_changed',
  'token.created',
  'token.revoked',
  'view.changed',
  'view.created',
  'view.deleted',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.redelivered',
  'webhook.secret_rotated',
  'webhook.tested',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The kinds of objects that an action changes. */
export const AUDIT_TARGETS = [
  'ci_trust',
  'connection',
  'deletion',
  'domain',
  'endpoint',
  'finding',
  'findings',
  'group',
  'integration',
  'member',
  'organization',
  'project',
  'rule',
  'scan',
  'setting',
  'token',
  'view',
  'webhook',
] as const;
export type AuditTarget = (typeof AUDIT_TARGETS)[number];

/** Why an endpoint leaves no entry. */
export const NOT_AUDITED = {
  account: 'It concerns an account, not an organization. The security log has it.',
  history: 'The activity of the finding, or the list of changes, has it with its author.',
  agent: 'Agents report many times a second. The scan and its findings name the token.',
  nothing: 'It changes nothing, and reads no list in bulk.',
} as const;

/**
 * The declaration of an endpoint: its action, the action of a list that is read as a whole in the format of a file, the actions of which
 * it records at most one, or why it leaves no entry.
 */
export type AuditRule =
  | AuditAction
  | { file: AuditAction }
  | { may: readonly AuditAction[] }
  | { none: keyof typeof NOT_AUDITED };

/** Whether an endpoint declares that it changes nothing. */
export const changesNothing = (rule: AuditRule | undefined): boolean =>
  typeof rule === 'object' && 'none' in rule && rule.none === 'nothing';

/** The action of a read; undefined if it leaves no entry. @param query of the request */
export function readAction(
  rule: AuditRule | undefined,
  query: { format?: unknown; page?: unknown; per_page?: unknown } = {},
): AuditAction | undefined {
  if (typeof rule === 'string') return rule;
  if (rule === undefined || !('file' in rule)) return undefined;
  const { format = 'json', page, per_page } = query;
  return format !== 'json' && page === undefined && per_page === undefined ? rule.file : undefined;
}
