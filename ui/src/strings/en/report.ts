import { plural } from './language.ts';

export const title = 'Findings';
export const backToList = 'Back to the list';
export const noMatching = 'No matching findings';
export const isEmpty = 'The report is empty.';
export const findingsOfReport = 'Findings of the report';
export const severity = 'Severity';
export const finding = 'Finding';
export const status = 'Status';
export const found = 'Found';
export const due = 'Due';
export const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
export const findingsBySeverity = (count: number, bySeverity: string) => `${findings(count)}: ${bySeverity}`;
export const firstOnly = (count: number) =>
  plural(count, {
    one: 'The report contains the first # finding',
    other: 'The report contains the first # findings',
  });
export const filesHaveAll = (count: number) =>
  plural(count, {
    one: 'To get # finding, add filters or export a file.',
    other: 'To get all # findings, add filters or export a file.',
  });
