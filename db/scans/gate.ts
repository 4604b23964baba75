import { type SQL, sql } from 'drizzle-orm';
import type { ScanRow } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { type FindingStatus, SEVERITIES, type Severity } from '../schema/values.ts';
import { arrayText, run, type SqlClient } from '../statements.ts';
import { severityRank } from './scans.ts';

/** The findings that fail a gate, the most severe first. */
export const MAX_GATE_FINDINGS = 100;

/** A finding that fails a gate, or would be closed. */
export interface GateFinding {
  id: string;
  title: string;
  severity: Severity;
  status: FindingStatus;
  source: string | null;
  file: string | null;
  line: number | null;
}

export interface Gate {
  /** The scan that the findings are compared with. `ref` is null if it has none. */
  base: { ref: string | null; scan_id: string; commit: string | null } | null;
  counts: Record<Severity, number>;
  findings: GateFinding[];
}

/** The scan whose gate is read. */
export interface GatedScan {
  /** The ref to compare with. Null: the default branch of the project. */
  baseRef: string | null;
  /**
   * Selects the scan: `scan_id`, `series_id`, `created_at`, `commit`, `sources`, `project_id`, `ref` of its series, and `default_ref` of
   * the project.
   */
  own: SQL;
  /** Selects its findings: the fields of {@link GateFinding}. */
  reported: SQL;
}

/** A stored scan. */
export function gatedScan(
  { findings, projects, scans, series, sightings }: OrgTables,
  { scan_id, target }: ScanRow,
  baseRef: string | undefined,
): GatedScan {
  const columns = sql.raw('f.id, f.title, f.severity, f.status, f.source, f.file, f.line');
  return {
    baseRef: baseRef || target?.base_ref || null,
    own: sql`
    select s.*, e.ref, p.default_ref from ${scans} s join ${projects} p on p.id = s.project_id left join ${series} e on e.id = s.series_id
    where s.scan_id = ${scan_id}`,
    reported: sql`
    select ${columns} from ${findings} f where f.scan_id = ${scan_id} union all
    select ${columns} from ${sightings} g join ${findings} f on f.id = g.finding_id where g.scan_id = ${scan_id}`,
  };
}

/**
 * Finds the findings of a scan that its base does not have. Decisions count as they are now: false positives and accepted risks
 * are left out.
 *
 * - With another ref, the base is what is present on it now.
 * - Otherwise it is, for each source, the latest comparable scan of another commit that had completed when the first scan of the
 *   commit began. Whatever is scanned later, each run on the commit has this base.
 *
 * `offset 0` has each finding of the scan looked up: PostgreSQL would rather read everything that the base has.
 * @param limit the most findings in the answer
 */
export async function readGate(
  client: SqlClient,
  { findingRefs, findings, scans, series, sightings }: OrgTables,
  { baseRef, own, reported }: GatedScan,
  severities: readonly Severity[],
  limit = MAX_GATE_FINDINGS,
): Promise<Gate> {
  const wanted = sql`severity = any (${arrayText(severities)}::text[]) and status not in ('false_positive', 'wontfix')`;
  const rank = severityRank(sql`severity`);
  const [row] = await run<{
    gate: { base: Gate['base']; counts: Record<string, number> | null; findings: GateFinding[] | null };
  }>(
    client,
    sql`
with own as materialized (
  select o.*, k.base_ref, k.base_ref <> coalesce(k.own_ref, '') as is_other,
    coalesce((select min(created_at) from ${scans} c where c.series_id = o.series_id and c.commit = o.commit), o.created_at) as began_at
  from (${own}) o cross join lateral (
    select coalesce(nullif(o.ref, ''), o.default_ref) as own_ref, coalesce(${baseRef}::text, o.default_ref) as base_ref
  ) k
), by_ref as materialized (
  select e.id from own join ${series} e on e.project_id = own.project_id
    and (e.ref = own.base_ref or (e.ref = '' and own.base_ref = own.default_ref))
  where own.is_other
), by_commit as materialized (
  select k.source, b.* from own cross join unnest(own.sources) k(source) cross join lateral (
    select c.scan_id, c.commit, c.created_at from ${scans} c
    where c.series_id = own.series_id and c.created_at <= own.began_at and c.completed_at <= own.began_at
      and c.status = 'completed' and c.error_message is null and c.commit is distinct from own.commit
      and (c.sources is null or k.source = any (c.sources))
    order by c.created_at desc, c.scan_id desc limit 1
  ) b
  where own.is_other is not true
), base as materialized (
  (select scan_id, commit from ${scans} where series_id = any (array(select id from by_ref)) and status = 'completed'
    order by created_at desc, scan_id desc limit 1)
  union all
  (select scan_id, commit from by_commit order by created_at desc, scan_id desc limit 1)
), reported as materialized (
  ${reported}
), failing as materialized (
  select * from reported r
  where ${wanted} and not exists (
    select from ${findingRefs} k where k.finding_id = r.id and k.missing_since is null
      and k.series_id = any (array(select id from by_ref)) and exists (select from base) offset 0)
  and not exists (
    select from by_commit b where b.source = coalesce(r.source, '') and (
      exists (select from ${sightings} g where g.scan_id = b.scan_id and g.finding_id = r.id)
      or exists (select from ${findings} f where f.id = r.id and f.scan_id = b.scan_id)) offset 0)
)
select json_build_object(
  'base', (select json_build_object('ref', (select case when is_other then base_ref else nullif(ref, '') end from own), 'scan_id', scan_id, 'commit', commit)
    from base),
  'counts', (select json_object_agg(severity, n) from (
    select severity, count(*) as n from failing group by severity) c),
  'findings', (select json_agg(row_to_json(t)) from (
    select * from failing order by ${rank}, id limit ${sql.raw(String(limit))}) t)
) as gate`,
  );
  const gate = row?.gate;
  const counts = Object.fromEntries(SEVERITIES.map((severity) => [severity, gate?.counts?.[severity] ?? 0]));
  return {
    base: gate?.base ?? null,
    counts: counts as Record<Severity, number>,
    findings: gate?.findings ?? [],
  };
}
