import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from '../client.ts';
import { rankIn } from '../schema/columns.ts';
import type { OrgTables } from '../schema/org.ts';
import { type PERSONAS, type ScanTarget, SEVERITIES, type Severity } from '../schema/values.ts';
import { arrayText, listText, run, type SqlClient } from '../statements.ts';
import { comparableScan, compareScans } from './compare.ts';
import { type Gate, type GateFinding, readGate } from './gate.ts';
import { partsToClose, toClose } from './missing.ts';
import { isTracked, seriesKey, seriesOf, vaguerSeries } from './series.ts';

/*
 * A scan that is planned, but not registered: what its end would change. The statements are those of stored scans with `own` made from
 * parameters. They only read.
 */

/** A scan that is planned: its target decides which scans it is compared with. */
export interface Plan {
  scanId: string;
  projectId: string;
  persona: (typeof PERSONAS)[number];
  target: ScanTarget | undefined;
  commit: string | undefined;
  now: Date;
  /** The series that it would continue; undefined if it would be the first one. */
  seriesId: string | undefined;
  /** Whether the state of findings would follow it. */
  tracked: boolean;
  /** The default branch of the project afterwards. */
  defaultRef: string | null;
}

/** Finds the series of a scan as its registration would. @returns undefined if there is no such project */
export async function planScan(
  client: SqlClient,
  tables: OrgTables,
  scan: Omit<Plan, 'seriesId' | 'tracked' | 'defaultRef'>,
): Promise<Plan | undefined> {
  const { projectId, persona, target } = scan;
  const named = { projectId, persona, ...seriesOf(target) };
  const [row] = await run<{ series_id: string | null; tracked: boolean; default_ref: string | null }>(
    client,
    sql`
with project as materialized (${projectAfter(tables, projectId, target)})
select coalesce(
    (select id from ${tables.series} where key = ${seriesKey(sql`${projectId}`, sql`${persona}`, sql`${named.series}`)}),
    (select id from (${vaguerSeries(tables, sql`project`, named)}) vaguer)
  ) as series_id, ${isTracked(sql`${named.ref}`, 'project')} as tracked, default_ref
from project`,
  );
  if (!row) return undefined;
  return {
    ...scan,
    seriesId: row.series_id ?? undefined,
    tracked: row.tracked,
    defaultRef: row.default_ref,
  };
}

/** The project with the default branch that the first scan which names one sets. */
const projectAfter = ({ projects }: OrgTables, projectId: string, target: ScanTarget | undefined): SQL => sql`
  select id, coalesce(default_ref, ${target?.default_ref || null}::text) as default_ref, tracked_refs
  from ${projects} where id = ${projectId}::uuid`;

/** The findings of a planned scan. */
export interface Reported {
  /** The ids of known findings. */
  known: readonly string[];
  /** All sources that it looks for. */
  sources: readonly string[];
  /** The number of findings. */
  total: number;
}

/** Selects a planned scan as if it were stored and completed. */
const ownOf = (plan: Plan, { sources, total }: Pick<Reported, 'sources' | 'total'>): SQL => {
  const { scanId, projectId, persona, target, commit, now, seriesId, tracked, defaultRef } = plan;
  const at = sql`${now.toISOString()}::timestamptz`;
  return sql`
  select ${scanId}::text as scan_id, ${projectId}::uuid as project_id, ${persona}::text as persona, ${target?.ref || ''}::text as ref,
    ${seriesId ?? null}::uuid as series_id, ${tracked}::boolean as tracked, ${commit || null}::text as commit, ${at} as created_at,
    ${at} as completed_at, ${listText(sources)}::text[] as sources, null::text[] as declared_sources,
    ${defaultRef}::text as default_ref, ${total === 0}::boolean as is_empty`;
};

/** Counts the findings that the latest comparable scan reported and a planned one does not. */
export async function countGoneByPlan(
  db: Db,
  tables: OrgTables,
  plan: Plan,
  reported: Reported,
): Promise<number> {
  const { known, sources } = reported;
  const against = await comparableScan(db, tables, ownOf(plan, reported));
  if (!against) return 0;
  const own = sql`(${idsOf(known)})`;
  return (await compareScans(db, tables, plan.scanId, against.scan_id, sources, own)).gone;
}

const idsOf = (ids: readonly string[]): SQL => sql`select unnest(${arrayText(ids)}::uuid[]) as id`;

/** Finds what would be closed after a planned scan, the most severe first. @param limit the most findings in the answer */
export async function findClosingByPlan(
  client: SqlClient,
  tables: OrgTables,
  plan: Plan,
  reported: Reported,
  limit: number,
): Promise<{ total: number; findings: GateFinding[] }> {
  const { projectId, target, seriesId, tracked } = plan;
  if (seriesId === undefined || !tracked) return { total: 0, findings: [] };
  const { findingRefs, findings, series } = tables;
  const after = {
    ...tables,
    series: alias(series, 'series_after'),
    findingRefs: alias(findingRefs, 'refs_after'),
  } as unknown as OrgTables;
  const planned = sql`
    union all select w.created_at, w.scan_id, w.completed_at, w.is_empty where e.id = w.series_id
    order by created_at desc, scan_id desc limit greatest(w.after, 2)`;
  const [row] = await run<{ total: number; findings: GateFinding[] | null }>(
    client,
    sql`
with own as materialized (${ownOf(plan, reported)}
), project as materialized (${projectAfter(tables, projectId, target)}
), series_after as materialized (
  select e.id, e.project_id, ${isTracked(sql`case when e.id = own.series_id then own.ref else e.ref end`, 'project')} as tracked
  from own, project join ${series} e on e.project_id = project.id
), ${partsToClose(after, planned)}, reported as materialized (${idsOf(reported.known)}
), candidate as materialized (
  select r.finding_id as id from own join ${findingRefs} r on r.series_id = own.series_id join ${findings} f on f.id = r.finding_id
  where (r.missing_since is not null or coalesce(f.source, '') = any (own.sources))
    and not exists (select from reported k where k.id = r.finding_id)
), refs_after as materialized (
  select r.finding_id, r.series_id,
    case when r.series_id = own.series_id then coalesce(r.missing_since, own.completed_at) else r.missing_since end as missing_since
  from own, candidate c join ${findingRefs} r on r.finding_id = c.id
), ${toClose(after, sql`true`)}
select (select count(*) from closing)::int as total, (
  select json_agg(row_to_json(t)) from (
    select id, title, severity, status, source, file, line from closing
    order by ${rankIn(SEVERITIES, sql`severity`)}, id limit ${limit}::int) t) as findings`,
  );
  return { total: row?.total ?? 0, findings: row?.findings ?? [] };
}

/** A finding that a planned scan would report. A new one has an id of its own. */
export type PlannedFinding = Pick<GateFinding, 'id' | 'severity' | 'status' | 'source'>;

/** Reads the gate of a planned scan. The findings in the answer have no title and no place. */
export function readGateOfPlan(
  client: SqlClient,
  tables: OrgTables,
  plan: Plan,
  reported: Reported & { findings: readonly PlannedFinding[] },
  { severities, limit }: { severities: readonly Severity[]; limit: number },
): Promise<Gate> {
  const { target } = plan;
  return readGate(
    client,
    tables,
    {
      baseRef: target?.base_ref ?? null,
      own: ownOf(plan, reported),
      reported: sql`
    select * from json_to_recordset(${JSON.stringify(reported.findings)}::text::json) as r(
      id uuid, title text, severity text, status text, source text, file text, line int)`,
    },
    severities,
    limit,
  );
}
