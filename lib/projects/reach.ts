import type { ProjectRoles } from '../../db/projects/members.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { lower, rankOf } from '../tokens/scopes.ts';

/** The projects that a caller reaches who does not reach all. */
export interface Reach {
  /** The role in each project that the caller sees. */
  roles: ReadonlyMap<string, Role>;
  /** The projects in which the role covers the endpoint: statements are limited to them. */
  ids: readonly string[];
}

/** A caller. Without `reach`, all projects. */
export interface Reaching {
  reach?: Reach | undefined;
}

/** The roles of a caller by project. @param role the one in the organization or of the token, which is the ceiling */
export const rolesIn = (assigned: ProjectRoles, role: Role): Map<string, Role> =>
  new Map([...assigned].map(([id, given]) => [id, lower(role, given)]));

/** @param least the role that the endpoint requires */
export const reachOf = (roles: ReadonlyMap<string, Role>, least: Role): Reach => ({
  roles,
  ids: [...roles].flatMap(([id, role]) => (rankOf(role) >= rankOf(least) ? id : [])),
});

/** Whether a caller reaches less than before: projects are missing, or the caller reached all projects. */
export function isNarrower(before: Reach | undefined, now: Reach | undefined): boolean {
  if (now === undefined) return false;
  const ids = new Set(now.ids);
  return before === undefined || before.ids.some((id) => !ids.has(id));
}

/** The id of no project. */
export const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

/** The projects that a statement is limited to: those that a request names, otherwise those of the caller. */
export const projectsAmong = (
  { reach }: Reaching,
  given: readonly string[] | undefined,
): string[] | undefined => {
  if (reach === undefined) return given && [...given];
  return given === undefined ? [...reach.ids] : given.filter((id) => reach.ids.includes(id));
};
