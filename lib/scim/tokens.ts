import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { toResource } from '../../db/resources.ts';
import { orgDeletions, orgs } from '../../db/schema/orgs.ts';
import { scimTokens as t } from '../../db/schema/scim.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { id, shown, timestamp, z } from '../schema.ts';
import { hashToken, isTokenOf } from '../tokens/format.ts';

/** The token of an organization, as the API shows it. */
export const ScimToken = z
  .object({
    id: id(),
    prefix: shown('scim_5f0c1f4b'),
    created_at: timestamp(),
    created_by: id().optional().openapi({ description: 'The owner who created it; absent if deleted.' }),
    last_used: timestamp().optional(),
  })
  .openapi('ScimToken');

/** Where identity providers send their requests. */
export const scimUrl = ({ publicUrl }: Pick<Config, 'publicUrl'>): string => `${publicUrl}/scim/v2`;

export const toScimToken = (row: typeof t.$inferSelect) =>
  toResource({
    id: row.id,
    prefix: row.prefix,
    created_at: row.createdAt,
    created_by: row.createdBy,
    last_used: row.lastUsed,
  });

export async function findScimToken(db: Db | Tx, orgId: string) {
  const [row] = await db.select().from(t).where(eq(t.orgId, orgId));
  return row;
}

/**
 * Finds a token with the organization that it belongs to, and `last_used` at the look-up.
 * @throws ApiError `token_error/invalid`, `tenant_error/deleted`
 */
export async function checkScimToken(db: Db, token: string) {
  const [row] = isTokenOf('scim', token)
    ? await db
        .select({
          ...{ id: t.id, lastUsed: t.lastUsed, slug: orgs.slug },
          deleted: sql<boolean>`${orgDeletions.orgId} is not null`,
        })
        .from(t)
        .innerJoin(orgs, eq(orgs.id, t.orgId))
        .leftJoin(orgDeletions, eq(orgDeletions.orgId, t.orgId))
        .where(eq(t.tokenHash, hashToken(token).toString('hex')))
    : [];
  if (!row) throw new ApiError('token_error/invalid');
  if (row.deleted) throw new ApiError('tenant_error/deleted');
  return row;
}

/** Checks under the lock of the organization that a token has not been replaced or removed. @throws ApiError `token_error/invalid` */
export async function requireScimToken(tx: Tx, orgId: string, tokenId: string): Promise<void> {
  const [token] = await tx
    .select({ id: t.id })
    .from(t)
    .where(and(eq(t.orgId, orgId), eq(t.id, tokenId)));
  if (!token) throw new ApiError('token_error/invalid');
}

/** Sets `last_used` to `now`, unless it is later than `before`. */
export async function touchScimToken(db: Db, tokenId: string, now: Date, before: Date): Promise<void> {
  await db
    .update(t)
    .set({ lastUsed: now })
    .where(and(eq(t.id, tokenId), or(isNull(t.lastUsed), lt(t.lastUsed, before))));
}
