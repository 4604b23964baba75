import type { Role } from '../../../../db/schema/orgs.ts';
import type { OrgCall } from '../../call.ts';
import { ApiError } from '../../errors.ts';
import { middleware } from '../middleware.ts';

const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };

/** Requires at least the role `least` (403). */
export const role = (least: Role) =>
  middleware<OrgCall>(['permission_error/denied'], function role(c, next) {
    if (RANK[c.get('call').role] < RANK[least]) throw new ApiError('permission_error/denied');
    return next();
  });
