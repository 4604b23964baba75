export const searchOrFilter = 'Search or filter findings';
export const example = 'Search, or filter: severity:high path:src/**';
export const clear = 'Clear search';
export const suggestions = 'Suggestions';

export const severity = 'critical, high, medium, low or info';
export const status = 'open, confirmed, fixed, verified, false_positive or wontfix';
export const attention = 'Unresolved or regressed';
export const regressed = 'Fixed before and seen again';
export const overdue = 'Past its due date';
export const missing = 'Absent from the latest scan';
export const proposed = 'Not on the default branch or a tracked branch yet';
export const exploit = 'Has an exploit';
export const project = 'Project, by its slug';
export const assignee = 'Assignee: me, none, or a member';
export const mentions = 'Mentioned in a comment: me, or a member';
export const source = 'Scanner that reported it';
export const ref = 'Branch, tag or pull request that has it now';
export const cwe = 'Weakness, such as CWE-79';
export const cve = 'Vulnerability, such as CVE-2026-1234';
export const rule = 'Rule of the scanner, or the title of a finding without one';
export const file = 'File, exactly';
export const path = 'Files that match a pattern, such as src/**';
export const found = 'When it was found first';
export const seen = 'When it was seen last';
export const resolved = 'When it was resolved';
export const unresolved = 'Since when it is unresolved';
export const inTime = 'Resolved within its due date';
export const changed = 'When it was changed or commented on: 7d, or dates';
export const changedBy = 'Changed or commented on by: me, or a member';
export const older = 'Found longer ago than';
export const newer = 'Found within';

export const nobody = 'nobody';
export const last7Days = 'the last 7 days';
export const last30Days = 'the last 30 days';
export const in7Days = '7 days';
export const in30Days = '30 days';
export const in90Days = '90 days';

/** Errors about the value of a key. */
export const problem = (key: string, what: string) => `${key}: ${what}`;
export const cannotBeExcluded = 'cannot be excluded with “-”';
export const noneOf = (value: string, values: readonly string[]) =>
  `“${value}” is not one of ${values.join(', ')}`;
export const excludesAll = 'excludes all findings';
export const severalOf = (value: string, values: readonly string[]) =>
  `“${value}” can be ${values.join(' or ')}`;
export const onlyTrue = 'can only be true';
export const trueOrFalse = 'must be true or false';
export const needsValue = 'needs a value';
export const onlyOnce = 'can be given once';
export const noProject = (value: string) => `project “${value}” does not exist`;
export const tooManyProjects = (count: number) =>
  `leaves more than ${count} projects: name the ones to include`;
export const severalProjects = (value: string) => `several projects start with “${value}”: use the slug`;
export const severalMembers = (value: string) => `several members match “${value}”: use the email address`;
export const noMember = (value: string) => `member “${value}” does not exist`;
export const noCwe = (value: string) => `“${value}” is not a CWE such as CWE-79`;
export const noDate = (value: string) => `“${value}” is not a date such as 2026-01-31`;
export const endsBeforeStart = 'the range ends before it starts';
export const noAge = (value: string) => `“${value}” is not a time such as 30d, 4w or 6m`;
