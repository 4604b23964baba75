import type { ReactNode } from 'react';
import { plural } from '../language.ts';

export const accessOf = (name: ReactNode) => <>Project access of {name}</>;
export const access = 'Project access';
export const accessNames = { all: 'All projects', assigned: 'Only assigned projects' };
export const accessRights = {
  all: 'Reaches every project, also those created later, with the role in the organization.',
  assigned:
    'Reaches only the projects below. Rules, org-wide tokens, and changes of members and settings are out of reach, whatever the role.',
};
export const projects = 'Projects';
export const ceiling = (role: string) =>
  `The role in the organization is the ceiling: ${role}. A higher role here has no effect.`;
export const filter = 'Filter projects';
export const nothingMatches = 'No project matches.';
export const noProjects = 'There are no projects yet.';
export const roleIn = (project: string) => `Role in ${project}`;
export const roleNames = { none: 'None', viewer: 'Viewer', member: 'Member', admin: 'Admin' };
export const assigned = (count: number) =>
  count === 0
    ? 'No project is assigned: no findings are visible.'
    : plural(count, { one: '# project is assigned.', other: '# projects are assigned.' });
export const save = 'Save';
export const saved = (name: string) => `The project access of ${name} was changed.`;
export const theirTokens = {
  keep: 'They keep working, also for other projects. Revoke them on the page “API tokens” to end that.',
  limit:
    'Those that send findings keep sending and reading findings: tokens of a project there, org-wide tokens in all projects. Revoke them on the page “API tokens” to end that. Others reach only the assigned projects.',
  revoke:
    'They are revoked, except those of assigned projects where the role is not lower. Pipelines that use them stop.',
};
export const ownAccess = 'This is your own access. You cannot undo this change yourself.';
export const assignments = 'People';
export const whatAssignmentsAre =
  'Members whose access is limited and who are assigned to this project. Owners and members with access to all projects reach it too.';
export const nobodyAssigned = 'Nobody is assigned to this project.';
export const member = 'Member';
export const role = 'Role';
