import { sql } from 'drizzle-orm';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import type { IssueState } from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';
import { inProjects } from './conditions.ts';

/** An issue of a finding. */
export interface IssueRow {
  id: string;
  destination_id: string;
  key: string | null;
  url: string | null;
  state: IssueState;
  status: string | null;
  outcome: string | null;
  /** The findings that have it, in the projects that the caller reaches. */
  findings: number;
  checked_at: string | null;
  created_by: string;
  created_at: string;
}

const list = orgStatement<{ findingId: string; id: string | null; projects: string | null }, IssueRow>(
  ({ findingIssues, findings, issues }, $) => sql`
select i.id, i.destination_id, i.key, i.url, i.state, i.status, i.outcome,
  (select count(*)::int from ${findingIssues} o join ${findings} f on f.id = o.finding_id where o.issue_id = i.id and ${inProjects($.projects)})
    as findings,
  ${timeText(sql`i.checked_at`)} as checked_at, i.created_by, ${timeText(sql`i.created_at`)} as created_at
from ${findingIssues} l join ${issues} i on i.id = l.issue_id
where l.finding_id = ${$.findingId}::uuid and (${$.id}::uuid is null or i.id = ${$.id}::uuid) order by i.created_at, i.id`,
);

/** The projects that a caller reaches. Unset: all. */
type Reach = { ids: readonly string[] } | undefined;

/** The issues of a finding, the oldest first. */
export const readIssues = (
  client: SqlClient,
  tables: OrgTables,
  findingId: string,
  reach: Reach,
): Promise<IssueRow[]> =>
  list(tables).run(client, { findingId, id: null, projects: reach ? arrayText(reach.ids) : null });

/** An issue of a finding; undefined if the finding does not have it. */
export const readIssue = async (
  client: SqlClient,
  tables: OrgTables,
  key: { findingId: string; id: string },
  reach: Reach,
): Promise<IssueRow | undefined> =>
  (await list(tables).run(client, { ...key, projects: reach ? arrayText(reach.ids) : null }))[0];
