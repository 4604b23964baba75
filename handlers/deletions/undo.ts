import { BeingTransferred, startUndo } from '../../db/deletions/restore.ts';
import { Deletion, UNDO_DAYS } from '../../lib/deletions/deletion.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { continueDeletion, findDeletion, readerOf } from '../../lib/http/bulk/start-deletion.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { beingTransferred, requireStays } from '../../lib/projects/transfer/guard.ts';
import { z } from '../../lib/schema.ts';

export const undoDeletion = endpoint(
  {
    method: 'post',
    path: '/deletions/{id}/undo',
    access: cookieOrg('admin', 'list'),
    audit: 'deletion.undone',
    tag: 'Findings',
    summary: 'Undo a deletion',
    description: `Restores the scan and the findings as they were, with activity, comments and exploits. A finding whose fingerprint was pushed again meanwhile, or whose project is gone, is left out: \`restored\` is smaller than \`findings\` then. A deletion in progress stops. Possible for ${UNDO_DAYS} days. A deletion that is undone already is a conflict (409).`,
    request: { params: z.object({ id: idParam() }) },
    storage: 'changes',
    responses: { 200: { description: 'The deletion.', result: Deletion } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { org, params } = call;
    await requireStays(call, 'any');
    const undo = { id: params.id, orgId: org.id };
    const isStarted = await call
      .audited(
        (inside) => startUndo(inside.sql, org.tables, undo, readerOf(call)),
        (started) => (started ? { target: { type: 'deletion', id: params.id } } : undefined),
      )
      .catch((error) => {
        throw error instanceof BeingTransferred ? beingTransferred() : error;
      });
    if (!isStarted) {
      if (!(await findDeletion(call, params.id))) throw new ApiError('resource_error/not_found');
      throw new ApiError('resource_error/conflict', { message: 'The deletion is undone already.' });
    }
    logSecurityEvent(call, 'deletion_undone', { deletion: params.id });
    return ok(await continueDeletion(call, params.id));
  },
);
