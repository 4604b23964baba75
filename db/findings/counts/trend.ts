import { sql } from 'drizzle-orm';
import { lowestIdAt } from '../../ids.ts';
import type { Sql, Transactions } from '../../pool/query.ts';
import { limitedStatement, type Projects } from '../../projects/reach.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { Severity, SeverityCounts } from '../../schema/values.ts';
import { arrayText, orgStatement } from '../../statements.ts';
import { runSearch, type SearchLimits } from '../lists/search.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `first`: the lowest ids of the days, `late`: the lowest that are too late for them. */
type Params = { first: string; late: string };
type Row = { day: number; severity: Severity; total: number; unresolved: number };

const byDay = limitedStatement<Params, Row>((tables, $, limit) => {
  const inProject = limit(sql`project_id`) ?? sql`true`;
  return sql`
select d.day::int, k.severity, sum(f.count)::int as total,
  coalesce(sum(f.count) filter (where k.status in ('open', 'confirmed')), 0)::int as unresolved
from unnest(${$.first}::uuid[], ${$.late}::uuid[]) with ordinality d(first, late, day)
cross join (
  select severity, status from ${tables.findingCounts} where ${inProject} group by severity, status having sum(count) > 0
) k
cross join lateral (
  select count(*) - (
    select count(*) from ${tables.findings}
    where proposed and ${inProject} and severity = k.severity and status = k.status and id >= d.first and id < d.late
  ) as count
  from ${tables.findings}
  where ${inProject} and severity = k.severity and status = k.status and id >= d.first and id < d.late
) f
group by d.day, k.severity`;
});

/**
 * The same of several projects: a range of an index for each kind of a project, because a range for each day as well would take a thousand
 * projects too long. `end`: the lowest id that is too late.
 */
const bySeveral = orgStatement<{ projects: string; first: string; end: string }, Row>(
  ({ findingCounts, findings }, $) => {
    const ofKind = sql`project_id = k.project_id and severity = k.severity and status = k.status
      and id >= (${$.first}::uuid[])[1] and id < ${$.end}::uuid`;
    return sql`
select n.day::int, k.severity, sum(n.count)::int as total,
  coalesce(sum(n.count) filter (where k.status in ('open', 'confirmed')), 0)::int as unresolved
from (
  select project_id, severity, status from ${findingCounts} where project_id = any (${$.projects}::uuid[]) and count > 0
) k
cross join lateral (
  select width_bucket(id, ${$.first}::uuid[]) as day, count(*) as count from ${findings} where ${ofKind} group by 1
  union all
  select width_bucket(id, ${$.first}::uuid[]), -count(*) from ${findings} where proposed and ${ofKind} group by 1
) n
group by n.day, k.severity`;
  },
);

/** The number of findings first reported on a day, by severity, and how many of them are unresolved now. */
export interface DayCounts extends SeverityCounts {
  /** YYYY-MM-DD, in UTC. */
  date: string;
  unresolved: number;
}

/**
 * Counts the findings of the last days, today's last. A day is a range of ids, because these carry the time, and of every
 * kind that the counts know it is read from `findings_severity` or `findings_project` alone: faster than to read all and
 * sort them into days.
 */
export async function countByDay(
  client: Sql,
  tables: OrgTables,
  now: Date,
  days: number,
  projects?: Projects,
): Promise<DayCounts[]> {
  const starts = startsOf(now, days);
  const rows = await byDay(tables, projects).run(client, {
    first: arrayText(starts.map(lowestIdAt)),
    late: arrayText(starts.map((start) => lowestIdAt(start + DAY_MS))),
  });
  return toDays(starts, rows);
}

/**
 * Counts the findings of several projects in the same way.
 * @throws an error with the code 57014 if it takes longer than `statementMs`
 */
export async function searchByDay(
  client: Transactions,
  tables: OrgTables,
  { now, days, projects }: { now: Date; days: number; projects: readonly string[] },
  limits: SearchLimits,
): Promise<DayCounts[]> {
  const starts = startsOf(now, days);
  const query = bySeveral(tables).query({
    projects: arrayText(projects),
    first: arrayText(starts.map(lowestIdAt)),
    end: lowestIdAt((starts.at(-1) as number) + DAY_MS),
  });
  return toDays(starts, await runSearch<Row>(client, query, limits));
}

/** When the last days begin, today's last. */
function startsOf(now: Date, days: number): number[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return Array.from({ length: days }, (_, i) => today - (days - 1 - i) * DAY_MS);
}

function toDays(starts: readonly number[], rows: readonly Row[]): DayCounts[] {
  const counts = starts.map((start): DayCounts => {
    const date = new Date(start).toISOString().slice(0, 10);
    return { date, total: 0, critical: 0, high: 0, medium: 0, low: 0, info: 0, unresolved: 0 };
  });
  for (const { day, severity, total, unresolved } of rows) {
    const of = counts[day - 1] as DayCounts;
    of[severity] += total;
    of.total += total;
    of.unresolved += unresolved;
  }
  return counts;
}
