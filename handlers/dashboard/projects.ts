import { and, asc, desc, eq, max, type SQL, sql } from 'drizzle-orm';
import { type ProjectWeeks, readProjectWeeks } from '../../db/metrics/project-weeks.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { within } from '../../db/projects/reach.ts';
import { toResource } from '../../db/resources.ts';
import { SEVERITIES, type Severity, type SeverityCounts } from '../../db/schema/values.ts';
import { MetricsQuery, requireRange, Week, weekBounds, weeksOf } from '../../lib/dashboard/metrics.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { search } from '../../lib/http/lists/search.ts';
import { SeveritySummary } from '../../lib/resources.ts';
import { count, id, shown, timestamp, whole, z } from '../../lib/schema.ts';

/** The number of projects with weeks. The cost of a request grows with it, not with the number of all projects. */
const WITH_WEEKS = 50;

export const dashboardProjects = endpoint(
  {
    method: 'get',
    path: '/dashboard/projects',
    access: cookieOrg('viewer', 'list'),
    tag: 'Dashboard',
    summary: 'Get finding counts by project',
    description: `Lists the projects, those with the most critical unresolved findings first. \`total\` counts findings of every status; the severities count unresolved findings (\`open\` or \`confirmed\`). \`attention\` counts these and the ones that have regressed. With \`from\` or \`to\`, the first ${WITH_WEEKS} projects have \`weeks\`, as in \`GET /dashboard/metrics\`.`,
    request: {
      query: z.object({
        ...MetricsQuery.shape,
        limit: whole(1, 1_000).optional().openapi({ description: 'Lists only the first projects.' }),
      }),
    },
    responses: {
      200: {
        description: 'One row per project.',
        result: z.array(
          z
            .object({
              project: z.object({ id: id(), name: shown('Web shop'), slug: shown('web-shop') }),
              ...SeveritySummary.shape,
              unresolved: count(30),
              attention: SeveritySummary,
              regressed: SeveritySummary,
              last_scan_at: timestamp()
                .optional()
                .openapi({ description: 'Start of the latest scan, if there is one.' }),
              weeks: z
                .array(Week)
                .optional()
                .openapi({ description: `With \`from\` or \`to\`, of the first ${WITH_WEEKS} projects.` }),
            })
            .openapi('ProjectCounts'),
        ),
      },
    },
  },
  async (call) => {
    const { db, now, org, query, reach, services } = call;
    const { tables } = org;
    const range = query.from || query.to ? requireRange(query, now) : undefined;
    const { findingCounts: c, projects: p, scans: s } = tables;
    const sum = (name: string, where?: SQL) =>
      sql<number>`coalesce(sum(${c.count} - ${c.proposed})${where ? sql` filter (where ${where})` : sql``}, 0)::int`.as(
        name,
      );
    const isUnresolved = sql`${c.status} in ('open', 'confirmed')`;
    const of = (severity: Severity) =>
      sum(severity, sql`${isUnresolved} and ${c.severity} = ${sql.raw(`'${severity}'`)}`);
    const severities = {
      critical: of('critical'),
      high: of('high'),
      medium: of('medium'),
      low: of('low'),
      info: of('info'),
    };
    const last = db
      .select({ projectId: s.projectId, at: max(s.createdAt).as('at') })
      .from(s)
      .where(within(s.projectId, reach?.ids))
      .groupBy(s.projectId)
      .as('last');
    const summary = (value: SQL, name: string) => {
      const counts = SEVERITIES.map(
        (severity) =>
          sql`${sql.raw(`'${severity}'`)}, coalesce(sum(${value}) filter (where ${c.severity} = ${sql.raw(`'${severity}'`)}), 0)::int`,
      );
      return sql<SeverityCounts>`json_build_object('total', coalesce(sum(${value}), 0)::int, ${sql.join(counts, sql`, `)})`.as(
        name,
      );
    };
    const listed = db
      .select({
        id: p.id,
        name: p.name,
        slug: p.slug,
        total: sum('total'),
        ...severities,
        unresolved: sum('unresolved', isUnresolved),
        attention: summary(
          sql`case when ${isUnresolved} then ${c.count} - ${c.proposed} else ${c.regressed} end`,
          'attention',
        ),
        regressed: summary(sql`${c.regressed}`, 'regressed'),
        last_scan_at: last.at,
      })
      .from(p)
      .leftJoin(c, eq(c.projectId, p.id))
      .leftJoin(last, eq(last.projectId, p.id))
      .where(and(isPresent(tables), within(p.id, reach?.ids)))
      .groupBy(p.id, last.at)
      .orderBy(...Object.values(severities).map((count) => desc(count)), sql`lower(${p.name})`, asc(p.id));
    const rows = await (query.limit === undefined ? listed : listed.limit(query.limit));
    const bounds = range && weekBounds(range);
    const projectIds = rows.slice(0, WITH_WEEKS).map(({ id }) => id);
    const weeks =
      bounds &&
      (await search(call, (limits) =>
        services.reads.once(org, (client) =>
          readProjectWeeks(client, tables, { projectIds, bounds }, limits),
        ),
      ));
    return ok(
      rows.map(({ id, name, slug, ...numbers }, i) => ({
        project: { id, name, slug },
        ...toResource(numbers),
        ...(weeks && i < WITH_WEEKS && { weeks: weeksOfProject(bounds, weeks, id) }),
      })),
    );
  },
);

function weeksOfProject(bounds: readonly Date[], { found, resolved, open }: ProjectWeeks, projectId: string) {
  const isIts = (row: { project_id: string }) => row.project_id === projectId;
  return weeksOf(bounds, {
    found: found.filter(isIts),
    resolved: resolved.filter(isIts),
    open: open.find(isIts)?.count ?? 0,
  });
}
