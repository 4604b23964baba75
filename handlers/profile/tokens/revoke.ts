import { and, eq } from 'drizzle-orm';
import { personalTokens as t } from '../../../db/schema/personal-tokens.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookie } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { z } from '../../../lib/schema.ts';

export const revokePersonalToken = endpoint(
  {
    method: 'delete',
    path: '/profile/tokens/{id}',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Profile: access tokens',
    summary: 'Revoke a personal access token',
    description: 'The token stops working with its next request and is removed from the list.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Revoked.' } },
  },
  async (call) => {
    const { db, params, user } = call;
    const [revoked] = await db
      .delete(t)
      .where(and(eq(t.id, params.id), eq(t.userId, user.id)))
      .returning({ token: t.id, token_name: t.name });
    if (!revoked) throw new ApiError('resource_error/not_found');
    logSecurityEvent(call, 'token_revoked', { ...revoked, personal: true });
    return noContent();
  },
);
