import { number, plural } from './language.ts';

export const severities = { critical: 'Critical', high: 'High', medium: 'Medium', low: 'Low', info: 'Info' };
export const statuses = {
  open: 'Open',
  confirmed: 'Confirmed',
  fixed: 'Fixed',
  false_positive: 'False positive',
  wontfix: "Won't fix",
  verified: 'Verified',
};
type Severity = keyof typeof severities;

/** Such as "2 critical". */
const ofSeverity = (count: number, severity: Severity) =>
  `${number(count)} ${severities[severity].toLowerCase()}`;
/** Such as "2 critical, 5 high". */
export const bySeverity = (counts: readonly (readonly [count: number, severity: Severity])[]) =>
  counts.map(([count, severity]) => ofSeverity(count, severity)).join(', ');
const ofStatus = (count: number, status: keyof typeof statuses) =>
  `${number(count)} ${statuses[status].toLowerCase()}`;
/** Such as "2 open, 5 fixed". */
export const byStatus = (counts: readonly (readonly [count: number, status: keyof typeof statuses])[]) =>
  counts.map(([count, status]) => ofStatus(count, status)).join(', ');

export const regressed = 'Regressed';
/** The status before a scan saw the finding again. */
export const was = (status: string) => `was ${status.toLowerCase()}`;
export const proposed = 'Proposed';
export const whyProposed = 'Neither the default branch nor a tracked branch has it yet';
export const noFindings = 'No findings';
export const none = 'None';
export const needAttention = (count: number, severity: Severity) =>
  `${ofSeverity(count, severity)}: unresolved or regressed`;
export const countRegressed = (count: number) => `${number(count)} regressed`;
export const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
export const titleWithoutText = 'Title without visible characters';
/** Facts in a row. */
export const separator = ' · ';

export const needsAttention = 'Needs attention';
export const assignedToMe = 'Assigned to me';
export const mentionsMe = 'Mentions me';
export const overdue = 'Overdue';
export const toVerify = 'To verify';
export const all = 'All';
