import { and, asc, eq, inArray } from 'drizzle-orm';
import { memberships } from '../../db/shared.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint, noContent } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { idParam } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';

export const removeMember = endpoint(
  {
    method: 'delete',
    path: '/members/{userId}',
    access: cookieOrg('admin'),
    tag: 'Members',
    summary: 'Remove a member',
    description:
      'Their next request to the organization is refused. API tokens they made stay. Only an owner may remove an owner, and nobody themselves.',
    request: { params: z.object({ userId: idParam() }) },
    responses: { 204: { description: 'They are no longer a member.' } },
  },
  async ({ db, org, params: { userId }, user }) => {
    if (userId === user.id) {
      throw new ApiError('validation_error/invalid_request', { message: 'You cannot remove yourself.' });
    }
    const ofOrg = eq(memberships.orgId, org.id);
    await db.transaction(async (tx) => {
      // Both rows are locked, in one order: of two owners who remove each other one stays.
      const rows = await tx
        .select({ userId: memberships.userId, role: memberships.role })
        .from(memberships)
        .where(and(ofOrg, inArray(memberships.userId, [user.id, userId])))
        .orderBy(asc(memberships.userId))
        .for('update');
      const own = rows.find((row) => row.userId === user.id);
      const other = rows.find((row) => row.userId === userId);
      if (!own) throw new ApiError('tenant_error/not_member');
      if (!other) throw new ApiError('resource_error/not_found', { message: 'There is no such member.' });
      if (other.role === 'owner' && own.role !== 'owner') {
        throw new ApiError('permission_error/denied', { message: 'Only an owner may remove an owner.' });
      }
      await tx.delete(memberships).where(and(ofOrg, eq(memberships.userId, userId)));
    });
    return noContent();
  },
);
