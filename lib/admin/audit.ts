import { asc, sql } from 'drizzle-orm';
import { type Verified, verifyChain } from '../../db/audit/verify.ts';
import type { Database } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { isBehind } from '../../db/orgs/tables.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { isAway } from '../orgs/migrations.ts';
import { reasonOf } from './error.ts';
import { findOrg } from './orgs.ts';

/** The result for one organization. */
export interface AuditResult extends Verified {
  org_id: string;
  org: string;
}

/**
 * Verifies the audit log of one organization or all.
 * @throws AdminError when the organization does not exist; the driver's error when the database is unavailable
 */
export async function verifyAudit(
  database: Database,
  { migrations, org }: { migrations: readonly Migration[]; org?: string | undefined },
): Promise<{ orgs: AuditResult[]; failed: number }> {
  const { db } = database;
  const which = { id: orgs.id, slug: orgs.slug, schema_version: orgs.schemaVersion };
  const all =
    org === undefined ? await db.select(which).from(orgs).orderBy(asc(orgs.slug)) : [await findOrg(db, org)];
  const results: AuditResult[] = [];
  for (const { id, slug, schema_version } of all) {
    if (schema_version === 0) continue;
    const named = { org_id: id, org: slug };
    if (isBehind(schema_version, migrations))
      results.push({ ...named, ...failed('its schema is behind: run "migrate" first') });
    else results.push({ ...named, ...(await verifyOne(database, id)) });
  }
  return { orgs: results, failed: results.filter(({ fault }) => fault !== undefined).length };
}

const failed = (fault: string): Verified => ({ entries: 0, seq: 0, hash: '', fault });

async function verifyOne(database: Database, orgId: string): Promise<Verified> {
  const tables = defineOrgTables(orgSchemaName(orgId));
  try {
    return await database.sql.begin(async (tx) => {
      // Entries that are written or expire meanwhile are not seen.
      await run(tx, sql`set transaction isolation level repeatable read, read only`);
      return await verifyChain(tx, tables);
    });
  } catch (error) {
    if (isAway(error)) throw error;
    return failed(reasonOf(error));
  }
}
