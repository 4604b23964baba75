import type { Role } from '../session.ts';

export const ROLE_NAMES: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

/** What each role may do. */
export const ROLE_RIGHTS: Record<Role, string> = {
  owner: 'Everything an admin can do. Also switches features and decides who is an owner.',
  admin:
    'Everything a member can do. Also invites and removes members, changes roles and manages all API tokens.',
  member: 'Everything a viewer can do. Also triages findings and creates projects.',
  viewer: 'Sees everything and manages the API tokens of projects.',
};
