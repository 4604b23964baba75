import { countGone } from '../../../db/scans/gone.ts';
import { readScan } from '../../../db/scans/scans.ts';
import { ApiError } from '../../../lib/errors.ts';
import { scanId } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { count, optional, text, z } from '../../../lib/schema.ts';

const MAX_SOURCES = 100;

export const scanGone = endpoint(
  {
    method: 'get',
    path: '/agent/scans/{id}/gone',
    access: bearer({ project: 'scan' }),
    tag: 'Agent ingest',
    summary: 'Count findings that are gone',
    description:
      'Counts the findings that the latest comparable scan reported and this one did not, as `GET /scans/{id}/changes` does. `source` names the sources that are compared, for a scan that did not declare its own.',
    request: {
      params: z.object({ id: scanId() }),
      query: z.object({ source: optional(text({ max: 2_000, example: 'semgrep,bandit' })) }),
    },
    responses: {
      200: {
        description: 'The id of the other scan, if there is one, and the count.',
        result: z.object({ against: scanId().optional(), gone: count(2) }),
      },
    },
  },
  async ({ db, org: { tables }, params: { id }, query, token }) => {
    const scan = await readScan(db, tables, id);
    if (!scan || (token.projectId !== null && scan.project_id !== token.projectId))
      throw new ApiError('resource_error/not_found');
    const { against, gone } = await countGone(db, tables, scan, query.source?.split(',', MAX_SOURCES));
    return ok({ ...(against !== undefined && { against }), gone });
  },
);
