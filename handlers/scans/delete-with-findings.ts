import { startScanDeletion } from '../../db/deletions/start.ts';
import { Deletion, UNDO_DAYS } from '../../lib/deletions/deletion.ts';
import { ApiError } from '../../lib/errors.ts';
import { scanId } from '../../lib/findings/input.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { continueDeletion, startSelected } from '../../lib/http/bulk/start-deletion.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { z } from '../../lib/schema.ts';
import { scanRuns } from './delete.ts';

const MAX_COUNT = 2_147_483_647;

const ScanDeletion = z
  .strictObject({
    with_findings: z.boolean().openapi({
      example: true,
      description: 'Whether the findings that no other scan has reported are deleted as well.',
    }),
    expected_count: z.int().min(0).max(MAX_COUNT).optional().openapi({
      description: 'The `findings` of the preview. If it is another number by now, nothing is deleted (409).',
      example: 120,
    }),
  })
  .superRefine(({ with_findings, expected_count }, context) => {
    if (!with_findings && expected_count !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['expected_count'],
        message: 'is possible only with with_findings',
      });
  })
  .openapi('ScanDeletion', { example: { with_findings: true, expected_count: 120 } });

export const deleteScanWithFindings = endpoint(
  {
    method: 'post',
    path: '/scans/{id}/delete',
    access: cookieOrg('admin', 'scan'),
    audit: 'scan.deleted',
    tag: 'Scans',
    summary: 'Delete a scan so that it can be undone',
    description: `As \`DELETE /scans/{id}\`, optionally with the findings that no other scan has reported. Work that takes longer than a second continues in the background: read \`GET /deletions/{id}\`. Findings that another scan reports, or somebody decides about, after the request stay. Can be undone for ${UNDO_DAYS} days with \`POST /deletions/{id}/undo\`. 409 while the scan runs.`,
    request: { params: z.object({ id: scanId() }), body: ScanDeletion },
    storage: 'removes',
    responses: { 200: { description: 'The deletion.', result: Deletion } },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { actor, body, now, org, params, services } = call;
    await requireStays(call, { scan: params.id });
    const { id } = services.nextId();
    const deletion = { id, orgId: org.id, actorId: actor.id, now, expected: body.expected_count };
    const scan = { scanId: params.id, withFindings: body.with_findings };
    const started = await startSelected(call, (limits) =>
      call.audited(
        ({ sql }) => startScanDeletion(sql, org.tables, scan, deletion, limits),
        (one) =>
          typeof one === 'object'
            ? {
                target: { type: 'scan', id: params.id },
                changes: newValues({ project_id: one.projectId, deletion_id: id, findings: one.selected }),
              }
            : undefined,
      ),
    );
    if (!started) throw new ApiError('resource_error/not_found');
    if (started === 'running') throw scanRuns();
    const { projectId: project, selected: findings } = started;
    logSecurityEvent(call, 'scan_deleted', { scan: params.id, project, deletion: id, findings });
    return ok(await continueDeletion(call, id));
  },
);
