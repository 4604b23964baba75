import { type SQL, sql } from 'drizzle-orm';
import { BATCH_ROWS, inBatches } from '../batches.ts';
import { lockOrgMigrations } from '../migrations/migrate.ts';
import type { Sql } from '../pool/query.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import {
  acceptedRisks,
  deletionJobs,
  memberships,
  orgDeletions,
  orgs,
  projectPurges,
  reservedSlugs,
} from '../schema/orgs.ts';
import { personalTokens } from '../schema/personal-tokens.ts';
import { run, type SqlClient } from '../statements.ts';

const ofOrg = (orgId: string): SQL => sql`org_id = ${orgId}::uuid`;

/**
 * Removes what `shared` has of an organization, except for its row and the rows that are few. Each batch is a transaction, and
 * what is left to do is what is left in the tables.
 */
async function removeSharedRows(client: Sql, orgId: string): Promise<void> {
  const limit = sql.raw(String(BATCH_ROWS));
  for (const table of [acceptedRisks, deletionJobs, projectPurges, personalTokens, memberships]) {
    await inBatches(async () => {
      // Rows that somebody else has locked go with the row of the organization.
      const [removed] = await run<{ n: number }>(
        client,
        sql`with chosen as materialized (select ctid from ${table} where ${ofOrg(orgId)} limit ${limit} for update skip locked),
          removed as (delete from ${table} where ctid = any (array(select ctid from chosen)) returning 1)
          select count(*)::int as n from removed`,
      );
      return removed?.n ?? 0;
    });
  }
}

/**
 * Removes the schema and the row of an organization in one transaction, so that nobody sees half of it. It waits at most 5 s
 * for locks on tables of the organization, for example those of a backup.
 */
async function removeSchema(client: Sql, orgId: string, now: Date): Promise<string | undefined> {
  return await client.begin(async (tx) => {
    await Promise.all(lockOrgMigrations(tx, orgId, '5s'));
    const [org] = await run<{ slug: string; has_tables: boolean; is_unused: boolean }>(
      tx,
      sql`select o.slug, o.schema_version > 0 as has_tables, o.is_unused from ${orgs} o join ${orgDeletions} d on d.org_id = o.id and d.purging
        where o.id = ${orgId}::uuid for update of o`,
    );
    if (!org) return undefined;
    await run(
      tx,
      org.is_unused && !(org.has_tables && (await hasTokens(tx, orgId)))
        ? sql`delete from ${reservedSlugs} where ${ofOrg(orgId)}`
        : sql`insert into ${reservedSlugs} (slug, reserved_at) values (${org.slug}, ${now.toISOString()}::timestamptz)
        on conflict (slug) do nothing`,
    );
    if (org.has_tables) await run(tx, sql.raw(`drop schema if exists "${orgSchemaName(orgId)}" cascade`));
    await run(tx, sql`delete from ${orgs} where id = ${orgId}::uuid`);
    return org.slug;
  });
}

/** Whether an organization has API tokens: those of processes of the previous version do not mark it as used. */
async function hasTokens(tx: SqlClient, orgId: string): Promise<boolean> {
  const schema = sql.raw(`"${orgSchemaName(orgId)}"`);
  return (await run(tx, sql`select 1 from ${schema}.api_tokens limit 1`)).length > 0;
}

/**
 * Removes everything of an organization whose purge was taken. It can be repeated after a crash at any point.
 * @returns the slug of the organization; undefined if another process has removed it
 */
export async function purgeOrg(client: Sql, orgId: string, now: Date): Promise<string | undefined> {
  await removeSharedRows(client, orgId);
  return await removeSchema(client, orgId, now);
}
