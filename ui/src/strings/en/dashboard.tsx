import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

export const dashboard = 'Dashboard';
export const firstSteps = 'First steps';
export const receiveFirstFinding = 'Receive your first finding in a few minutes.';

export const myWork = 'My work';
export const myActivity = 'My activity';
export const assignedToMe = 'Assigned to me';
export const needAttention = 'Need attention';
export const mentions = 'Mentions';
export const commentsMentionYou = 'A comment mentions you';
export const waitingForMyVerification = 'Waiting for my verification';

export const latestDecisions = 'Latest decisions';
export const allActivity = 'All activity';
export const noDecisions = 'Nobody has decided anything yet.';

export const workToday = 'Work today';
export const regressed = 'Regressed';
export const noRegressions = 'No regressions';
export const overdue = 'Overdue';
export const dueDateHasPassed = 'Due date has passed';
export const newCriticalAndHigh = 'New critical and high';
export const sinceYesterday = 'Since yesterday (UTC)';
export const waitingForVerification = 'Waiting for verification';
export const fixedNotVerified = 'Fixed, not verified';
/** Such as "6 critical". */
export const countOf = (count: number, severity: string) => `${number(count)} ${severity.toLowerCase()}`;
export const countRegressed = (count: number) => `${number(count)} regressed`;

export const scans = 'Scans';
export const running = (count: number) => `${number(count)} running`;
export const noScanIsRunning = 'No scan is running';
export const moreFailedScans = 'More failed scans';
/** Such as "Web shop, 3 min ago, 12 findings". */
export const aboutScan = (project: ReactNode, time: ReactNode, findings: number) => (
  <>
    {project && <>{project}, </>}
    {time}, {plural(findings, { one: '# finding', other: '# findings' })}
  </>
);

export const allMetrics = 'All metrics';
export const projectsByRisk = 'Projects by risk';
export const allProjects = 'All projects';
export const showMoreProjects = (count: number) => `Show ${number(count)} more`;
export const noSuchProject = 'This project does not exist';
export const addressMayBeIncomplete = 'It is not in this organization, or the address is incomplete.';
export const showAllProjects = 'Show all projects';
export const project = 'Project';
export const openFindings = 'Unresolved';
/** The alternative of a line. */
export const trend = ({ first, last, most, weeks }: Record<'first' | 'last' | 'most' | 'weeks', number>) =>
  `Unresolved findings: from ${number(first)} to ${number(last)} in ${plural(weeks, { one: '# week', other: '# weeks' })}, at most ${number(most)}`;

export const highestPriority = 'Highest priority';
export const openQueue = 'Open the queue';
export const nothingNeedsAttention = 'Nothing needs attention.';
export const countFindings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
export const countScans = (count: number) => plural(count, { one: '# scan', other: '# scans' });
export const inTotal = (findings: ReactNode, scans: ReactNode) => (
  <>
    In total: {findings} of every status, and {scans}.
  </>
);
