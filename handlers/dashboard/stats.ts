import { and, isNull, sql } from 'drizzle-orm';
import {
  type countScans,
  findingCountsQuery,
  scanCountsQuery,
  toSeverityCounts,
} from '../../db/findings/counts/counts.ts';
import { findingViewFields } from '../../db/findings/lists/text.ts';
import { type Projects, within } from '../../db/projects/reach.ts';
import { type FindingRow, json, type Resource } from '../../db/resources.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { run } from '../../db/statements.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { omitParameter } from '../../lib/http/lists/findings.ts';
import { ListedFinding, SeveritySummary } from '../../lib/resources.ts';
import { count, z } from '../../lib/schema.ts';

const RECENT = 10;
const RECENT_ROWS = sql.raw(`${RECENT}`);

interface Numbers {
  severities: Parameters<typeof toSeverityCounts>[0] | null;
  scans: Awaited<ReturnType<typeof countScans>>;
  recent: Resource<FindingRow>[] | null;
}

/** The newest findings of some projects, from those of each severity and status, which an index has in order. */
const newestIn = ({ findingCounts: c, findings: f }: OrgTables, projects: Projects) =>
  projects &&
  sql`${f.id} = any (array(select n.id
    from (select distinct project_id, severity, status from ${c} where ${within(c.projectId, projects)}) k cross join lateral (
      select n.id from ${f} n where n.project_id = k.project_id and n.severity = k.severity and n.status = k.status
        and n.proposed is null order by n.id desc limit ${RECENT_ROWS}) n
    order by n.id desc limit ${RECENT_ROWS}))`;

export const dashboardStats = endpoint(
  {
    method: 'get',
    path: '/dashboard/stats',
    access: cookieOrg('viewer', 'list'),
    tag: 'Dashboard',
    summary: 'Get an overview',
    description: `Counts findings of every status and returns the ${RECENT} newest ones.`,
    request: { query: z.object({ omit: omitParameter() }) },
    responses: {
      200: {
        description: 'The counts.',
        result: z.object({
          total_scans: count(12),
          active_scans: count(1),
          total_findings: count(42),
          severity_breakdown: SeveritySummary,
          recent_findings: z.array(ListedFinding),
        }),
      },
    },
  },
  async ({ db, reach, org: { tables }, query: { omit } }) => {
    const { findings } = tables;
    const fields = findingViewFields(tables, { as: 'json', brief: omit === 'description' });
    const projects = reach?.ids;
    // Without parameters, so that it is one round trip, unless the caller does not reach all projects.
    const [row] = await run<Numbers>(
      db,
      sql`select
      (select json_agg(c) from ${findingCountsQuery(db, tables, projects)} c) as severities,
      (select row_to_json(c) from ${scanCountsQuery(db, tables, { projects })} c) as scans,
      (select json_agg(f.json) from (
        select ${json(fields)} as json from ${findings}
        where ${and(isNull(findings.proposed), newestIn(tables, projects))} order by ${findings.id} desc limit ${RECENT_ROWS}) f) as recent`,
    );
    const severities = toSeverityCounts(row?.severities ?? []);
    return ok({
      total_scans: row?.scans.all ?? 0,
      active_scans: row?.scans.running ?? 0,
      total_findings: severities.total,
      severity_breakdown: severities,
      recent_findings: row?.recent ?? [],
    });
  },
);
