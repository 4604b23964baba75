import { desc, sql } from 'drizzle-orm';
import { findingFields, toResource } from '../../db/resources.ts';
import { countBySeverity } from '../../db/scans.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint, ok } from '../../lib/http/endpoint.ts';
import { count, z } from '../../lib/http/schema.ts';
import { Finding, SeveritySummary } from '../../lib/resources.ts';

const RECENT = 10;

export const dashboardStats = endpoint(
  {
    method: 'get',
    path: '/dashboard/stats',
    access: cookieOrg(),
    tag: 'Dashboard',
    summary: 'Numbers at a glance',
    description: `Findings are counted whatever their status; the ${RECENT} newest are shown.`,
    responses: {
      200: {
        description: 'The numbers.',
        result: z.object({
          total_scans: count(12),
          active_scans: count(1),
          total_findings: count(42),
          severity_breakdown: SeveritySummary,
          recent_findings: z.array(Finding),
        }),
      },
    },
  },
  async ({ db, org: { tables } }) => {
    const { findings, scans } = tables;
    const [severities, [counted], recent] = await Promise.all([
      countBySeverity(db, tables),
      db
        .select({
          all: sql<number>`count(*)::int`,
          active: sql<number>`(count(*) filter (where ${scans.status} = 'running'))::int`,
        })
        .from(scans),
      db.select(findingFields(tables)).from(findings).orderBy(desc(findings.id)).limit(RECENT),
    ]);
    return ok({
      total_scans: counted?.all ?? 0,
      active_scans: counted?.active ?? 0,
      total_findings: severities.total,
      severity_breakdown: severities,
      recent_findings: recent.map(toResource),
    });
  },
);
