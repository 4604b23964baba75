import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from './schema/org.ts';

/**
 * Joins one row of a table of the organization to the rows that an INSERT selects from other parts of its statement, and changes
 * nothing about them. Citus runs the parts of a statement with an INSERT in a CTE one by one. With this table it sends the INSERT to
 * the worker of the organization. Without it, all workers get the rows, and the INSERT fails while one of them is down.
 */
export const onItsWorker = ({ policyVersions }: Pick<OrgTables, 'policyVersions'>): SQL =>
  sql`cross join (select count(*) from ${policyVersions}) on_its_worker`;
