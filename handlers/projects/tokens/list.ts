import { desc, eq } from 'drizzle-orm';
import { apiTokenFields, toApiToken } from '../../../db/resources.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { ApiToken } from '../../../lib/resources.ts';
import { z } from '../../../lib/schema.ts';

export const listProjectTokens = endpoint(
  {
    method: 'get',
    path: '/projects/{projectId}/tokens',
    access: cookieOrg('viewer', 'project'),
    tag: 'API tokens: project-scoped',
    summary: "List a project's tokens",
    description: 'Returns prefix and metadata only, newest first.',
    request: { params: z.object({ projectId: idParam() }) },
    responses: { 200: { description: 'The tokens.', result: z.array(ApiToken) } },
  },
  async ({ db, org, params: { projectId } }) => {
    await requireProject(db, org, projectId);
    const { apiTokens } = org.tables;
    const rows = await db
      .select(apiTokenFields(org.tables))
      .from(apiTokens)
      .where(eq(apiTokens.projectId, projectId))
      .orderBy(desc(apiTokens.id));
    return ok(rows.map(toApiToken));
  },
);
