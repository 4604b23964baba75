import { readScan } from '../../db/scans/scans.ts';
import { ApiError } from '../../lib/errors.ts';
import { scanId } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { Gate, GateQuery, gateOf } from '../../lib/scans/gate.ts';
import { z } from '../../lib/schema.ts';

export const scanGate = endpoint(
  {
    method: 'get',
    path: '/scans/{id}/gate',
    access: cookieOrg('viewer', 'scan'),
    tag: 'Scans',
    summary: 'Check a scan for new findings',
    description:
      'Lists findings of the scan at or above a severity that its base does not have and that are neither `false_positive` nor `wontfix`. The answer depends on the scan, its base and the decisions of now only: a repeated run on the same commit gets the same one.',
    request: { params: z.object({ id: scanId() }), query: GateQuery },
    responses: {
      200: { description: 'Whether the scan passes, and the findings that fail it.', result: Gate },
    },
  },
  async (call) => {
    const scan = await readScan(call.db, call.org.tables, call.params.id);
    if (!scan) throw new ApiError('resource_error/not_found');
    return ok(await gateOf(call, scan, call.query));
  },
);
