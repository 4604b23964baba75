import { number, plural } from './language.ts';

export const activity = 'Activity';
export const whatIsListed = 'Decisions, comments and changes by scans, newest first.';
export const filters = 'Filters of the activity';
export const person = 'Person';
export const anybody = 'Anybody';
export const theService = 'The service';
export const you = (name: string) => `${name} (you)`;
export const anotherActor = (isLimited: boolean) =>
  `A token, a rule or ${isLimited ? 'a member you cannot see' : 'a former member'}`;
export const noPerson = 'No matching member';
export const project = 'Project';
export const allProjects = 'All projects';
export const noProject = 'No matching project';
export const kind = 'Kind';
export const allKinds = 'All kinds';
export const kinds = {
  decisions: 'Decisions',
  comments: 'Comments',
  scans: 'Changes by scans',
  exploits: 'Exploits',
};
export const time = 'Time';
export const anyTime = 'Any time';
export const lastDays = (days: number) => `Last ${number(days)} days`;
export const dates = 'Dates…';
export const firstDay = 'First day';
export const lastDay = 'Last day';
export const count = (total: number, isAtLeast: boolean) =>
  isAtLeast ? `More than ${number(total)} entries` : plural(total, { one: '# entry', other: '# entries' });
export const exportCsv = 'Export CSV';
export const newestFirst = 'Activity, newest first';
export const allOfThis = 'Show all findings of this change';
export const noActivity = 'No activity yet';
export const howToBegin = 'Triage a finding to see it here.';
export const pageIsEmpty = 'This page of the activity has no entries';
export const nothingMatches = 'No activity matches these filters';
export const showAll = 'Show all activity';
export const loading = 'Loading';
