import { eq } from 'drizzle-orm';
import type { Db } from '../../../../db/client.ts';
import type { OrgTables } from '../../../../db/schema/org.ts';
import type { Role } from '../../../../db/schema/orgs.ts';
import { ApiError } from '../../../errors.ts';
import {
  findProjectId,
  type ProjectReference,
  requireScope,
  resolveProject,
} from '../../../projects/projects.ts';
import { rankOf } from '../../../tokens/scopes.ts';
import type { AgentCall, OrgCall, ProjectCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/**
 * How to determine the project of an agent's request:
 * - `body`: `project_id` of the body. The handler's statement checks that the project exists.
 * - `reference`: `project_id`, or the slug in `project`, of the body or the query. The call gets the id.
 * - `finding`, `scan`: the project of the finding or scan in the path.
 * - `each finding`: `project_id` of each finding of the body. The handler checks them, because each fails on its own.
 */
export type ProjectRule = 'body' | 'reference' | 'finding' | 'scan' | 'each finding';

/**
 * How a caller who does not reach all projects is limited on an endpoint of members:
 * - `project`, `finding`, `scan`: the first parameter of the path names one. It is missing (404) unless the caller reaches its project,
 *   where the role has to be that of the endpoint (403).
 * - `list`: the handler reads and changes what is of the projects of `reach`. Filters of findings include them by themselves.
 * - `any member`: the endpoint shows nothing of other projects. It refuses tokens of a project (403), because they are no members.
 * - `none`: such callers are refused (403), because the endpoint concerns the organization.
 */
export type ReachRule = 'project' | 'finding' | 'scan' | 'list' | 'any member' | 'none';

/**
 * Hides projects that the caller does not reach, and what is of them (404), and requires a role in those that the caller reaches (403).
 * From here on the call has the project, and the role in it.
 */
export const withinProject = (rule: Extract<ReachRule, 'project' | 'finding' | 'scan'>, least: Role) =>
  middleware<OrgCall & { params: Record<string, string> }>(
    // Every role covers that of a viewer.
    ['resource_error/not_found', ...(least === 'viewer' ? [] : (['permission_error/denied'] as const))],
    async function withinProject(c, next) {
      const call = c.get('call');
      const { db, org, params, reach } = call;
      const [id = ''] = Object.values(params);
      if (reach !== undefined) {
        const projectId = await projectIdOf(db, org.tables, rule, id);
        const role = projectId === undefined ? undefined : reach.roles.get(projectId);
        if (projectId === undefined || role === undefined) throw new ApiError('resource_error/not_found');
        if (rankOf(role) < rankOf(least))
          throw new ApiError('permission_error/denied', { message: 'Your role in the project is too low.' });
        call.checkedProject = projectId;
        call.role = role;
      }
      await next();
    },
  );

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
  const projectId = await projectIdOf(db, org.tables, rule, params.id);
  if (projectId === undefined) throw new ApiError('resource_error/not_found');
  requireScope(token, projectId);
}

/** The project of a finding or scan, or with the slug or id. @returns undefined if it does not exist */
async function projectIdOf(
  db: Db,
  tables: OrgTables,
  kind: 'project' | 'finding' | 'scan',
  id: string,
): Promise<string | undefined> {
  if (kind === 'project') return findProjectId(db, tables, id);
  const { findings, scans } = tables;
  const [found] =
    kind === 'finding'
      ? await db.select({ projectId: findings.projectId }).from(findings).where(eq(findings.id, id))
      : await db.select({ projectId: scans.projectId }).from(scans).where(eq(scans.scanId, id));
  return found?.projectId;
}
