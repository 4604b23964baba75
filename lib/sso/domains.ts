import { and, asc, eq, isNotNull, ne } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { orgDomains as t } from '../../db/schema/orgs.ts';
import { ApiError } from '../errors.ts';
import { id, shown, timestamp, z } from '../schema.ts';

export const MAX_DOMAINS = 50;

/** A domain of an organization. */
export const Domain = z
  .object({
    id: id(),
    domain: shown('acme.example'),
    verified: z.boolean().openapi({ example: true }),
    verified_at: timestamp().optional(),
    record: z
      .object({
        type: z.literal('TXT'),
        name: shown('_svc-findings.acme.example'),
        value: shown('svc-findings=5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'),
      })
      .openapi({ description: 'The DNS record that proves the domain.' }),
    created_at: timestamp(),
  })
  .openapi('OrgDomain');

type Row = typeof t.$inferSelect;

const recordValue = ({ token }: Pick<Row, 'token'>): string => `svc-findings=${token}`;

export const recordName = (domain: string): string => `_svc-findings.${domain}`;

export const toDomain = (row: Row) => ({
  id: row.id,
  domain: row.domain,
  verified: row.verifiedAt !== null,
  ...(row.verifiedAt && { verified_at: row.verifiedAt.toISOString() }),
  record: { type: 'TXT' as const, name: recordName(row.domain), value: recordValue(row) },
  created_at: row.createdAt.toISOString(),
});

export const listDomains = (db: Db, orgId: string): Promise<Row[]> =>
  db.select().from(t).where(eq(t.orgId, orgId)).orderBy(asc(t.domain));

/** @throws ApiError `resource_error/not_found` */
export async function requireDomain(db: Db | Tx, orgId: string, domainId: string): Promise<Row> {
  const [row] = await db
    .select()
    .from(t)
    .where(and(eq(t.id, domainId), eq(t.orgId, orgId)));
  if (!row) throw new ApiError('resource_error/not_found');
  return row;
}

/**
 * Marks a domain as proven, by the TXT records of its name. Another organization that had proven it loses it, unless its record is there
 * too: then both have the same right, and the first keeps it.
 * @returns the domain, and the organization that lost it
 * @throws ApiError `resource_error/conflict`; a unique violation if another organization proves it at the same instant
 */
export async function proveDomain(tx: Tx, row: Row, records: readonly string[], now: Date) {
  if (!records.includes(recordValue(row)))
    throw new ApiError('resource_error/conflict', {
      message: `The TXT record ${recordValue(row)} of ${recordName(row.domain)} was not found. A new record can take an hour to be seen.`,
    });
  const [holder] = await tx
    .select()
    .from(t)
    .where(and(eq(t.domain, row.domain), ne(t.id, row.id), isNotNull(t.verifiedAt)))
    .for('update');
  if (holder && records.includes(recordValue(holder)))
    throw new ApiError('resource_error/conflict', {
      message: 'Another organization has proven this domain, and its TXT record is still there.',
    });
  if (holder) await tx.update(t).set({ verifiedAt: null }).where(eq(t.id, holder.id));
  const [proven] = await tx.update(t).set({ verifiedAt: now }).where(eq(t.id, row.id)).returning();
  if (!proven) throw new ApiError('resource_error/not_found');
  return { proven, lostBy: holder?.orgId };
}
