import { removeFindings } from '../../db/findings/remove.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { requireStays } from '../../lib/projects/transfer/guard.ts';
import { z } from '../../lib/schema.ts';

export const deleteFinding = endpoint(
  {
    method: 'delete',
    path: '/findings/{id}',
    access: cookieOrg('admin', 'finding'),
    audit: 'finding.deleted',
    tag: 'Findings',
    summary: 'Delete a finding',
    description:
      'Deletes the finding with its activity, comments and exploits, for good. It no longer counts anywhere. A later push with its fingerprint is a new finding. `POST /findings/delete` can be undone.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Deleted.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { org, params } = call;
    await requireStays(call, { findings: [params.id] });
    const [finding] = await call.audited(
      ({ sql }) => removeFindings(sql, org.tables, [params.id]),
      ([removed]) =>
        removed && {
          target: { type: 'finding', id: removed.id },
          changes: newValues({ project_id: removed.project_id, severity: removed.severity }),
        },
    );
    if (!finding) throw new ApiError('resource_error/not_found');
    const { id, project_id: project, severity } = finding;
    logSecurityEvent(call, 'finding_deleted', { finding: id, project, severity });
    return noContent();
  },
);
