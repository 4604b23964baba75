import { Deletion, toDeletion } from '../../lib/deletions/deletion.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { findDeletion } from '../../lib/http/bulk/start-deletion.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { z } from '../../lib/schema.ts';

export const getDeletion = endpoint(
  {
    method: 'get',
    path: '/deletions/{id}',
    access: cookieOrg('admin', 'list'),
    tag: 'Findings',
    summary: 'Get a deletion',
    description: 'Its progress, while it is in progress.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The deletion.', result: Deletion } },
  },
  async (call) => {
    const row = await findDeletion(call, call.params.id);
    if (!row) throw new ApiError('resource_error/not_found');
    return ok(toDeletion(row));
  },
);
