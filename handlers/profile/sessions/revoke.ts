import { and, eq, gt, isNull } from 'drizzle-orm';
import { sessions } from '../../../db/schema/accounts.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookie } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/schema.ts';

export const revokeSession = endpoint(
  {
    method: 'delete',
    path: '/profile/sessions/{id}',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Profile: sessions',
    summary: 'Revoke a session',
    description: 'The session stops working with its next request. Revoking the current session logs out.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Revoked.' } },
  },
  async ({ db, now, params: { id }, user }) => {
    const live = and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now));
    const revoked = await db
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(eq(sessions.id, id), eq(sessions.userId, user.id), live))
      .returning({ id: sessions.id });
    if (revoked.length === 0) throw new ApiError('resource_error/not_found');
    return noContent();
  },
);
