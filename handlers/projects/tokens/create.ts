import { apiTokenFields, toApiToken } from '../../../db/resources.ts';
import { generateToken } from '../../../lib/auth/api-tokens.ts';
import { cookieOrg } from '../../../lib/http/access.ts';
import { created, endpoint } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { optional, shown, text, z } from '../../../lib/http/schema.ts';
import { requireProject } from '../../../lib/projects.ts';
import { ApiToken } from '../../../lib/resources.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const createProjectToken = endpoint(
  {
    method: 'post',
    path: '/projects/{projectId}/tokens',
    access: cookieOrg(),
    tag: 'API tokens: project-scoped',
    summary: 'Create a project token',
    description: 'The full token is shown this once. `expires_in` is in days; 0 or nothing means never.',
    request: {
      params: z.object({ projectId: idParam() }),
      body: z.object({
        name: text({ min: 1, max: 100, trim: true, example: 'ci' }),
        expires_in: optional(z.int().min(0).max(36_500).openapi({ example: 90 })),
      }),
    },
    responses: {
      201: {
        description: 'The token, and what is kept of it.',
        result: z.object({ token: shown('svc_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'), info: ApiToken }),
      },
    },
  },
  async ({ body, db, org, params: { projectId }, services, user }) => {
    await requireProject(db, org, projectId);
    const { token, prefix, hash } = generateToken();
    const { id, at } = services.nextId();
    const [row] = await db
      .insert(org.tables.apiTokens)
      .values({
        id,
        projectId,
        name: body.name,
        prefix,
        tokenHash: hash,
        createdBy: user.id,
        expiresAt: body.expires_in ? new Date(at.getTime() + body.expires_in * DAY_MS) : null,
        createdAt: at,
      })
      .returning(apiTokenFields(org.tables));
    if (!row) throw new ApiError('server_error/internal');
    return created({ token, info: toApiToken(row) });
  },
);
