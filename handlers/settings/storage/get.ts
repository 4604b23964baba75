import { readUsage } from '../../../db/storage/usage.ts';
import { ApiError } from '../../../lib/errors.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { count, timestamp, z } from '../../../lib/schema.ts';
import { limitsOf } from '../../../lib/storage/quotas.ts';

export const getStorage = endpoint(
  {
    method: 'get',
    path: '/settings/storage',
    access: cookieOrg('viewer', 'none'),
    tag: 'Policies',
    summary: 'Get what the organization stores, and its storage quota',
    description:
      'An organization is measured within seconds of a write. `rows` are findings, scans, exploits and entries of activities. The account that created the organization has a quota for all of its organizations, too.',
    responses: {
      200: {
        description: 'The use and the quota.',
        result: z
          .object({
            bytes: count(52_428_800),
            max_bytes: count(21_474_836_480),
            rows: count(12_000),
            max_rows: count(10_000_000),
            measured_at: timestamp().optional(),
          })
          .openapi('Storage'),
      },
    },
  },
  async ({ org, services, sql }) => {
    const usage = (await readUsage(sql, [org.id])).find(({ id }) => id === org.id);
    // It has left the database since the access checks.
    if (!usage) throw new ApiError('tenant_error/not_member');
    const max = limitsOf(usage, services.config.storage);
    return ok({
      ...{ bytes: usage.bytes ?? 0, max_bytes: max.bytes, rows: usage.rows ?? 0, max_rows: max.rows },
      ...(usage.measured_at && { measured_at: new Date(usage.measured_at).toISOString() }),
    });
  },
);
