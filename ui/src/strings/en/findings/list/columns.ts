import { number, plural } from '../../language.ts';

export const columns = 'Columns';
export const reset = 'Reset columns';
export const compactRows = 'Compact rows';
export const labels = {
  severity: 'Severity',
  title: 'Finding',
  status: 'Status',
  project: 'Project',
  assignee: 'Assignee',
  due: 'Due',
  cwe: 'CWE',
  cve: 'CVE',
  cvss: 'CVSS',
  source: 'Source',
  rule: 'Rule',
  first_seen: 'Age',
  last_seen: 'Last seen',
  seen_count: 'Times seen',
};
export const overdueToday = 'overdue';
export const overdue = (days: number) => plural(days, { one: '# day overdue', other: '# days overdue' });
export const times = (count: number) => number(count);
/** A short time such as "3h ago" without the last word. */
export const ageOf = (ago: string) => ago.replace(' ago', '');
