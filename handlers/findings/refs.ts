import { readRefs } from '../../db/findings/refs.ts';
import { ApiError } from '../../lib/errors.ts';
import { scanId } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { shown, timestamp, z } from '../../lib/schema.ts';

const FindingRef = z
  .object({
    ref: shown('main', 'Null for scans without a ref, which count as of the default branch.').nullable(),
    first_seen_at: timestamp(),
    last_seen_at: timestamp(),
    last_scan_id: scanId(),
    missing_since: timestamp()
      .nullable()
      .openapi({
        description:
          'When the latest comparable scan of the ref completed without it. Null while it is present.',
      } as object),
    tracked: z.boolean().openapi({
      example: true,
      description:
        'Whether the state of the finding follows the ref: the default branch and the tracked refs.',
    }),
  })
  .openapi('FindingRef');

export const findingRefs = endpoint(
  {
    method: 'get',
    path: '/findings/{id}/refs',
    access: cookieOrg('viewer', 'finding'),
    tag: 'Findings',
    summary: 'List where a finding is present',
    description:
      'The branches, tags and pull requests whose scans have reported the finding, tracked ones first.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The refs.', result: z.array(FindingRef) } },
  },
  async ({ org, params, sql }) => {
    const refs = await readRefs(sql, org.tables, params.id);
    if (!refs) throw new ApiError('resource_error/not_found');
    return ok(refs);
  },
);
