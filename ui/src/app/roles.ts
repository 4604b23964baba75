import { OPERATION_ROLES, type Operation, ROLES, type Role } from '../../../lib/client/roles.ts';

export { ROLES, type Role };

/** Whether a role may call an operation. */
export const isAllowed = (role: Role, operation: Operation): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(OPERATION_ROLES[operation]);

const list = new Intl.ListFormat('en-GB');

/** The roles that may call an operation, such as "owners and admins". */
export const rolesAllowed = (operation: Operation): string =>
  list.format(ROLES.filter((role) => isAllowed(role, operation)).map((role) => `${role}s`));

export const ROLE_NAMES: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

/** The rights of each role. */
export const ROLE_RIGHTS: Record<Role, string> = {
  owner: 'Everything an admin can do. Also turns features on and off and manages owners.',
  admin:
    'Everything a member can do. Also invites and removes members, changes roles and manages all API tokens.',
  member: 'Everything a viewer can do. Also triages findings and creates projects.',
  viewer: 'Sees everything and manages the API tokens of projects.',
};
