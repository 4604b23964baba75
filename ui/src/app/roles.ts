import * as text from '#strings/app.ts';
import { OPERATION_ROLES, type Operation, ROLES, type Role } from '../../../lib/client/roles.ts';

export { type Operation, ROLES, type Role };

/** Whether a role may call an operation. */
export const isAllowed = (role: Role, operation: Operation): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(OPERATION_ROLES[operation] ?? 'viewer');

/** The roles that may call an operation, such as "owners and admins". */
export const rolesAllowed = (operation: Operation): string =>
  text.roles(ROLES.filter((role) => isAllowed(role, operation)));
