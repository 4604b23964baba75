import { type SQL, sql } from 'drizzle-orm';
import { limitedStatement, type Projects } from '../../projects/reach.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { SqlClient } from '../../statements.ts';

/*
 * The revision of an organization tells whether findings or scans have changed. It derives from the transaction ids of the
 * stored counts, which every statement that changes findings or scans writes. A change that moves no count writes the same
 * numbers again (`touchCounts`). So the revision needs no table, no index and no trigger of its own, and reading it costs the
 * same with any number of findings.
 */

/** The sums grow with each change of a row. md5 hides how many transactions the cluster has run. */
const read = limitedStatement<object, { revision: string }>(({ findingCounts, scanCounts }, _, limit) => {
  const limited = limit(sql`project_id`);
  const where = limited && sql` where ${limited}`;
  return sql`
select md5(concat_ws(' ', f.rows, f.writes, s.rows, s.writes)) as revision
from (select count(*) as rows, sum(xmin::text::bigint) as writes from ${findingCounts}${where}) f,
  (select count(*) as rows, sum(xmin::text::bigint) as writes from ${scanCounts}${where}) s`;
});

/** Reads the revision of some projects of an organization: another text after each change of their findings or scans. */
export async function readRevision(
  client: SqlClient,
  tables: OrgTables,
  projects?: Projects,
): Promise<string> {
  const [row] = await read(tables, projects).run(client, {});
  return row?.revision ?? '';
}

/**
 * A statement for a CTE that changes the revision because of a finding whose counts stay.
 * @param findingId the id of the finding, as SQL
 */
export const touchCounts = ({ findingCounts, findings }: OrgTables, findingId: SQL): SQL => sql`
update ${findingCounts} c set count = c.count from ${findings} f
where f.id = ${findingId} and c.project_id = f.project_id and c.severity = f.severity and c.status = f.status`;
