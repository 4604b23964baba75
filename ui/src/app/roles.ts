import * as text from '#strings/app.ts';
import {
  type Operation,
  ORGANIZATION_ROLES,
  PROJECT_ROLES,
  ROLES,
  type Role,
} from '../../../lib/client/roles.ts';

export { type Operation, ROLES, type Role };

/** Whether a role may call an operation. */
export const isAllowed = (role: Role, operation: Operation): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(ORGANIZATION_ROLES[operation] ?? PROJECT_ROLES[operation] ?? 'viewer');

/** The rights of a member. */
export interface Rights {
  role: Role;
  /** Whether the member reaches only assigned projects. */
  isLimited: boolean;
}

/**
 * Whether a member may call an operation.
 * @param project the one that the operation is about, with the role that limited members have in it. Without it: whether there may be
 * such a project
 */
export const mayCall = (
  { role, isLimited }: Rights,
  operation: Operation,
  project?: { role?: Role },
): boolean => isAllowed(project?.role ?? role, operation) && !(isLimited && ORGANIZATION_ROLES[operation]);

/** The roles that may call an operation, such as "owners and admins". */
export const rolesAllowed = (operation: Operation): string =>
  text.roles(ROLES.filter((role) => isAllowed(role, operation)));
