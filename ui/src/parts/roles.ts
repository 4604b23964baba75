import type { Role } from '../session.ts';

export const ROLE_NAMES: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

/** What each role may do. */
export const ROLE_RIGHTS: Record<Role, string> = {
  owner: 'Everything an admin does. Switches features, and decides who is an owner.',
  admin: 'Everything a member does. Invites and removes members, changes roles, and manages org-wide tokens.',
  member: 'Everything a viewer does. Triages findings and creates projects.',
  viewer: 'Reads everything, and manages the tokens of projects.',
};
