import type { Role } from '../../../../db/schema/orgs.ts';
import { ApiError } from '../../../errors.ts';
import { rankOf } from '../../../tokens/scopes.ts';
import type { OrgCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Requires at least the role `least` (403). */
export const role = (least: Role) =>
  middleware<OrgCall>(['permission_error/denied'], function role(c, next) {
    if (rankOf(c.get('call').role) < rankOf(least)) throw new ApiError('permission_error/denied');
    return next();
  });
