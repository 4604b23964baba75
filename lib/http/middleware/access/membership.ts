import { ApiError } from '../../../errors.ts';
import { requireNetwork } from '../../../orgs/access-limits.ts';
import type { MemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/**
 * Requires a member of the organization (403), in a network that it allows (403), and that it is not deleted (403). With
 * `pendingInvitations` on, a pending invitation does not count, and a held one never does.
 */
export const membership = middleware<MemberCall>(
  ['tenant_error/not_member', 'tenant_error/deleted', 'permission_error/address_not_allowed'],
  function membership(c, next) {
    const call = c.get('call');
    const { membership, user } = call;
    const { role, confirmed, held, orgDeleted } = membership;
    const isPending = call.services.config.pendingInvitations ? !confirmed : held;
    if (!role || isPending) throw new ApiError('tenant_error/not_member');
    if (orgDeleted) throw new ApiError('tenant_error/deleted');
    call.role = role;
    call.actor = { type: 'user', id: user.id, name: user.name };
    call.accountId = user.id;
    requireNetwork(membership.networks, call.peer.ip);
    return next();
  },
);
