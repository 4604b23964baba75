import { readResolution } from '../../db/metrics/resolution.ts';
import {
  AGES,
  ageBounds,
  MetricsQuery,
  metricsOf,
  requireRange,
  Week,
  weekBounds,
} from '../../lib/dashboard/metrics.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { search } from '../../lib/http/lists/search.ts';
import { requireProjects } from '../../lib/projects/projects.ts';
import { SeveritySummary } from '../../lib/resources.ts';
import { count, timestamp, uuid, z } from '../../lib/schema.ts';

const hours = (example: number) =>
  z.number().optional().openapi({ example, description: 'Absent if none was resolved.' });

const TimeToResolve = z
  .object({ resolved: count(12), mean_hours: hours(80.5), median_hours: hours(48), p90_hours: hours(200.1) })
  .openapi('TimeToResolve');

export const dashboardMetrics = endpoint(
  {
    method: 'get',
    path: '/dashboard/metrics',
    access: cookieOrg('viewer', 'list'),
    tag: 'Dashboard',
    summary: 'Get metrics about finding and resolving',
    description:
      'For a range of at most 366 days. A finding is resolved when it is neither `open` nor `confirmed` and has not regressed. Times to resolve are accurate to 0.1 hours, above 100 hours to 1 hour, above 1,000 hours to 10 hours; means are exact.',
    request: { query: z.object({ ...MetricsQuery.shape, project_id: uuid().optional() }) },
    responses: {
      200: {
        description: 'The metrics.',
        result: z.object({
          from: timestamp(),
          to: timestamp(),
          resolved: SeveritySummary.openapi({
            description:
              'Resolved in the range. Those that a rule resolved when they were found have no time to resolve.',
          }),
          time_to_resolve: z
            .object({
              ...{ all: TimeToResolve, critical: TimeToResolve, high: TimeToResolve, medium: TimeToResolve },
              ...{ low: TimeToResolve, info: TimeToResolve },
            })
            .openapi({
              description: 'From when a finding was found, of those that were resolved in the range.',
            }),
          within_due_date: z
            .object({
              resolved: count(10),
              in_time: count(9),
              share: z
                .number()
                .optional()
                .openapi({ example: 0.9, description: 'Absent if none had a due date.' }),
            })
            .openapi({ description: 'Findings with a due date that were resolved in the range.' }),
          open_by_age: z
            .array(
              z.object({
                min_days: count(0),
                max_days: count(AGES[0]).optional().openapi({ description: 'Absent for the oldest.' }),
                unresolved_after: timestamp()
                  .optional()
                  .openapi({ description: 'With `unresolved_before`, the filters of a list of them.' }),
                unresolved_before: timestamp().optional(),
                ...SeveritySummary.shape,
              }),
            )
            .openapi({
              description: 'Unresolved findings of now, by the days since they were found or have regressed.',
            }),
          weeks: z
            .array(Week)
            .openapi({ description: 'Weeks from Monday (UTC); the first and the last may be shorter.' }),
        }),
      },
    },
    errors: ['resource_error/not_found'],
  },
  async (call) => {
    const { now, org, query, services } = call;
    const range = requireRange(query, now);
    const projects = await requireProjects(call, query.project_id);
    const bounds = weekBounds(range);
    const resolution = await search(call, (limits) =>
      services.reads.once(org, (client) =>
        readResolution(client, org.tables, { bounds, ages: ageBounds(now), projects }, limits),
      ),
    );
    return ok(metricsOf(range, bounds, now, resolution));
  },
);
