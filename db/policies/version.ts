import { type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import type { OrgTables } from '../schema/org.ts';
import { type DrizzleClient, run } from '../statements.ts';

/**
 * A part of a statement that increases the version of an organization's policies if `rows` has a row. Pushes that follow an
 * older version are not written, and their process reads the policies again.
 */
export const increaseVersion = (tables: OrgTables, rows: SQL): SQL =>
  sql`insert into ${tables.policyVersions} as v (id, version) select 1, 1 from (select 1) one ${onItsWorker(tables)}
  where exists (select from ${rows})
  on conflict (id) do update set version = v.version + 1`;

/** Increases the version in the transaction that changes the policies. */
export async function bumpVersion(tx: DrizzleClient, tables: OrgTables): Promise<void> {
  await run(tx, increaseVersion(tables, sql`(values (1)) as changed`));
}
