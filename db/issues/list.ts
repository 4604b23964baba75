import { sql } from 'drizzle-orm';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import type { IssueState } from '../schema/values.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

/** An issue of a finding. */
export interface IssueRow {
  id: string;
  destination_id: string;
  key: string | null;
  url: string | null;
  state: IssueState;
  status: string | null;
  outcome: string | null;
  /** The findings that have it, in all projects. */
  findings: number;
  checked_at: string | null;
  created_by: string;
  created_at: string;
}

const list = orgStatement<{ findingId: string; id: string | null }, IssueRow>(
  ({ findingIssues, issues }, $) => sql`
select i.id, i.destination_id, i.key, i.url, i.state, i.status, i.outcome,
  (select count(*)::int from ${findingIssues} o where o.issue_id = i.id) as findings,
  ${timeText(sql`i.checked_at`)} as checked_at, i.created_by, ${timeText(sql`i.created_at`)} as created_at
from ${findingIssues} l join ${issues} i on i.id = l.issue_id
where l.finding_id = ${$.findingId}::uuid and (${$.id}::uuid is null or i.id = ${$.id}::uuid) order by i.created_at, i.id`,
);

/** The issues of a finding, the oldest first. */
export const readIssues = (client: SqlClient, tables: OrgTables, findingId: string): Promise<IssueRow[]> =>
  list(tables).run(client, { findingId, id: null });

/** An issue of a finding; undefined if the finding does not have it. */
export const readIssue = async (
  client: SqlClient,
  tables: OrgTables,
  key: { findingId: string; id: string },
): Promise<IssueRow | undefined> => (await list(tables).run(client, key))[0];
