import type { AuditAction } from '../../audit/actions.ts';
import type { AccessChange } from '../../scim/roles.ts';
import { type Audited, type Change, tokensRevoked } from '../audit.ts';
import type { PublicCall } from '../call.ts';
import { logEndedTokens, logSecurityEvent } from '../security-log.ts';

/** The action of a member whose access changes. */
export function actionOf({ suspended }: AccessChange): AuditAction {
  if (suspended === undefined) return 'member.role_changed';
  return suspended ? 'member.suspended' : 'member.reactivated';
}

/** A change of access, as an entry of the audit log has it. */
export const effectOf = ({ from, to, tokens }: AccessChange): Record<string, Change> => ({
  ...(from !== to && { role: { from, to } }),
  ...tokensRevoked(tokens),
});

/** One entry for each member whose access changes with a group or a connection. */
export const accessEntries = (access: readonly AccessChange[]): (Audited & { action: AuditAction })[] =>
  access.map((change) => ({
    action: actionOf(change),
    target: { type: 'member', id: change.userId, name: change.email },
    changes: effectOf(change),
  }));

/** Writes changes of access into the security log. */
export function logAccess(call: PublicCall, access: readonly AccessChange[]): void {
  for (const { userId: member, from, suspended, to, tokens } of access) {
    if (from !== to) logSecurityEvent(call, 'role_changed', { member, from, to });
    if (suspended !== undefined)
      logSecurityEvent(call, suspended ? 'member_suspended' : 'member_reactivated', { member, role: to });
    logEndedTokens(call, member, tokens);
  }
}
