import { eq } from 'drizzle-orm';
import { type ProjectReference, requireScope, resolveProject } from '../../projects/projects.ts';
import type { AgentCall, ProjectCall } from '../call.ts';
import { ApiError } from '../errors.ts';
import { middleware } from './middleware.ts';

/**
 * Where an agent's request says which project it is about:
 * - `body`: in `project_id` of the body. That the project exists is left to the handler's statement.
 * - `reference`: in `project_id`, or in `project` by its slug, of the body or the query; the call gets the id.
 * - `finding`, `scan`: it is that of the finding or scan in the path.
 */
export type ProjectRule = 'body' | 'reference' | 'finding' | 'scan';

/** Requires that the project a request is about is the token's, when the token belongs to one (403). */
export const projectScope = (rule: ProjectRule) =>
  middleware<ProjectCall & Named>(
    ['token_error/scope_mismatch', 'resource_error/not_found'],
    async function projectScope(c, next) {
      const call = c.get('call');
      if (rule === 'body') requireScope(call.token, call.body?.project_id);
      else if (rule === 'reference') call.projectId = await resolveProject(call, call.body ?? call.query);
      else await requireInScope(call, rule);
      await next();
    },
  );

/** The input that names a project. */
interface Named {
  params: { id: string };
  body?: ProjectReference;
  query?: ProjectReference;
}

/** A finding or a scan never changes its project, so that this check holds for the handler's statement, too. */
async function requireInScope(
  { db, org, params, token }: AgentCall & Named,
  rule: 'finding' | 'scan',
): Promise<void> {
  if (token.projectId === null) return;
  const { findings, scans } = org.tables;
  const [found] =
    rule === 'finding'
      ? await db.select({ projectId: findings.projectId }).from(findings).where(eq(findings.id, params.id))
      : await db.select({ projectId: scans.projectId }).from(scans).where(eq(scans.scanId, params.id));
  if (!found) throw new ApiError('resource_error/not_found');
  requireScope(token, found.projectId);
}
