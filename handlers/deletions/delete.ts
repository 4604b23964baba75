import { purgeForGood } from '../../lib/deletions/purge.ts';
import { runInRequest } from '../../lib/deletions/run.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { findDeletion } from '../../lib/http/bulk/start-deletion.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { z } from '../../lib/schema.ts';

export const purgeDeletion = endpoint(
  {
    method: 'delete',
    path: '/deletions/{id}',
    access: freshCookieOrg('admin', 'none'),
    audit: 'deletion.purged',
    tag: 'Findings',
    summary: 'Remove deleted findings for good',
    description:
      'Removes what the deletion has kept for its undo, which is not possible any more. All owners of the organization get a mail. 409 while the deletion or its undo is in progress.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Removed.' } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { org, params, services } = call;
    const purged = await call.audited(
      ({ db }) => purgeForGood(db, org, params.id, call.freshActor()),
      (isPurged) => (isPurged ? { target: { type: 'deletion', id: params.id } } : undefined),
    );
    if (!purged) {
      if (!(await findDeletion(call, params.id))) throw new ApiError('resource_error/not_found');
      throw new ApiError('resource_error/conflict', { message: 'The deletion is in progress.' });
    }
    services.mail.kick();
    logSecurityEvent(call, 'deletion_purged', { deletion: params.id });
    await runInRequest(services, org, params.id);
    return noContent();
  },
);
