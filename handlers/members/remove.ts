import { and, eq } from 'drizzle-orm';
import { memberships } from '../../db/schema/orgs.ts';
import { cookieOrg } from '../../lib/http/access/access.ts';
import { endpoint, noContent } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { idParam } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';
import { readRoles, requireAdmin } from '../../lib/members/owners.ts';
import { mayManageRole } from '../../lib/members/roles.ts';
import { lockOrg } from '../../lib/quotas.ts';
import { logSecurityEvent } from '../../lib/security-events.ts';

export const removeMember = endpoint(
  {
    method: 'delete',
    path: '/members/{userId}',
    access: cookieOrg('admin'),
    tag: 'Members',
    summary: 'Remove a member',
    description:
      'Their next request to the organization is refused. API tokens they made stay. Only an owner may remove an owner. Nobody removes themselves: `POST /members/leave` does that.',
    request: { params: z.object({ userId: idParam() }) },
    responses: { 204: { description: 'They are no longer a member.' } },
  },
  async (call) => {
    const { db, org, params, user } = call;
    const { userId } = params;
    if (userId === user.id) {
      throw new ApiError('validation_error/invalid_request', { message: 'You cannot remove yourself.' });
    }
    const role = await db.transaction(async (tx) => {
      // When two owners remove each other at once, one stays: the second request finds its caller removed.
      await lockOrg(tx, org.id);
      const { own, other } = await readRoles(tx, org.id, { caller: user.id, member: userId });
      requireAdmin(own);
      if (!mayManageRole(own, other)) {
        throw new ApiError('permission_error/denied', { message: 'Only an owner may remove an owner.' });
      }
      await tx.delete(memberships).where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
      return other;
    });
    logSecurityEvent(call, 'member_removed', { member: userId, role });
    return noContent();
  },
);
