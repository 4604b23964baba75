import type { Role } from '../../../../db/schema/orgs.ts';
import { ApiError } from '../../../errors.ts';
import { reachOf, rolesIn } from '../../../projects/reach.ts';
import { lower } from '../../../tokens/scopes.ts';
import type { MemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';
import type { ReachRule } from './project-scope.ts';

/**
 * Limits a member whose access is limited to projects, and refuses such a member where the endpoint concerns the organization (403).
 * From here on the role of such a member is at most `member`, because what admins do outside of a project concerns the organization.
 */
export const reach = (least: Role, rule: ReachRule) =>
  middleware<MemberCall>(['permission_error/denied'], async function reach(c, next) {
    const call = c.get('call');
    const { membership, org, role, services, user } = call;
    // The checks run again after a wait, when the member may no longer be limited.
    call.reach = undefined;
    if (membership.isLimited) {
      if (rule === 'none')
        throw new ApiError('permission_error/denied', { message: 'Your access is limited to projects.' });
      const assigned = await services.projectMembers(org, user.id);
      call.reach = reachOf(rolesIn(assigned, role), least);
      call.role = lower(role, 'member');
    }
    await next();
  });
