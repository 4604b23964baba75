import { countExpired } from '../../../db/retention/expire.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { search } from '../../../lib/http/lists/search.ts';
import { allKinds, expiredBefore, RetentionInput } from '../../../lib/retention/settings.ts';
import { count, z } from '../../../lib/schema.ts';

export const previewRetention = endpoint(
  {
    method: 'post',
    path: '/settings/retention/preview',
    access: cookieOrg('admin', 'none'),
    audit: { none: 'nothing' },
    tag: 'Policies',
    summary: 'Count what a retention would remove',
    description:
      'Counts the findings and scans that `PUT /settings/retention` with this body would remove now.',
    request: { body: RetentionInput },
    insertsInOrg: false,
    responses: {
      200: {
        description: 'How many there are of each kind.',
        result: z.object({ resolved_findings: count(3), scans: count(3) }).openapi('RetentionPreview'),
      },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const before = expiredBefore(allKinds(call.body), call.now);
    return ok(await search(call, (limits) => countExpired(call.sql, call.org.tables, before, limits)));
  },
);
