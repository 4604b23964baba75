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
export const ceiling = (role: string) => `The organization role (${role}) is the maximum.`;
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
    'Tokens that send findings still send and read findings: project tokens those of their project, org-wide tokens those of all projects. Revoke them on the page “API tokens” to end that. Other tokens reach only the assigned projects.',
  revoke:
    'They are revoked, except those of assigned projects where the role is not lower. Pipelines that use them stop.',
};
export const ownAccess = 'This is your own access. You cannot undo this change yourself.';
export const assignments = 'People';
export const whatAssignmentsAre =
  'Members whose access is limited and who are assigned to this project. Owners and members with access to all projects reach it too.';
export const nobodyAssigned = 'Nobody is assigned to this project';
export const whereAccessIsLimited = (members: (label: string) => ReactNode) => (
  <>
    Members with access to all projects need no assignment. Admins of the organization limit the access of a
    member in {members('Members')}, with “Project access…”.
  </>
);
export const member = 'Member';
export const memberWithEmail = (name: string, email: string) => `${name} (${email})`;
export const noMemberFound = 'No member found';
export const role = 'Role';
export const roleOf = (name: string) => `Role of ${name}`;
export const removeName = (name: string) => `Remove ${name}`;
export const assignMember = 'Assign a member';
export const assign = 'Assign';
export const whoCanBeAssigned = 'Members with access to all projects are not listed.';
export const nobodyToAssign = 'You see no other member whose access is limited to assigned projects.';
export const roleGiven = (name: string, role: string) => `${name} was assigned to this project as “${role}”.`;
export const lowerRole = (name: ReactNode, role: string) => (
  <>
    Lower the role of {name} to “{role}”?
  </>
);
export const removePerson = (name: ReactNode) => <>Remove {name} from this project?</>;
export const tokensOfPerson = {
  keep: 'API tokens that this member created keep working.',
  limit:
    'API tokens of this member that send findings keep working. Others do only what the member still may do.',
  revoke: 'API tokens of this project that this member created are revoked. Pipelines that use them stop.',
};
export const isRemoved = (name: string) => `${name} was removed from this project.`;
