import type { Tx } from '../../db/client.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { tokensRevoked } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logEndedTokens, logSecurityEvent } from '../../lib/http/security-log.ts';
import { mailRoleChange } from '../../lib/members/control.ts';
import { endMembership } from '../../lib/members/ending.ts';
import { readRoles, requireOtherOwner } from '../../lib/members/owners.ts';
import { isControlling } from '../../lib/members/roles.ts';
import { memberAddress } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';

export const leaveOrg = endpoint(
  {
    method: 'post',
    path: '/members/leave',
    access: freshCookieOrg('viewer', 'any member', 'for admins and owners'),
    audit: 'member.left',
    tag: 'Members',
    summary: 'Leave the organization',
    description:
      'The next request to the organization is refused. API tokens of the member are kept, limited or revoked as the organization has chosen (`tokens_on_role_loss`). The last owner cannot leave: an organization needs an owner who can sign in. All owners get a mail when an admin or owner leaves. A former owner gets a link that undoes it for 72 hours (`POST /auth/undo-org-change`).',
    responses: {
      200: { description: 'The caller is no longer a member.', message: 'You left the organization.' },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { now, org, services, user } = call;
    const { role, tokens } = await call.audited(
      (inside) => inOrgQuota(inside, leave),
      (left) => ({
        target: { type: 'member', id: user.id, name: left.name },
        changes: { role: { from: left.role }, ...tokensRevoked(left.tokens) },
      }),
    );
    async function leave(tx: Tx, tables: OrgTables) {
      const { own } = await readRoles(tx, org.id, { caller: user.id, member: user.id });
      const { role } = own;
      const actor = isControlling(role) ? call.freshActor() : undefined;
      if (role === 'owner') await requireOtherOwner(tx, services.config, org.id, user.id);
      if (actor) await mailRoleChange(tx, actor, { orgId: org.id, userId: user.id, from: role });
      const name = await memberAddress(tx, org.id, user.id);
      const tokens = await endMembership(tx, { id: org.id, tables }, user.id, { now });
      return { role, name, tokens };
    }
    services.mail.kick();
    logSecurityEvent(call, 'member_left', { member: user.id, role });
    logEndedTokens(call, user.id, tokens);
    return done();
  },
);
