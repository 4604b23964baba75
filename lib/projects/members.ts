import { and, count, eq, inArray, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { isLockTimeout } from '../../db/errors.ts';
import { isPresent } from '../../db/projects/deletion.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, type ProjectAccess, type Role } from '../../db/schema/orgs.ts';
import { PROJECT_ROLES, type ProjectRole } from '../../db/schema/values.ts';
import { arrayText, run } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import { reachOneOf } from '../members/fields.ts';
import { type Rights, readRoles, requireAdmin } from '../members/owners.ts';
import { id, z } from '../schema.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { lower, rankOf } from '../tokens/scopes.ts';
import { NO_PROJECT } from './reach.ts';
import { beingTransferred } from './transfer/guard.ts';

/** The projects that a member can be assigned to, which are read with each request. */
export const MAX_PROJECTS = 1_000;

export const ProjectMember = z
  .object({
    user_id: id(),
    project_id: id(),
    role: z.enum(PROJECT_ROLES).openapi({
      description: 'The role in the project. The role in the organization is the ceiling.',
    }),
  })
  .openapi('ProjectMember');

/** The columns of {@link ProjectMember}. */
export const projectMemberFields = ({ projectMembers: m }: OrgTables) => ({
  user_id: m.userId,
  project_id: m.projectId,
  role: m.role,
});

const isRow = ({ projectMembers: m }: OrgTables, userId: string, projectId: string) =>
  and(eq(m.userId, userId), eq(m.projectId, projectId));

/** The role of a member in a project, whether or not the access of the member is limited. */
export async function readProjectRole(
  tx: Tx,
  tables: OrgTables,
  { userId, projectId }: { userId: string; projectId: string },
): Promise<ProjectRole | undefined> {
  const { projectMembers: m } = tables;
  const [row] = await tx
    .select({ role: m.role })
    .from(m)
    .where(isRow(tables, userId, projectId));
  return row?.role;
}

/** The error of an assignment whose project another request changes, or a transfer moves. */
const beingChanged = () =>
  new ApiError('resource_error/conflict', {
    message: 'The project is being changed or transferred. Nothing was assigned: try again.',
  });

/**
 * Locks projects until the end of the transaction, so that they are neither deleted nor transferred before it. A transfer holds its lock for
 * minutes, and the caller has locked the organization: it does not wait.
 * @returns the ids of those that exist
 * @throws ApiError `resource_error/conflict` if one is being changed or transferred
 */
async function lockProjects(tx: Tx, tables: OrgTables, ids: readonly string[]): Promise<Set<string>> {
  const { projects: p } = tables;
  const found = await tx
    .select({ id: p.id, transfer: p.transfer })
    .from(p)
    .where(and(sql`${p.id} = any (${arrayText(ids)}::uuid[])`, isPresent(tables)))
    .for('share', { noWait: true })
    .catch((error) => {
      throw isLockTimeout(error) ? beingChanged() : error;
    });
  if (found.some(({ transfer }) => transfer)) throw beingTransferred();
  return new Set(found.map(({ id }) => id));
}

interface Assignment {
  orgId: string;
  tables: OrgTables;
  userId: string;
  projectId: string;
}

/**
 * Checks that the caller may assign a member to a project: an admin of the organization, or of the project for members whom the caller
 * sees. Part of a transaction that has locked the organization.
 * @returns the role of the member in the project, if there is one, and the rights in the organization
 * @throws ApiError `permission_error/denied`, `resource_error/not_found`, `resource_error/conflict` while the project is transferred
 */
async function requireAssignable(
  tx: Tx,
  caller: { id: string; projects: readonly string[] | undefined },
  { orgId, tables, userId, projectId }: Assignment,
): Promise<{ before: ProjectRole | undefined; member: Rights }> {
  const found = await lockProjects(tx, tables, [projectId]);
  if (found.size === 0)
    throw new ApiError('resource_error/not_found', { message: 'The project does not exist.' });
  const { own, other } = await readRoles(tx, orgId, { caller: caller.id, member: userId });
  if (!own.isLimited) requireAdmin(own);
  else {
    const given = await readProjectRole(tx, tables, { userId: caller.id, projectId });
    if (!given || rankOf(lower(own.role, given)) < rankOf('admin'))
      throw new ApiError('permission_error/denied');
    await requireVisible(tx, { orgId, tables, userId }, caller.projects ?? []);
  }
  const before = await readProjectRole(tx, tables, { userId, projectId });
  return { before, member: other };
}

/** @throws ApiError `resource_error/not_found` for a member who reaches none of some projects */
async function requireVisible(
  tx: Tx,
  { orgId, tables, userId }: Pick<Assignment, 'orgId' | 'tables' | 'userId'>,
  projects: readonly string[],
): Promise<void> {
  const [visible] = await tx
    .select({ id: memberships.userId })
    .from(memberships)
    .where(
      and(
        eq(memberships.orgId, orgId),
        eq(memberships.userId, userId),
        await reachOneOf(tx, tables, projects),
      ),
    );
  if (!visible) throw new ApiError('resource_error/not_found', { message: 'The member does not exist.' });
}

/** The effect of an assignment. */
export interface Assigned {
  before: ProjectRole | undefined;
  tokens: EndedToken[];
}

/**
 * Gives a member a role in a project, or takes it. Tokens of the project that the member has created end with a lower role, if the
 * organization wants it so. Part of a transaction that has locked the organization.
 * @param role undefined: takes it
 * @throws ApiError as `requireAssignable`; `resource_error/not_found` if there is no role to take
 */
export async function assignMember(
  tx: Tx,
  caller: { id: string; projects: readonly string[] | undefined },
  assignment: Assignment,
  { role, now }: { role: ProjectRole | undefined; now: Date },
): Promise<Assigned> {
  const { orgId, tables, userId, projectId } = assignment;
  const { projectMembers: m } = tables;
  const { before, member } = await requireAssignable(tx, caller, assignment);
  if (role === before) {
    if (role === undefined) throw new ApiError('resource_error/not_found');
    return { before, tokens: [] };
  }
  if (role === undefined) await tx.delete(m).where(isRow(tables, userId, projectId));
  else await setRoles(tx, tables, userId, [{ projectId, role }], now);
  if (!member.isLimited) return { before, tokens: [] };
  await run(tx, reloadRulesOf(tables, userId));
  const where = lowered(tables, [{ projectId, from: before, to: role }], member.role);
  return { before, tokens: where ? await endTokensOf(tx, { id: orgId, tables }, userId, { where }) : [] };
}

/**
 * Gives a member roles in projects. The last role counts where a project occurs twice.
 * @throws ApiError `resource_error/conflict` for more projects than a member can have
 */
export async function setRoles(
  tx: Tx,
  { projectMembers: m }: OrgTables,
  userId: string,
  roles: readonly { projectId: string; role: ProjectRole }[],
  createdAt: Date,
): Promise<void> {
  if (roles.length === 0) return;
  const byProject = new Map(roles.map(({ projectId, role }) => [projectId, role]));
  await tx
    .insert(m)
    .values([...byProject].map(([projectId, role]) => ({ userId, projectId, role, createdAt })))
    .onConflictDoUpdate({ target: [m.userId, m.projectId], set: { role: sql`excluded.role` } });
  const [row] = await tx.select({ count: count() }).from(m).where(eq(m.userId, userId));
  if ((row?.count ?? 0) > MAX_PROJECTS)
    throw new ApiError('resource_error/conflict', {
      message: `A member can be assigned to at most ${MAX_PROJECTS} projects.`,
    });
}

/** A change of the role of a member in a project. */
export interface RoleInProject {
  projectId: string;
  /** Unset: none. */
  from: ProjectRole | undefined;
  to: ProjectRole | undefined;
}

/**
 * Gives a member exactly these roles in projects. The last role counts where a project occurs twice.
 * @returns what changed
 * @throws ApiError `validation_error/field_invalid` for a project that does not exist, `resource_error/conflict` while one of those that
 *   change is transferred
 */
export async function replaceRoles(
  tx: Tx,
  tables: OrgTables,
  userId: string,
  given: readonly { project_id: string; role: ProjectRole }[],
  now: Date,
): Promise<RoleInProject[]> {
  const { projectMembers: m } = tables;
  const rows = await tx.select({ id: m.projectId, role: m.role }).from(m).where(eq(m.userId, userId));
  const before = new Map(rows.map(({ id, role }) => [id, role]));
  const after = new Map(given.map(({ project_id: id, role }) => [id, role]));
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .map((projectId) => ({ projectId, from: before.get(projectId), to: after.get(projectId) }))
    .filter(({ from, to }) => from !== to);
  if (changed.length === 0) return [];
  const ids = changed.map(({ projectId }) => projectId);
  const present = await lockProjects(tx, tables, ids);
  const missing = given.findIndex(
    ({ project_id: id }) => before.get(id) !== after.get(id) && !present.has(id),
  );
  if (missing >= 0)
    throw new ApiError('validation_error/field_invalid', {
      details: [{ field: `projects.${missing}.project_id`, message: 'is not a project of the organization' }],
    });
  await tx.delete(m).where(and(eq(m.userId, userId), sql`${m.projectId} = any (${arrayText(ids)}::uuid[])`));
  const roles = changed.flatMap(({ projectId, to: role }) => (role ? { projectId, role } : []));
  await setRoles(tx, tables, userId, roles, now);
  return changed;
}

/**
 * Removes the projects of a member who leaves. A limited member leaves a row without a project, so that coming back by single sign-on
 * does not give access to all projects.
 * @param leftAt of a limited member
 */
export async function removeRoles(
  tx: Tx,
  { projectMembers: m }: OrgTables,
  userId: string,
  leftAt?: Date,
): Promise<void> {
  await tx.delete(m).where(eq(m.userId, userId));
  if (leftAt) await tx.insert(m).values({ userId, projectId: NO_PROJECT, role: 'viewer', createdAt: leftAt });
}

/**
 * The tokens of projects where a limited member loses rights; undefined: none. The role in the organization is the ceiling: a change
 * above it lowers nothing.
 */
export function lowered(
  { apiTokens: t }: OrgTables,
  changed: readonly RoleInProject[],
  orgRole: Role,
): SQL | undefined {
  const rankWith = (given: ProjectRole) => rankOf(lower(orgRole, given));
  const ids = changed.flatMap(({ projectId, from, to }) =>
    from && (!to || rankWith(to) < rankWith(from)) ? projectId : [],
  );
  return ids.length > 0 ? sql`${t.projectId} = any (${arrayText(ids)}::uuid[])` : undefined;
}

/**
 * The tokens whose creator loses rights when the access is limited to the assigned projects: org-wide ones, those of other projects, and
 * those of projects where the assigned role is lower.
 * @param orgRole the role in the organization until now
 */
export function outsideOf(
  tx: Tx,
  { apiTokens: t, projectMembers: m }: OrgTables,
  userId: string,
  orgRole: Role,
): SQL | undefined {
  const covering = PROJECT_ROLES.filter((role) => rankOf(role) >= rankOf(orgRole));
  const assigned = tx
    .select({ id: m.projectId })
    .from(m)
    .where(and(eq(m.userId, userId), inArray(m.role, covering)));
  return or(isNull(t.projectId), notInArray(t.projectId, assigned));
}

/**
 * The access of a person who joins without an invitation. Somebody who was limited to projects before leaving comes back limited and
 * without projects.
 * @param usual of others
 */
export async function accessOnReturn(
  tx: Tx,
  tables: OrgTables,
  userId: string,
  usual: ProjectAccess,
): Promise<ProjectAccess> {
  const { projectMembers: m } = tables;
  // Also without the mark: members who reach all projects leave no rows.
  const removed = await tx.delete(m).where(eq(m.userId, userId)).returning({ id: m.projectId });
  return removed.length > 0 ? 'assigned' : usual;
}
