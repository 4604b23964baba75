import { asc, desc, eq, max, type SQL, sql } from 'drizzle-orm';
import { isPresent } from '../../db/projects/deletion.ts';
import { toResource } from '../../db/resources.ts';
import { SEVERITIES, type Severity, type SeverityCounts } from '../../db/schema/values.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { count, id, shown, timestamp, z } from '../../lib/http/schema.ts';
import { SeveritySummary } from '../../lib/resources.ts';

export const dashboardProjects = endpoint(
  {
    method: 'get',
    path: '/dashboard/projects',
    access: cookieOrg(),
    tag: 'Dashboard',
    summary: 'Get finding counts by project',
    description:
      'Lists all projects, those with the most critical unresolved findings first. `total` counts findings of every status; the severities count unresolved findings (`open` or `confirmed`). `attention` counts these and the ones that have regressed.',
    responses: {
      200: {
        description: 'One row per project.',
        result: z.array(
          z.object({
            project: z.object({ id: id(), name: shown('Web shop'), slug: shown('web-shop') }),
            ...SeveritySummary.shape,
            unresolved: count(30),
            attention: SeveritySummary,
            regressed: SeveritySummary,
            last_scan_at: timestamp()
              .optional()
              .openapi({ description: 'Start of the latest scan, if there is one.' }),
          }),
        ),
      },
    },
  },
  async ({ db, org: { tables } }) => {
    const { findingCounts: c, projects: p, scans: s } = tables;
    const sum = (name: string, where?: SQL) =>
      sql<number>`coalesce(sum(${c.count})${where ? sql` filter (where ${where})` : sql``}, 0)::int`.as(name);
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
    const rows = await db
      .select({
        id: p.id,
        name: p.name,
        slug: p.slug,
        total: sum('total'),
        ...severities,
        unresolved: sum('unresolved', isUnresolved),
        attention: summary(
          sql`case when ${isUnresolved} then ${c.count} else ${c.regressed} end`,
          'attention',
        ),
        regressed: summary(sql`${c.regressed}`, 'regressed'),
        last_scan_at: last.at,
      })
      .from(p)
      .leftJoin(c, eq(c.projectId, p.id))
      .leftJoin(last, eq(last.projectId, p.id))
      .where(isPresent(tables))
      .groupBy(p.id, last.at)
      .orderBy(...Object.values(severities).map((count) => desc(count)), sql`lower(${p.name})`, asc(p.id));
    return ok(
      rows.map(({ id, name, slug, ...numbers }) => ({
        project: { id, name, slug },
        ...toResource(numbers),
      })),
    );
  },
);
