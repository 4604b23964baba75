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
  middleware<MemberCall>(rule === 'none' ? ['permission_error/denied'] : [], async function reach(c, next) {
    const call = c.get('call');
    const { membership, org, role, services, user } = call;
    if (membership.isLimited && rule === 'none')
      throw new ApiError('permission_error/denied', { message: 'Your access is limited to projects.' });
    const assigned = membership.isLimited ? await services.projectMembers(org, user.id) : undefined;
    // The checks run again after a wait, and while a list is sent: the reach is never unset in between.
    call.reach = assigned && reachOf(rolesIn(assigned, role), least);
    if (assigned) call.role = lower(role, 'member');
    await next();
  });
