import { sql } from 'drizzle-orm';
import { runSearch, type SearchLimits } from '../findings/lists/search.ts';
import { lowestIdAt } from '../ids.ts';
import type { Transactions } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement } from '../statements.ts';
import { UNRESOLVED } from './resolution.ts';

/** The number of findings of a project in a period; the period after the last one counts, too. */
export interface ProjectPeriod {
  project_id: string;
  period: number;
  count: number;
}

export interface ProjectWeeks {
  found: ProjectPeriod[];
  resolved: ProjectPeriod[];
  /** Unresolved now. */
  open: { project_id: string; count: number }[];
}

/*
 * New findings are read from `findings_project` alone, for each severity and status that a project has; resolved ones from
 * `findings_resolved` alone. A range of the former for each week, as of all projects (`resolution.ts`), takes twice as long.
 */
const statement = orgStatement<{ projectIds: string; ids: string; times: string }, ProjectWeeks>(
  ({ findingCounts, findings: f }, $) => {
    const at = sql`coalesce(resolved_at, status_changed_at)`;
    return sql`
with kept as materialized (
  select project_id, severity, status, count - proposed as count, regressed from ${findingCounts}
  where project_id = any(${$.projectIds}::uuid[]) and count > 0
), found as (
  select k.project_id, n.period, sum(n.count) as count
  from kept k cross join lateral (
    select width_bucket(id, ${$.ids}::uuid[]) as period, count(*) as count from ${f}
    where project_id = k.project_id and severity = k.severity and status = k.status and id >= (${$.ids}::uuid[])[1]
    group by 1
    union all
    select width_bucket(id, ${$.ids}::uuid[]), -count(*) from ${f}
    where proposed and project_id = k.project_id and severity = k.severity and status = k.status
      and id >= (${$.ids}::uuid[])[1]
    group by 1
  ) n
  group by k.project_id, n.period
), resolved as (
  select project_id, width_bucket(${at}, ${$.times}::timestamptz[]) as period, count(*) as count
  from ${f}
  where status not in ${UNRESOLVED} and not regressed and proposed is null and project_id = any(${$.projectIds}::uuid[])
    and ${at} >= (${$.times}::timestamptz[])[1]
  group by 1, 2
), open as (
  select project_id, sum(case when status in ${UNRESOLVED} then count else regressed end) as count
  from kept group by project_id
)
select
  coalesce((select json_agg(found) from found), '[]') as found,
  coalesce((select json_agg(resolved) from resolved), '[]') as resolved,
  coalesce((select json_agg(open) from open), '[]') as open`;
  },
);

/**
 * Counts the found, resolved and unresolved findings of projects.
 * @param bounds the beginnings of the periods, and the end of the last one
 * @throws an error with the code 57014 if it takes longer than `statementMs`
 */
export async function readProjectWeeks(
  client: Transactions,
  tables: OrgTables,
  { projectIds, bounds }: { projectIds: readonly string[]; bounds: readonly Date[] },
  limits: SearchLimits,
): Promise<ProjectWeeks> {
  const query = statement(tables).query({
    projectIds: arrayText(projectIds),
    ids: arrayText(bounds.map((at) => lowestIdAt(at.getTime()))),
    times: arrayText(bounds.map((at) => at.toISOString())),
  });
  const [row] = await runSearch<ProjectWeeks>(client, query, limits);
  return row as ProjectWeeks;
}
