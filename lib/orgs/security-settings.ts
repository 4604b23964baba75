import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { ApiError } from '../errors.ts';
import { z } from '../schema.ts';
import type { Org } from './directory.ts';

/** Security settings of an organization, set by its admins. */
export const SecuritySettings = z
  .object({
    viewer_tokens_verify: z.boolean().openapi({
      description:
        'Whether API tokens made by viewers may confirm fixes (status `verified`). On by default. Off, it is also refused to tokens whose creator has become a viewer or left.',
      example: true,
    }),
  })
  .openapi('SecuritySettings');

export const securityFields = { viewer_tokens_verify: orgs.viewerTokensVerify };

/**
 * Refuses to confirm a fix with a token whose creator is a viewer now, or no longer a member, where the organization has
 * switched that off.
 * @throws ApiError `permission_error/denied`
 */
export async function requireMayVerify(db: Db, org: Org, token: { id: string }): Promise<void> {
  const { apiTokens } = org.tables;
  const [creator] = await db
    .select({ role: sql<string>`coalesce(${memberships.role}, 'former member')` })
    .from(apiTokens)
    .innerJoin(orgs, and(eq(orgs.id, org.id), eq(orgs.viewerTokensVerify, false)))
    .leftJoin(memberships, and(eq(memberships.orgId, orgs.id), eq(memberships.userId, apiTokens.createdBy)))
    .where(eq(apiTokens.id, token.id));
  if (creator?.role === 'viewer' || creator?.role === 'former member') {
    throw new ApiError('permission_error/denied', {
      message: `This organization lets no token confirm fixes that was made by a ${creator.role}.`,
    });
  }
}
