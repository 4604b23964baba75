import type { Tx } from '../../db/client.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { tokensRevoked } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logEndedTokens, logSecurityEvent } from '../../lib/http/security-log.ts';
import { mailRoleChange } from '../../lib/members/control.ts';
import { endMembership } from '../../lib/members/ending.ts';
import { readRoles, requireAdmin } from '../../lib/members/owners.ts';
import { isControlling, mayManageRole } from '../../lib/members/roles.ts';
import { memberAddress } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { flag, z } from '../../lib/schema.ts';

export const removeMember = endpoint(
  {
    method: 'delete',
    path: '/members/{userId}',
    access: freshCookieOrg('admin', 'none', 'to remove an admin or owner'),
    audit: 'member.removed',
    tag: 'Members',
    summary: 'Remove a member',
    description:
      'The next request of the member to the organization is refused. API tokens of the member are kept, limited or revoked as the organization has chosen (`tokens_on_role_loss`), and private views are deleted. Only owners can remove an owner. All owners get a mail about the removal of an admin or owner. A former owner gets a link that undoes it for 72 hours (`POST /auth/undo-org-change`). Members cannot remove themselves; see `POST /members/leave`.',
    request: {
      params: z.object({ userId: idParam() }),
      query: z.object({
        revoke_tokens: flag().optional().openapi({
          description:
            'With `true`, the API tokens that the member has created are revoked, whatever `tokens_on_role_loss` is.',
        }),
      }),
    },
    responses: { 204: { description: 'Removed.' } },
  },
  async (call) => {
    const { now, org, params, query, services, user } = call;
    const { userId } = params;
    if (userId === user.id) {
      throw new ApiError('validation_error/invalid_request', { message: 'You cannot remove yourself.' });
    }
    const { role, tokens } = await call.audited(
      (inside) => inOrgQuota(inside, remove),
      (removed) => ({
        target: { type: 'member', id: userId, name: removed.name },
        changes: { role: { from: removed.role }, ...tokensRevoked(removed.tokens) },
      }),
    );
    async function remove(tx: Tx, tables: OrgTables) {
      // When two owners remove each other at once, one stays: the second request finds its caller removed.
      const { own, other } = await readRoles(tx, org.id, { caller: user.id, member: userId });
      requireAdmin(own);
      const { role } = other;
      if (!mayManageRole(own.role, role)) {
        throw new ApiError('permission_error/denied', { message: 'Only an owner may remove an owner.' });
      }
      if (isControlling(role))
        await mailRoleChange(tx, call.freshActor(), { orgId: org.id, userId, from: role });
      const name = await memberAddress(tx, org.id, userId);
      const tokens = await endMembership(tx, { id: org.id, tables }, userId, {
        now,
        revokesTokens: query.revoke_tokens,
      });
      return { role, tokens, name };
    }
    services.mail.kick();
    logSecurityEvent(call, 'member_removed', { member: userId, role });
    logEndedTokens(call, userId, tokens);
    return noContent();
  },
);
