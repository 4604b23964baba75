import { type SQL, sql } from 'drizzle-orm';
import type { Transactions } from '../../pool/query.ts';
import { type OrgTables, ruleOf } from '../../schema/org.ts';
import { FINDING_STATUSES, type FindingStatus, SEVERITIES, type Severity } from '../../schema/values.ts';
import type { Window } from './pages.ts';
import { runSearch, type SearchLimits } from './search.ts';

/** The fields that findings can be grouped by. */
export const GROUP_KEYS = ['rule', 'cve', 'file', 'project'] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];

/** Findings that have a rule, CVE, file or project in common. */
export interface FindingGroup {
  /** Null for findings without one. */
  key: string | null;
  count: number;
  severities: Record<Severity, number>;
  statuses: Record<FindingStatus, number>;
  /** The worst. */
  severity: Severity;
  /** How many have regressed. */
  regressed: number;
  /** When the newest was first reported. */
  newestAt: string;
  /** The id of its first finding: regressed ones come first, then the most severe, then the newest. */
  first: string;
}

interface Row extends Record<Severity, number>, Record<FindingStatus, number> {
  key: string | null;
  count: number;
  regressed: number;
  newest_at: string;
  first: string;
  total: number;
}

/** Never null, so that groups can be joined by a hash. A finding without a key has the empty one. */
const keyOf = ({ findings: f }: OrgTables, by: GroupKey): SQL =>
  by === 'project'
    ? sql`${f.projectId}::text`
    : sql`coalesce(${{ rule: ruleOf(f), cve: f.cve, file: f.file }[by]}, '')`;

const list = (parts: SQL[]) => sql.join(parts, sql`, `);

/**
 * Groups findings, and reads a page of the groups: those with regressed findings first, then by the worst severity, the number
 * of findings and the newest. No index has the findings by group. One pass over them finds the page with as few aggregates as
 * possible, so that many groups fit into memory; a second one counts those of the page.
 */
export async function groupFindings(
  client: Transactions,
  tables: OrgTables,
  { by, where, window }: { by: GroupKey; where: SQL | undefined; window: Window },
  limits: SearchLimits,
): Promise<{ total: number; groups: FindingGroup[] }> {
  const { findings: f } = tables;
  const key = keyOf(tables, by);
  const counts = (column: SQL, values: readonly string[]) =>
    list(
      values.map((value) =>
        sql.join([
          sql`(count(*) filter (where ${column} = ${sql.raw(`'${value}'`)}))::int as `,
          sql.raw(value),
        ]),
      ),
    );
  // Sorts as text: the regressed and the severe ones are the greatest, then those with the greatest id.
  const rank = SEVERITIES.map((severity, i) => sql.raw(`when '${severity}' then '${SEVERITIES.length - i}'`));
  const severity = sql`(case ${f.severity} ${sql.join(rank, sql` `)} end)`;
  const rows = await runSearch<Row>(
    client,
    sql`
    with grouped as materialized (
      select ${key} as key, count(*)::int as count, max(${severity} collate "C") as worst,
        max((case when ${f.regressed} then '1' else '0' end || ${severity} || ${f.id}::text) collate "C") as first,
        max(${f.createdAt}) as newest_at
      from ${f} ${where && sql`where ${where}`} group by 1
    ), page as materialized (
      select *, row_number() over () as place from (
        select * from grouped order by left(first, 1) desc, worst desc, count desc, newest_at desc, key
        limit ${window.limit}::bigint offset ${window.offset}::bigint
      ) ordered
    ), counted as (
      select page.place, ${counts(sql`${f.severity}`, SEVERITIES)}, ${counts(sql`${f.status}`, FINDING_STATUSES)},
        (count(*) filter (where ${f.regressed}))::int as regressed
      from page join ${f} on ${key} = page.key ${where && sql`where ${where}`} group by page.place
    )
    select (select count(*)::int from grouped) as total, page.key, page.count, page.newest_at, page.first, counted.*
    from (select 1) one left join page on true left join counted on counted.place = page.place order by page.place`,
    limits,
  );
  const groups = rows.filter(({ first }) => first !== null).map(toGroup);
  return { total: rows[0]?.total ?? 0, groups };
}

function toGroup({ key, count, regressed, newest_at, first, ...row }: Row): FindingGroup {
  const pick = <Name extends Severity | FindingStatus>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, row[name]])) as Record<Name, number>;
  return {
    ...{ key: key || null, count, regressed },
    severities: pick(SEVERITIES),
    statuses: pick(FINDING_STATUSES),
    severity: SEVERITIES.find((severity) => row[severity] > 0) ?? 'info',
    newestAt: new Date(newest_at).toISOString(),
    first: first.slice(2),
  };
}
