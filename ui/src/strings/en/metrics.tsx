import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

export const metrics = 'Metrics';
export const rangeAndProject = (from: string, to: string, project: ReactNode) => (
  <>
    {from} to {to} (UTC), {project}
  </>
);
export const allProjects = 'all projects';
export const oneProject = 'one project';
export const noFindingsInRange = 'No findings in this range';
export const whenMetricsAppear = 'Metrics appear when findings are found or resolved.';
export const openDashboard = 'Open the dashboard';

export const rangeAndProjectFilter = 'Range and project';
export const range = 'Range';
export const days = (count: number) => plural(count, { one: '# day', other: '# days' });
export const custom = 'Custom';
export const firstDay = 'First day';
export const to = 'to';
export const lastDay = 'Last day';
export const project = 'Project';
export const anyProject = 'All projects';
export const noMatchingProject = 'No matching project';
export const firstAfterLast = 'The first day must not be after the last day.';
export const firstInFuture = 'The first day must not be in the future.';
export const atMostDays = (count: number) => `Choose at most ${number(count)} days.`;

export const summary = 'Summary';
export const found = 'Found';
export const resolved = 'Resolved';
export const inTheRange = 'in the range';
export const unresolved = 'Unresolved';
export const now = 'now';
export const medianTime = 'Median time to resolve';
export const nothingResolved = 'Nothing was resolved';
export const ofResolved = (count: number, atOnce: number) =>
  atOnce === 0
    ? plural(count, { one: 'of # resolved finding', other: 'of # resolved findings' })
    : `of ${number(count)}, without ${number(atOnce)} resolved by rules`;
export const withinDueDate = 'Resolved within due date';
export const noneHadDueDate = 'No resolved finding had a due date';
export const inTimeAndLate = (inTime: ReactNode, late: ReactNode) => (
  <>
    {inTime} in time, {late} late
  </>
);
/** Stands for a number that there is not. */
export const none = '–';

export const perWeek = 'Found and resolved per week';
export const showAsChart = 'Show as a chart';
export const showAsTable = 'Show as a table';
export const unresolvedAtEnd = 'Unresolved at the end';
export const weeksInWords = (found: ReactNode, resolved: ReactNode, open: number) => (
  <>
    {found} found, {resolved} resolved, {number(open)} unresolved at the end.
  </>
);
/** The alternative of the chart. */
export const chartOfWeeks = (
  from: string,
  to: string,
  { found, resolved, open }: { found: number; resolved: number; open: number },
) =>
  `Chart of found, resolved and unresolved findings per week from ${from} to ${to}. ${number(found)} found, ${number(resolved)} resolved, ${number(open)} unresolved at the end. A table shows the same data.`;
export const aboutWeeks = 'Weeks begin on Monday (UTC). The first and the last one may be shorter.';
export const weekFrom = 'Week from';

export const timeToResolve = 'Time to resolve';
export const noneResolved = 'No finding was resolved in this range.';
export const resolvedAtOnce = (count: number) =>
  plural(count, {
    one: '# finding has no time: a rule resolved it when it was found.',
    other: '# findings have no time: a rule resolved them when they were found.',
  });
export const severity = 'Severity';
export const median = 'Median';
export const ninetyWithin = '90% within';
export const aboutNinety = '90% were resolved within this time';
export const mean = 'Mean';
export const all = 'All';

export const unresolvedByAge = 'Unresolved by age';
export const noneUnresolved = 'No finding is unresolved.';
export const aboutAge =
  'The findings that are unresolved now, whatever the range. Age counts from when a finding was found or regressed.';
export const age = 'Age';
export const total = 'Total';
export const moreThanDays = (count: number) =>
  plural(count, { one: 'More than # day', other: 'More than # days' });
export const fromToDays = (from: number, to: number) => `${number(from)} to ${number(to)} days`;

export const minutes = (count: number) => `${number(count)} min`;
/** @param count with at most one decimal */
export const hours = (count: string) => `${count} h`;
/** @param count with at most one decimal */
export const daysOf = (count: string) => `${count} days`;
export const percent = (count: number) => `${number(count)}%`;
