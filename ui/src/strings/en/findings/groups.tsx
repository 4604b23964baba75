import type { ReactNode } from 'react';
import { number, plural } from '../language.ts';

export const names = { rule: 'Rule', cve: 'CVE', file: 'File', project: 'Project' };
export const without = {
  rule: 'Without a rule',
  cve: 'Without a CVE',
  file: 'Without a file',
  project: 'Without a project',
};
export const groupedBy = 'Grouped by';
export const groupFindings = 'Group findings';
export const noGroups = 'No groups';
export const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
export const regressed = (count: number) => `${number(count)} regressed`;
/** The facts of a group: how many have regressed, how many have each status, and when the newest was found. */
export const facts = (regressed: ReactNode, statuses: string, newest: ReactNode) => (
  <>
    {regressed && <>{regressed} · </>}
    {statuses} · newest {newest}
  </>
);
export const triageAll = (count: number, name: string) => `Triage ${number(count)}: ${name}`;
export const triage = 'Triage…';
export const roleTooLow = 'Your role in the projects of these findings does not allow changes.';
export const findingsOf = (name: string) => `Findings of ${name}`;
export const showAll = (count: number) =>
  plural(count, { one: 'Show # finding', other: 'Show all # findings' });
export const showMore = 'Show more groups';
