/** The types of events about findings and scans. All others are actions of the audit log. */
export const OWN_TYPES = [
  'scan.completed',
  'scan.failed',
  'finding.status_changed',
  'finding.assigned',
  'finding.commented',
  'finding.due_soon',
  'finding.overdue',
  'finding.risk_acceptance_ended',
] as const;

export type OwnType = (typeof OWN_TYPES)[number];

/** The names that a subscription can have: `member.*` stands for all events of members. */
export const EVENT_FILTERS = [...OWN_TYPES, 'member.*', 'token.*', 'project.*'] as const;

export type EventFilter = (typeof EVENT_FILTERS)[number];

/** The filter that a type of events belongs to. */
export const filterOf = (type: string): string =>
  (OWN_TYPES as readonly string[]).includes(type) ? type : `${type.slice(0, type.indexOf('.'))}.*`;
