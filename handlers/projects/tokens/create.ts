import { freshCookieOrg } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { newValues } from '../../../lib/http/audit.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { requireProject } from '../../../lib/projects/projects.ts';
import { requireStays } from '../../../lib/projects/transfer/guard.ts';
import { z } from '../../../lib/schema.ts';
import { CreatedToken, issueToken, ProjectTokenInput } from '../../../lib/tokens/issue.ts';
import { roleOf } from '../../../lib/tokens/scopes.ts';

export const createProjectToken = endpoint(
  {
    method: 'post',
    path: '/projects/{projectId}/tokens',
    access: freshCookieOrg('viewer', 'project', 'for another scope than `ingest`'),
    audit: 'token.created',
    tag: 'API tokens: project-scoped',
    summary: 'Create a project token',
    description:
      'The full token is returned only here. Answers 409 `conflict` when the organization or the project has reached its limit of active tokens.',
    request: { params: z.object({ projectId: idParam() }), body: ProjectTokenInput },
    responses: { 201: { description: 'The token and its metadata.', result: CreatedToken } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, db, org, params, services } = call;
    await requireProject(db, org, params.projectId);
    await requireStays(call, { project: params.projectId });
    const actor = roleOf(body.scopes) === undefined ? undefined : call.freshActor();
    const made = await call.audited(
      (inside) => issueToken(inside, services, params.projectId, body, actor),
      ({ info }) => ({
        target: { type: 'token', id: info.id, name: info.name },
        changes: newValues({
          scopes: info.scopes,
          project_id: info.project_id || undefined,
          expires_at: info.expires_at,
        }),
      }),
    );
    if (actor) services.mail.kick();
    const { id: token, name: token_name, project_id: project, expires_at } = made.info;
    const scopes = body.scopes.join();
    logSecurityEvent(call, 'token_created', { token, token_name, scopes, project, expires_at });
    return created(made);
  },
);
