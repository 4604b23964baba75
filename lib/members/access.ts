import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, type ProjectAccess, type Role } from '../../db/schema/orgs.ts';
import { PROJECT_ROLES, type ProjectRole } from '../../db/schema/values.ts';
import { run } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import { type Actor, mailControl, memberAddress } from '../orgs/notices.ts';
import { lowered, MAX_PROJECTS, outsideOf, type RoleInProject, replaceRoles } from '../projects/members.ts';
import { optional, uuid, z } from '../schema.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { rankOf } from '../tokens/scopes.ts';
import { NO_OFFER } from './fields.ts';
import type { Rights } from './owners.ts';
import { isControlling } from './roles.ts';

/* The projects that a member reaches. Assignments of a member who reaches all projects are kept without effect. */

/** The assignments of a member in a request. */
export const assignments = () =>
  optional(
    z
      .array(z.object({ project_id: uuid(), role: z.enum(PROJECT_ROLES) }))
      .max(MAX_PROJECTS, `must have at most ${MAX_PROJECTS} entries`),
  ).openapi({
    description:
      'All projects to which the member is assigned. The last role counts where a project occurs twice. Has an effect with `project_access` `assigned`.',
  });

interface Asked {
  userId: string;
  /** The rights of the member until now. */
  before: Rights;
  /** The role that the member gets, which may be an offer to become an owner. */
  asked: Role;
  /** The role from now on. */
  role: Role;
  access: ProjectAccess | undefined;
  projects: readonly { project_id: string; role: ProjectRole }[] | undefined;
}

export interface AccessChange {
  /** Unset: the access stays. */
  access: { from: ProjectAccess; to: ProjectAccess } | undefined;
  projects: readonly RoleInProject[];
  /** The tokens that were revoked. */
  tokens: EndedToken[];
}

/** The change of the access of a member who becomes an owner. */
export const accessOfOwner = ({ isLimited }: Pick<Rights, 'isLimited'>): AccessChange['access'] =>
  isLimited ? { from: 'assigned', to: 'all' } : undefined;

/**
 * Changes which projects a member reaches, and ends the tokens that lose rights by it or by another role, if the organization wants it so.
 * Part of the transaction that changes the role, which has locked the organization. Call it before the role is written.
 * @throws ApiError `validation_error/field_invalid` for an owner whose access would be limited, and as `replaceRoles`
 */
export async function changeAccess(
  tx: Tx,
  { org, now, freshActor }: { org: { id: string; tables: OrgTables }; now: Date; freshActor: () => Actor },
  { userId, before, asked, role, access: given, projects: list }: Asked,
): Promise<AccessChange> {
  if (given === 'assigned' && asked === 'owner')
    throw new ApiError('validation_error/field_invalid', {
      details: [{ field: 'project_access', message: 'must be all for an owner' }],
    });
  const projects = list ? await replaceRoles(tx, org.tables, userId, list, now) : [];
  const from: ProjectAccess = before.isLimited ? 'assigned' : 'all';
  const to = role === 'owner' ? 'all' : (given ?? from);
  const access = from === to ? undefined : { from, to };
  if (access)
    await tx
      .update(memberships)
      .set({ projectAccess: to, ...(to === 'assigned' && NO_OFFER) })
      .where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
  // Rules assign only members who reach the project.
  if (access || (to === 'assigned' && projects.length > 0)) await run(tx, reloadRulesOf(org.tables, userId));
  // The mail about a new owner tells enough: owners reach all projects.
  if (access && role !== 'owner' && (isControlling(before.role) || isControlling(role)))
    await mailControl(tx, freshActor(), org.id, 'role_changed', [
      ['Member', (await memberAddress(tx, org.id, userId)) ?? ''],
      ['Role', role],
      ['Project access', `${to}, was ${from}`],
    ]);
  const tokens = await endTokens();
  return { access, projects, tokens };

  async function endTokens(): Promise<EndedToken[]> {
    if (rankOf(role) < rankOf(before.role)) return endTokensOf(tx, org, userId);
    if (to === 'all') return [];
    const where = access
      ? outsideOf(tx, org.tables, userId, before.role)
      : lowered(org.tables, projects, before.role);
    return where ? endTokensOf(tx, org, userId, { where }) : [];
  }
}

/** The most projects that an entry of the audit log names, so that it is not too large. */
const MOST_NAMED = 50;

/** The changed assignments, as an entry of the audit log has them. */
export function assignmentChanges(projects: readonly RoleInProject[]) {
  if (projects.length === 0) return {};
  const named = projects.slice(0, MOST_NAMED);
  const side = (name: 'from' | 'to') =>
    named.flatMap(({ projectId: project_id, [name]: role }) => (role ? { project_id, role } : []));
  const more = projects.length - named.length;
  return {
    projects: { from: side('from'), to: side('to') },
    ...(more > 0 && { projects_not_named: { to: more } }),
  };
}
