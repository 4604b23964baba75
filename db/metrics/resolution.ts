import { type SQL, sql } from 'drizzle-orm';
import { runSearch, type SearchLimits } from '../findings/lists/search.ts';
import { lowestIdAt } from '../ids.ts';
import type { Transactions } from '../pool/query.ts';
import { limitedStatement, type Projects } from '../projects/reach.ts';
import type { OrgTables } from '../schema/org.ts';
import type { Severity } from '../schema/values.ts';

/*
 * Numbers about finding and resolving over time, in one statement and one snapshot. New findings are counted by ranges of
 * ids, which carry the time; resolved ones are read from `findings_resolved` alone; those that are open now come from the
 * counts that are kept. Nothing reads whole rows, except of findings that have regressed. Proposed findings are left out.
 */

/** Times to resolve are rounded to this, so that they can be counted instead of sorted. */
export const CLASS_SECONDS = 360;

/** Rounds a time to a multiple of {@link CLASS_SECONDS}. */
const roundTo = (multiple: number) => sql.raw(`${multiple} * round(r.seconds / ${multiple * CLASS_SECONDS})`);
/** Long times are rounded to 1 % of their smallest, which leaves some thousand classes. */
const classCases = sql.join(
  [1, 10].map(
    (multiple) =>
      sql`when r.seconds < ${sql.raw(`${1_000 * multiple * CLASS_SECONDS}`)} then ${roundTo(multiple)}`,
  ),
  sql` `,
);

/** Findings of a severity that took about as long to resolve. */
export interface ResolvedClass {
  severity: Severity;
  /** Time to resolve, in units of {@link CLASS_SECONDS}. */
  class: number;
  count: number;
  /** The exact sum. */
  seconds: number;
  /** How many of them had a due date. */
  due: number;
  /** How many were resolved before it. */
  in_time: number;
}

/** Unresolved findings of a severity and status that were found in one of the periods. */
export interface Aged {
  severity: Severity;
  period: number;
  count: number;
}

export interface Resolution {
  classes: ResolvedClass[];
  /** Found in each period, and after the last one. */
  found: { period: number; count: number }[];
  /** Resolved in each period, and after the last one. */
  resolved: { severity: Severity; period: number; count: number }[];
  /** Unresolved now, by severity and age; the last age comes from all that are unresolved. */
  open: { severity: Severity; count: number }[];
  aged: Aged[];
}

/** `classes` as text, because JSON takes PostgreSQL ten times as long. */
type Row = Omit<Resolution, 'classes'> & { classes: string };

export interface ResolutionQuery {
  /** The beginnings of the periods, and the end of the last one. */
  bounds: readonly Date[];
  /** Times from which unresolved findings are counted, the latest first. */
  ages: readonly Date[];
  projects?: Projects;
}

interface Params {
  /** Lowest ids and times of the bounds. */
  ids: string;
  times: string;
  /** The same of the ages: youngest first. */
  ageIds: string;
  ageTimes: string;
}

const HIGHEST_ID = sql.raw("'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid");
export const UNRESOLVED = sql.raw("('open', 'confirmed')");

const resolutionOf = limitedStatement<Params, Row>(({ findingCounts, findings: f }, $, limit) => {
  const limited = limit(sql`project_id`);
  const inProject = limited ?? sql`true`;
  const kinds = sql`select severity, status from ${findingCounts} where ${inProject} and count > 0 group by severity, status`;
  // The index of projects has kinds before ids.
  const countIds = limited
    ? sql`select sum(n.count) as count from (${kinds}) k cross join lateral (
          select count(*) as count from ${f} where ${inProject} and severity = k.severity and status = k.status
            and id >= p.first and id < p.next) n`
    : sql`select count(*) as count from ${f} where id >= p.first and id < p.next`;
  const proposed = (kind: SQL, range: SQL) =>
    sql`(select count(*) from ${f} where proposed and ${inProject} and ${kind} and ${range})`;
  return sql`
with period as materialized (
  select period, first, lead(first, 1, ${HIGHEST_ID}) over (order by period) as next
  from unnest(${$.ids}::uuid[]) with ordinality as given(first, period)
), found as (
  select p.period, n.count - ${proposed(sql`true`, sql`id >= p.first and id < p.next`)} as count from period p cross join lateral (${countIds}) n
), resolved as (
  select severity, class, period, count(*) as count, sum(seconds) as seconds, count(due_at) as due,
    count(*) filter (where at <= due_at) as in_time
  from (
    select r.severity, r.due_at, r.at, width_bucket(r.at, ${$.times}::timestamptz[]) as period,
      -- A rule resolves a finding at the time when it is found.
      case when r.seconds > 0 and r.at < (${$.times}::timestamptz[])[array_upper(${$.times}::timestamptz[], 1)]
        then (case ${classCases} else ${roundTo(100)} end)::int end as class, r.seconds
    from (
      select severity, due_at, coalesce(resolved_at, status_changed_at) as at,
        date_part('epoch', coalesce(resolved_at, status_changed_at) - created_at) as seconds
      from ${f}
      where status not in ${UNRESOLVED} and not regressed and proposed is null and ${inProject}
        and coalesce(resolved_at, status_changed_at) >= (${$.times}::timestamptz[])[1]
      -- Keeps PostgreSQL from computing the seconds several times.
      offset 0
    ) r
  ) classed
  group by grouping sets ((severity, class), (severity, period))
), aged as (
  select k.severity, a.period,
    n.count - ${proposed(sql`severity = k.severity and status = k.status`, sql`id >= a.first and id < a.next`)} as count
  from (select ordinality as period, first, lag(first, 1, ${HIGHEST_ID}) over (order by ordinality) as next
    from unnest(${$.ageIds}::uuid[]) with ordinality as given(first, ordinality)) a
  cross join (${kinds}) k
  cross join lateral (
    select count(*) as count from ${f}
    where severity = k.severity and status = k.status and ${inProject} and id >= a.first and id < a.next
  ) n
  where k.status in ${UNRESOLVED}
  union all
  select severity, width_bucket(-date_part('epoch', coalesce(regressed_at, created_at)), array(
    select -date_part('epoch', at) from unnest(${$.ageTimes}::timestamptz[]) as given(at))) + 1, 1
  from ${f} where regressed and status not in ${UNRESOLVED} and ${inProject}
)
select
  coalesce((select string_agg(concat_ws(' ', severity, class, count, seconds, due, in_time), ';') from resolved
    where class is not null), '') as classes,
  coalesce((select json_agg(json_build_object('severity', severity, 'period', period, 'count', count)) from resolved
    where period is not null), '[]') as resolved,
  (select json_agg(json_build_object('period', period, 'count', coalesce(count, 0))) from found) as found,
  coalesce((select json_agg(o) from (
    select severity, sum(case when status in ${UNRESOLVED} then count - proposed else regressed end) as count
    from ${findingCounts} where ${inProject} group by severity) o), '[]') as open,
  coalesce((select json_agg(a) from (
    select severity, period, sum(count) as count from aged group by severity, period) a), '[]') as aged`;
});

/** @throws an error with the code 57014 if it takes longer than `statementMs` */
export async function readResolution(
  client: Transactions,
  tables: OrgTables,
  { bounds, ages, projects }: ResolutionQuery,
  limits: SearchLimits,
): Promise<Resolution> {
  const arrayOf = (values: readonly string[]) => `{${values.join(',')}}`;
  const query = resolutionOf(tables, projects).query({
    ids: arrayOf(bounds.map((at) => lowestIdAt(at.getTime()))),
    times: arrayOf(bounds.map((at) => at.toISOString())),
    ageIds: arrayOf(ages.map((at) => lowestIdAt(at.getTime()))),
    ageTimes: arrayOf(ages.map((at) => at.toISOString())),
  });
  const rows = await runSearch<Row>(client, query, limits);
  const { classes, ...row } = rows[0] as Row;
  return { ...row, classes: classes.split(';').filter(Boolean).map(toClass) };
}

function toClass(text: string): ResolvedClass {
  const [severity, ...numbers] = text.split(' ');
  const [number, count, seconds, due, in_time] = numbers.map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { severity: severity as Severity, class: number, count, seconds, due, in_time };
}
