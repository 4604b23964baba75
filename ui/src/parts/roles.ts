import type { Role } from '../session.ts';

export const ROLE_NAMES: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

/** What each role may do beyond those below it. */
export const ROLE_RIGHTS: Record<Role, string> = {
  owner: 'Everything; also switches features and decides who is an owner.',
  admin: 'Also invites and removes members, changes their roles, and manages org-wide tokens.',
  member: 'Also triages findings and creates projects.',
  viewer: 'Sees everything, changes nothing but tokens of projects.',
};
