import { toResource } from '../../db/resources.ts';
import { readScan } from '../../db/scans/scans.ts';
import { ApiError } from '../../lib/errors.ts';
import { scanId } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { Scan } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const getScan = endpoint(
  {
    method: 'get',
    path: '/scans/{id}',
    access: cookieOrg('viewer', 'scan'),
    tag: 'Scans',
    summary: 'Get a scan',
    request: { params: z.object({ id: scanId() }) },
    responses: { 200: { description: 'The scan with its counts.', result: Scan } },
  },
  async ({ db, org: { tables }, params: { id } }) => {
    const scan = await readScan(db, tables, id);
    if (!scan) throw new ApiError('resource_error/not_found');
    return ok(toResource(scan));
  },
);
