import { eq } from 'drizzle-orm';
import { ApiError } from '../../../errors.ts';
import { type ProjectReference, requireScope, resolveProject } from '../../../projects/projects.ts';
import type { AgentCall, ProjectCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/**
 * How to determine the project of an agent's request:
 * - `body`: `project_id` of the body. The handler's statement checks that the project exists.
 * - `reference`: `project_id`, or the slug in `project`, of the body or the query. The call gets the id.
 * - `finding`, `scan`: the project of the finding or scan in the path.
 * - `each finding`: `project_id` of each finding of the body. The handler checks them, because each fails on its own.
 */
export type ProjectRule = 'body' | 'reference' | 'finding' | 'scan' | 'each finding';

/** Requires that a project token is used for its own project (403). */
export const projectScope = (rule: Exclude<ProjectRule, 'each finding'>) =>
  middleware<ProjectCall & ProjectInput>(
    ['token_error/scope_mismatch', 'resource_error/not_found'],
    async function projectScope(c, next) {
      const call = c.get('call');
      if (rule === 'body') requireScope(call.token, call.body?.project_id);
      else if (rule === 'reference') call.projectId = await resolveProject(call, call.body ?? call.query);
      else await requireInScope(call, rule);
      await next();
    },
  );

interface ProjectInput {
  params: { id: string };
  body?: ProjectReference;
  query?: ProjectReference;
}

/** Distinguishes a foreign finding or scan (403) from a missing one (404). The handler's statement checks the project again. */
async function requireInScope(
  { db, org, params, token }: AgentCall & ProjectInput,
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
