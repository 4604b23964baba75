import { list, plural } from './language.ts';

export const retention = 'Retention';
export const purpose = 'Days after which resolved findings and old scans are removed.';
export const purposeAndEffect =
  'Days after which resolved findings and old scans are removed for good, checked daily. Findings that scanners still report and the newest 10 scans of each project stay.';
export const resolvedFindings = 'Resolved findings';
export const scans = 'Scans';
export const keptForEver = 'Kept forever';
export const days = (count: number) => plural(count, { one: '# day', other: '# days' });
export const daysOf = (kind: string, days: string) => `${kind}: ${days}`;
export const saved = 'The retention is saved.';

export const removeExpired = 'Remove what has expired?';
export const willBeRemoved = (findings: number, scans: number) =>
  `${list([
    ...(findings > 0 ? [plural(findings, { one: '# finding', other: '# findings' })] : []),
    ...(scans > 0 ? [plural(scans, { one: '# scan', other: '# scans' })] : []),
  ])} will be removed within minutes. This cannot be undone.`;
export const saveAndRemove = 'Save and remove';
