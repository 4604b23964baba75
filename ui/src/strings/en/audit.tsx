import type { ReactNode } from 'react';
import type { AuditAction } from '../../../../lib/audit/actions.ts';
import { list, number, plural } from './language.ts';

export const auditLog = 'Audit log';
/** @param activity makes the word a link to the page */
export const whatIsListed = (activity: (word: string) => ReactNode) => (
  <>
    Changes, exports and refused calls of members and tokens, newest first. Decisions about findings are in{' '}
    {activity('Activity')}.
  </>
);
export const whoSeesIt = (roles: string) => `Only ${roles} see the audit log`;
export const filters = 'Filters of the audit log';
export const person = 'Person';
export const anybody = 'Anybody';
export const noPerson = 'No matching member';
export const anotherActor = 'A token or a former member';
export const you = (name: string) => `${name} (you)`;
export const action = 'Action';
export const allActions = 'All actions';
export const noAction = 'No matching action';
export const firstDay = 'First day';
export const lastDay = 'Last day';
export const count = (total: number, isAtLeast: boolean) =>
  isAtLeast ? `More than ${number(total)} entries` : plural(total, { one: '# entry', other: '# entries' });
export const exportCsv = 'Export CSV';
export const exportJson = 'Export JSON Lines';
export const time = 'Time';
export const target = 'Target';
export const changes = 'Changes';
export const address = 'IP address';
export const deletedUser = 'Deleted user';
export const token = (name: string) => `Token ${name}`;
export const nothing = 'No entries yet';
export const nothingYet = 'The next change in this organization is the first entry.';
export const pageIsEmpty = 'This page of the audit log has no entries';
export const nothingMatches = 'No entry matches these filters';
export const showAll = 'Show the whole audit log';

/** The actions, which the API and the exports name by their keys. */
export const actions: Record<AuditAction, string> = {
  'access.refused': 'Call refused',
  'activity.exported': 'Activity exported',
  'audit.exported': 'Audit log exported',
  'ci_trust.created': 'CI system added',
  'ci_trust.deleted': 'CI system deleted',
  'ci_trust.used': 'CI job signed in',
  'connection.changed': 'Connection changed',
  'connection.created': 'Connection created',
  'connection.deleted': 'Connection deleted',
  'connection.tested': 'Connection tested',
  'deletion.purged': 'Deletion made final',
  'deletion.undone': 'Deletion undone',
  'domain.added': 'Domain added',
  'domain.removed': 'Domain removed',
  'domain.verified': 'Domain verified',
  'finding.deleted': 'Finding deleted',
  'findings.deleted': 'Findings deleted',
  'findings.exported': 'Findings exported',
  'group.changed': 'Group changed by provisioning',
  'group.created': 'Group created by provisioning',
  'group.deleted': 'Group deleted by provisioning',
  'integration.changed': 'Integration changed',
  'integration.created': 'Integration created',
  'integration.deleted': 'Integration deleted',
  'integration.redelivered': 'Message sent again',
  'integration.tested': 'Integration tested',
  'member.changed': 'Member changed by provisioning',
  'member.invitation_declined': 'Invitation declined',
  'member.invitation_resent': 'Invitation sent again',
  'member.invited': 'Member invited',
  'member.joined': 'Member joined by single sign-on or provisioning',
  'member.left': 'Member left',
  'member.owner_offer_accepted': 'Ownership accepted',
  'member.owner_offer_declined': 'Ownership declined',
  'member.reactivated': 'Member activated by provisioning',
  'member.removed': 'Member removed',
  'member.role_changed': 'Role changed',
  'member.suspended': 'Member deactivated by provisioning',
  'organization.changed': 'Organization changed',
  'organization.deleted': 'Organization deleted',
  'organization.restored': 'Organization restored',
  'organization.undone': 'Removal or deletion undone by mail',
  'project.changed': 'Project changed',
  'project.created': 'Project created',
  'project.deleted': 'Project deleted',
  'project.demo_created': 'Demo data added',
  'project.due_dates_changed': 'Due dates of a project changed',
  'project.member_removed': 'Member removed from a project',
  'project.member_set': 'Member assigned to a project',
  'project.transfer_cancelled': 'Transfer of a project cancelled',
  'project.transfer_started': 'Transfer of a project started',
  'rule.changed': 'Rule changed',
  'rule.created': 'Rule created',
  'rule.deleted': 'Rule deleted',
  'rule.order_changed': 'Order of rules changed',
  'scan.deleted': 'Scan deleted',
  'scim_token.created': 'Token for provisioning created',
  'scim_token.removed': 'Token for provisioning removed',
  'settings.due_dates_changed': 'Due dates changed',
  'settings.feature_changed': 'Feature turned on or off',
  'settings.retention_changed': 'Retention changed',
  'settings.security_changed': 'Rules for tokens changed',
  'token.created': 'Token created',
  'token.revoked': 'Token revoked',
  'view.changed': 'View changed',
  'view.created': 'View created',
  'view.deleted': 'View deleted',
  'webhook.changed': 'Webhook changed',
  'webhook.created': 'Webhook created',
  'webhook.deleted': 'Webhook deleted',
  'webhook.redelivered': 'Event sent again',
  'webhook.secret_rotated': 'Secret of a webhook replaced',
  'webhook.tested': 'Webhook tested',
};

const none = 'none';
const valueText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return none;
  if (Array.isArray(value)) return value.length === 0 ? none : list(value.map(valueText));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
/** A change of a field, such as "member → admin"; only the value of one that is new. */
export const change = ({ from, to }: { from?: unknown; to?: unknown }) =>
  from === undefined ? valueText(to) : `${valueText(from)} → ${valueText(to)}`;
