import { desc } from 'drizzle-orm';
import { apiTokenFields, toApiToken } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { ApiToken } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const listTokens = endpoint(
  {
    method: 'get',
    path: '/tokens',
    access: cookieOrg('admin', 'none'),
    tag: 'API tokens: org-wide',
    summary: 'List all tokens of the organization',
    description: 'Org-wide tokens and tokens of projects, with prefix and metadata only.',
    responses: { 200: { description: 'The tokens, newest first.', result: z.array(ApiToken) } },
  },
  async ({ db, org: { tables } }) => {
    const rows = await db
      .select(apiTokenFields(tables))
      .from(tables.apiTokens)
      .orderBy(desc(tables.apiTokens.id));
    return ok(rows.map(toApiToken));
  },
);
