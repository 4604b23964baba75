import { readScan } from '../../../db/scans/scans.ts';
import { ApiError } from '../../../lib/errors.ts';
import { scanId } from '../../../lib/findings/input.ts';
import { bearer } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { Gate, GateQuery, gateOf } from '../../../lib/scans/gate.ts';
import { z } from '../../../lib/schema.ts';

export const agentScanGate = endpoint(
  {
    method: 'get',
    path: '/agent/scans/{id}/gate',
    access: bearer({ project: 'scan' }),
    tag: 'Agent ingest',
    summary: 'Check a scan for new findings',
    description: 'The same as `GET /scans/{id}/gate` for agents.',
    request: { params: z.object({ id: scanId() }), query: GateQuery },
    responses: {
      200: { description: 'Whether the scan passes, and the findings that fail it.', result: Gate },
    },
  },
  async (call) => {
    const { db, org, params, query, token } = call;
    const scan = await readScan(db, org.tables, params.id);
    if (!scan || (token.projectId !== null && scan.project_id !== token.projectId))
      throw new ApiError('resource_error/not_found');
    return ok(await gateOf(call, scan, query));
  },
);
