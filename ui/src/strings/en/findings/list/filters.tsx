import type { ReactNode } from 'react';
import { number } from '../../language.ts';

export const filters = 'Filters';
export const moreFilters = 'More filters';
export const activeFilters = 'Active filters';
export const removeFilter = 'Remove this filter';
export const clearAll = 'Clear all';
/** A filter with its value. */
export const named = (name: string, value: ReactNode) => (
  <>
    {name}: {value}
  </>
);
export const project = 'Project';
export const severalProjects = 'Several projects';
export const noProject = 'No matching project';
export const scan = 'Scan';
export const noScan = 'No matching scan in the latest 50';
export const severity = 'Severity';
export const status = 'Status';
export const any = 'Any';
export const chosen = (label: string, count: number) => `${label} · ${number(count)}`;
export const cwe = 'CWE';
export const cweExample = 'A number, such as 89 or CWE-89';
export const sortedBy = 'Sorted by';
export const sortOrder = 'Sort order';
export const sorts = {
  '-priority': 'Priority',
  priority: 'Lowest priority first',
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  '-last_seen_at': 'Most recently seen first',
  last_seen_at: 'Least recently seen first',
  '-severity': 'Most severe first',
  severity: 'Least severe first',
  '-cvss_score': 'Highest CVSS first',
  cvss_score: 'Lowest CVSS first',
  due_at: 'Due first',
  '-due_at': 'Due last',
};

export const changes = { new: 'New since', seen_again: 'Also in', gone: 'Gone since' };
export const me = 'me';
export const nobody = 'nobody';
export const text = 'Text';
export const assignee = 'Assignee';
export const mentions = 'Mentions';
export const flags = {
  attention: 'Needs attention',
  regressed: 'Regressed',
  overdue: 'Overdue',
  missing: 'Missing',
  proposed: 'Proposed',
  has_exploit: 'Exploit',
};
export const yes = 'yes';
export const no = 'no';
export const texts = {
  source: 'Source',
  not_source: 'Source is not',
  ref: 'Present on',
  cwe: 'CWE',
  cve: 'CVE',
  rule: 'Rule',
  file: 'File',
  path: 'Path',
  not_path: 'Path is not',
  found_after: 'Found since',
  found_before: 'Found before',
  seen_after: 'Seen since',
  seen_before: 'Seen before',
};
export const none = 'none';

export const all = 'All';
/** Abbreviations keep their capitals. */
const withSmallLetter = (name: string) =>
  /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
export const groupedBy = (name: string) => `Grouped by ${withSmallLetter(name)}`;
export const order = (name: string) => `Order: ${withSmallLetter(name)}`;
export const betweenValues = ', ';
export const betweenParts = ' · ';
