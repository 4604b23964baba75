import { toResource } from '../../db/resources.ts';
import { comparableScan, compareScans, storedScan } from '../../db/scans/compare.ts';
import { readScan } from '../../db/scans/scans.ts';
import { ApiError } from '../../lib/errors.ts';
import { scanId } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { Scan } from '../../lib/resources.ts';
import { count, z } from '../../lib/schema.ts';

export const scanChanges = endpoint(
  {
    method: 'get',
    path: '/scans/{id}/changes',
    access: cookieOrg('viewer', 'scan'),
    tag: 'Scans',
    summary: 'Compare two scans',
    description:
      'Counts the findings that only this scan reported, that both reported, and that only the other reported. The other scan is `against`, which must be of the same project; without it, the latest comparable scan: it completed without an error message, started earlier, and has the same project, persona, target and a common source. Without another scan, all findings are new. A running scan is compared with what it has reported so far.',
    request: {
      params: z.object({ id: scanId() }),
      query: z.object({ against: scanId().optional() }),
    },
    responses: {
      200: {
        description: 'The other scan, if there is one, and the counts.',
        result: z.object({
          against: Scan.optional(),
          new: count(3),
          seen_again: count(39),
          gone: count(2),
        }),
      },
    },
  },
  async ({ db, org: { tables }, params: { id }, query }) => {
    const scan = await readScan(db, tables, id);
    if (!scan) throw new ApiError('resource_error/not_found');
    const against =
      query.against === undefined
        ? await comparableScan(db, tables, storedScan(tables, id))
        : await readScan(db, tables, query.against);
    if (query.against !== undefined && against?.project_id !== scan.project_id)
      throw new ApiError('validation_error/invalid_request', {
        details: [{ field: 'against', message: 'must be a scan of the same project' }],
      });
    const counts = await compareScans(db, tables, id, against?.scan_id);
    return ok({ ...(against && { against: toResource(against) }), ...counts });
  },
);
