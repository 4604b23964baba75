import { sql } from 'drizzle-orm';
import { lowestIdAt } from '../ids.ts';
import { timeText } from '../resources.ts';
import { severityRank } from '../scans/scans.ts';
import type { OrgTables } from '../schema/org.ts';
import {
  FINDING_STATUSES,
  type FindingStatus,
  SEVERITIES,
  type Severity,
  type SeverityCounts,
} from '../schema/values.ts';
import { listText, orgStatement, type SqlClient } from '../statements.ts';
import { type FindingRow, findingColumns, joinProject } from './details.ts';

/** The most findings of a scan in an event. */
export const MAX_SCAN_FINDINGS = 100;

/** The most new findings of a scan that are counted, and the most regressed ones. */
export const MAX_COUNTED = 10_000;

/** An ended scan. */
export interface ScanRow {
  id: string;
  project_id: string;
  /** The name of the project. */
  project: string;
  name: string;
  persona: string;
  status: 'running' | 'completed' | 'failed';
  error_message: string | null;
  ref: string | null;
  commit: string | null;
  summary: SeverityCounts | null;
  created_at: string;
  completed_at: string | null;
}

/** A finding that a scan reported first, or that has regressed by it. */
export interface ReportedFinding extends FindingRow {
  status: FindingStatus;
  regressed: boolean;
}

interface Count {
  severity: Severity;
  regressed: boolean;
  n: number;
}

/** The findings that a scan reported and that were not known, or were fixed. */
export interface ScanNews {
  /** At most {@link MAX_COUNTED} new and as many regressed findings are counted. */
  counts: readonly Count[];
  /** The first {@link MAX_SCAN_FINDINGS}: the most severe, of these the new ones, and of these the oldest. */
  findings: readonly ReportedFinding[];
}

const scansStatement = orgStatement<{ ids: string }, ScanRow>(
  (tables, $) => sql`
select s.scan_id as id, s.project_id, p.name as project, s.name, s.persona, s.status, s.error_message, s.target ->> 'ref' as ref,
  s.commit, s.summary, ${timeText(sql`s.created_at`)} as created_at, ${timeText(sql`s.completed_at`)} as completed_at
from ${tables.scans} s ${joinProject(tables, 's')}
where s.scan_id = any (${$.ids}::text[])`,
);

/** Reads scans with the names of their projects. */
export async function readScans(
  client: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<ScanRow[]> {
  return ids.length > 0 ? scansStatement(tables).run(client, { ids: listText(ids) }) : [];
}

interface NewsRow {
  scan_id: string;
  counts: Count[];
  findings: ReportedFinding[];
}

const [limit, counted] = [MAX_SCAN_FINDINGS, MAX_COUNTED].map((most) => sql.raw(String(most)));

/**
 * The findings of an earlier scan with this id, which was deleted, can be of another project. A finding has regressed by the scan that its activity names at the time
 * of its latest regression.
 */
const newsStatement = orgStatement<{ ids: string }, NewsRow>(
  ({ findingEvents, findings, scans }, $) => sql`
with scan as materialized (
  select scan_id, project_id, created_at from ${scans} where scan_id = any (${$.ids}::text[])
), found as materialized (
  select scan.scan_id, n.* from scan cross join lateral (
    (select f.id, f.severity, false as regressed from ${findings} f
    where f.scan_id = scan.scan_id and f.project_id = scan.project_id limit ${counted}) union all
    (select f.id, f.severity, true from ${findings} f
    where f.regressed and f.project_id = scan.project_id and f.regressed_at >= scan.created_at and f.scan_id <> scan.scan_id
      and exists (select 1 from ${findingEvents} v
        where v.finding_id = f.id and v.at = f.regressed_at and v.kind = 'regressed' and v.scan_id = scan.scan_id)
    limit ${counted})
  ) n
), ranked as materialized (
  select *, row_number() over (partition by scan_id order by ${severityRank(sql`severity`)}, regressed, id) as position from found
), first as (
  select r.scan_id, json_agg(json_build_object('id', f.id, 'title', f.title, 'severity', f.severity, 'status', f.status,
    'project_id', f.project_id, 'source', f.source, 'file', f.file, 'line', f.line, 'regressed', r.regressed) order by r.position) as findings
  from ranked r join ${findings} f on f.id = r.id where r.position <= ${limit} group by r.scan_id
), counts as (
  select scan_id, json_agg(json_build_object('severity', severity, 'regressed', regressed, 'n', n)) as counts
  from (select scan_id, severity, regressed, count(*) as n from found group by scan_id, severity, regressed) c group by scan_id
)
select scan_id, counts, findings from first join counts using (scan_id)`,
);

/** The worst new findings of a scan: an index has those of a project by severity, status and time. */
const worstStatement = orgStatement<{ id: string; from: string; to: string }, ReportedFinding>(
  ({ findings, scans }, $) => sql`
select ${findingColumns}, f.status, false as regressed from ${scans} s
cross join unnest(${listText(SEVERITIES)}::text[]) v(severity) cross join unnest(${listText(FINDING_STATUSES)}::text[]) u(status)
cross join lateral (
  select * from ${findings} f where f.project_id = s.project_id and f.severity = v.severity and f.status = u.status
    and f.id >= ${$.from}::uuid and f.id < ${$.to}::uuid and f.scan_id = s.scan_id
  order by f.id limit ${limit}
) f
where s.scan_id = ${$.id}
order by ${severityRank(sql`f.severity`)}, f.id limit ${limit}`,
);

/** Other processes, whose clocks may differ, make ids of findings. */
const MAX_SKEW_MS = 10 * 60_000;

const isWorse = (a: ReportedFinding, b: ReportedFinding): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  Number(a.regressed) - Number(b.regressed) ||
  (a.id < b.id ? -1 : 1);

/** Replaces the new findings of a scan, which are not all counted, by the worst of all. */
async function withWorst(
  client: SqlClient,
  tables: OrgTables,
  { id, created_at, completed_at }: ScanRow,
  { counts, findings }: ScanNews,
): Promise<ScanNews> {
  const worst = await worstStatement(tables).run(client, {
    id,
    from: lowestIdAt(Date.parse(created_at) - MAX_SKEW_MS),
    to: lowestIdAt(Date.parse(completed_at ?? created_at) + MAX_SKEW_MS),
  });
  const known = new Set(worst.map((finding) => finding.id));
  const all = [...worst, ...findings.filter((finding) => !known.has(finding.id))];
  return { counts, findings: all.sort(isWorse).slice(0, MAX_SCAN_FINDINGS) };
}

const isCut = ({ counts }: ScanNews): boolean =>
  counts.reduce((sum, { regressed, n }) => sum + (regressed ? 0 : n), 0) >= MAX_COUNTED;

/**
 * Reads the new and regressed findings of scans, in time that does not grow with their number. Scans without new and regressed findings are missing.
 */
export async function readNews(
  client: SqlClient,
  tables: OrgTables,
  scans: readonly ScanRow[],
): Promise<Map<string, ScanNews>> {
  if (scans.length === 0) return new Map();
  const rows = await newsStatement(tables).run(client, { ids: listText(scans.map(({ id }) => id)) });
  const news = new Map<string, ScanNews>(rows.map(({ scan_id, ...found }) => [scan_id, found]));
  for (const scan of scans) {
    const found = news.get(scan.id);
    if (found && isCut(found)) news.set(scan.id, await withWorst(client, tables, scan, found));
  }
  return news;
}
