import { countByDay, searchByDay } from '../../db/findings/counts/trend.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { search } from '../../lib/http/lists/search.ts';
import { requireProjects } from '../../lib/projects/projects.ts';
import { SeveritySummary } from '../../lib/resources.ts';
import { count, uuid, whole, z } from '../../lib/schema.ts';

const MAX_DAYS = 365;
const DEFAULT_DAYS = 30;

export const dashboardTrend = endpoint(
  {
    method: 'get',
    path: '/dashboard/trend',
    access: cookieOrg('viewer', 'list'),
    tag: 'Dashboard',
    summary: 'Get findings over time',
    description:
      'Lists the days (UTC), today last. For each day: the number of findings of every status first reported on it, by severity, and how many of them are unresolved now (`open` or `confirmed`).',
    request: {
      query: z.object({ days: whole(1, MAX_DAYS).default(DEFAULT_DAYS), project_id: uuid().optional() }),
    },
    responses: {
      200: {
        description: 'One row per day.',
        result: z.array(
          z
            .object({
              date: z.string().openapi({ format: 'date', example: '2026-01-01' }),
              ...SeveritySummary.shape,
              unresolved: count(9),
            })
            .openapi('TrendDay'),
        ),
      },
    },
    errors: ['resource_error/not_found'],
  },
  async (call) => {
    const { now, org, query, services, sql } = call;
    const { tables } = org;
    const { days } = query;
    const projects = await requireProjects(call, query.project_id);
    if (projects === undefined || projects.length < 2)
      return ok(await countByDay(sql, tables, now, days, projects));
    const counts = await search(call, (limits) =>
      services.reads.once(org, (client) => searchByDay(client, tables, { now, days, projects }, limits)),
    );
    return ok(counts);
  },
);
