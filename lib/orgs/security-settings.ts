import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { ApiError } from '../errors.ts';
import { inOrgQuota } from '../quotas.ts';
import { z } from '../schema.ts';
import type { Org } from './directory.ts';
import { type Actor, mailControl } from './notices.ts';

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

/** Changes the security settings, and tells all owners about those that are not as before. */
export const changeSecuritySettings = (
  context: { db: Db; org: Org },
  actor: Actor,
  settings: z.output<typeof SecuritySettings>,
): Promise<z.output<typeof SecuritySettings>> =>
  inOrgQuota(context, async (tx) => {
    const isOrg = eq(orgs.id, context.org.id);
    const [before] = await tx.select(securityFields).from(orgs).where(isOrg);
    const values = { viewerTokensVerify: settings.viewer_tokens_verify };
    const [now] = await tx.update(orgs).set(values).where(isOrg).returning(securityFields);
    if (!before || !now) throw new ApiError('tenant_error/not_found');
    for (const name of Object.keys(now) as (keyof typeof now)[])
      if (now[name] !== before[name])
        await mailControl(tx, actor, context.org.id, 'setting_changed', [
          ['Setting', name],
          ['Now', now[name] ? 'on' : 'off'],
        ]);
    return now;
  });

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
