import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';

/*
 * The revision of an organization tells whether findings or scans have changed. It derives from the transaction ids of the
 * stored counts, which every statement that changes findings or scans writes. A change that moves no count writes the same
 * numbers again (`touchCounts`). So the revision needs no table, no index and no trigger of its own, and reading it costs the
 * same with any number of findings.
 */

/** The sums grow with each change of a row. md5 hides how many transactions the cluster has run. */
const read = orgStatement<object, { revision: string }>(
  ({ findingCounts, scanCounts }) => sql`
select md5(concat_ws(' ', f.rows, f.writes, s.rows, s.writes)) as revision
from (select count(*) as rows, sum(xmin::text::bigint) as writes from ${findingCounts}) f,
  (select count(*) as rows, sum(xmin::text::bigint) as writes from ${scanCounts}) s`,
);

/** Reads the revision of an organization: another text after each change of its findings or scans. */
export async function readRevision(client: SqlClient, tables: OrgTables): Promise<string> {
  const [row] = await read(tables).run(client, {});
  return row?.revision ?? '';
}

/**
 * A statement for a CTE that changes the revision because of a finding whose counts stay.
 * @param findingId the id of the finding, as SQL
 */
export const touchCounts = ({ findingCounts, findings }: OrgTables, findingId: SQL): SQL => sql`
update ${findingCounts} c set count = c.count from ${findings} f
where f.id = ${findingId} and c.project_id = f.project_id and c.severity = f.severity and c.status = f.status`;
