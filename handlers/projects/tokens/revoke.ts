import { and, eq } from 'drizzle-orm';
import { cookieOrg } from '../../../lib/http/access.ts';
import { endpoint, noContent } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { z } from '../../../lib/http/schema.ts';

export const revokeProjectToken = endpoint(
  {
    method: 'delete',
    path: '/projects/{projectId}/tokens/{id}',
    access: cookieOrg(),
    tag: 'API tokens: project-scoped',
    summary: 'Revoke a project token',
    description: 'For good: the next request with it is refused. Revoking it again changes nothing.',
    request: { params: z.object({ projectId: idParam(), id: idParam() }) },
    responses: { 204: { description: 'It is revoked.' } },
    errors: ['token_error/scope_mismatch'],
  },
  async ({ db, org: { tables }, params: { projectId, id } }) => {
    const { apiTokens } = tables;
    const revoked = await db
      .update(apiTokens)
      .set({ revoked: true })
      .where(and(eq(apiTokens.id, id), eq(apiTokens.projectId, projectId)))
      .returning({ id: apiTokens.id });
    if (revoked.length > 0) return noContent();
    const [other] = await db.select({ id: apiTokens.id }).from(apiTokens).where(eq(apiTokens.id, id));
    throw new ApiError(other ? 'token_error/scope_mismatch' : 'resource_error/not_found');
  },
);
