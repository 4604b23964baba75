import { number, plural } from './language.ts';

export const auditLog = 'Audit log';
export const whatIsListed =
  'Changes, exports and refused calls of members and tokens, newest first. Decisions about findings are on the page Activity.';
export const whoSeesIt = (roles: string) => `Only ${roles} see the audit log`;
export const filters = 'Filters of the audit log';
export const person = 'Person';
export const anybody = 'Anybody';
export const noPerson = 'No matching member';
export const anotherActor = 'A token or a former member';
export const you = (name: string) => `${name} (you)`;
export const action = 'Action';
export const allActions = 'All actions';
export const noAction = 'No matching action';
export const firstDay = 'First day';
export const lastDay = 'Last day';
export const count = (total: number, isAtLeast: boolean) =>
  isAtLeast ? `More than ${number(total)} entries` : plural(total, { one: '# entry', other: '# entries' });
export const exportCsv = 'Export CSV';
export const exportJson = 'Export JSON Lines';
export const time = 'Time';
export const target = 'Target';
export const changes = 'Changes';
export const address = 'Address';
export const deletedUser = 'Deleted user';
export const token = (name: string) => `Token ${name}`;
export const nothing = 'No entries yet';
export const nothingYet = 'The next change in this organization is the first entry.';
export const nothingMatches = 'No entry matches these filters';
export const showAll = 'Show the whole audit log';
