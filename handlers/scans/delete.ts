import { deleteScan as deleteStoredScan } from '../../db/scans/scans.ts';
import { ApiError } from '../../lib/errors.ts';
import { scanId } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { settleSeries } from '../../lib/scans/end.ts';
import { z } from '../../lib/schema.ts';

export const scanRuns = () =>
  new ApiError('resource_error/conflict', { message: 'The scan runs. End it first, or wait for its end.' });

export const deleteScan = endpoint(
  {
    method: 'delete',
    path: '/scans/{id}',
    access: cookieOrg('admin', 'scan'),
    audit: 'scan.deleted',
    tag: 'Scans',
    summary: 'Delete a scan for good',
    description:
      'Its findings stay, and keep its id in `scan_id` and `last_scan_id`. Comparisons use the scan before it. With the last scan of a series, its findings are missing there. 409 while the scan runs.',
    request: { params: z.object({ id: scanId() }) },
    responses: { 204: { description: 'Deleted.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { log, now, org, params, services, sql } = call;
    await requireStays(call, { scan: params.id });
    const outcome = await call.audited(
      (inside) => deleteStoredScan(inside.sql, org.tables, params.id),
      (deleted) =>
        deleted.kind === 'deleted'
          ? { target: { type: 'scan', id: params.id }, changes: newValues({ project_id: deleted.projectId }) }
          : undefined,
    );
    if (outcome.kind === 'missing') throw new ApiError('resource_error/not_found');
    if (outcome.kind === 'running') throw scanRuns();
    logSecurityEvent(call, 'scan_deleted', { scan: params.id, project: outcome.projectId });
    if (outcome.ended) await settleSeries({ log, nextId: services.nextId, now, org, sql }, [outcome.ended]);
    return noContent();
  },
);
