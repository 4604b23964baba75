import { EVENTS_OUTSIDE_LOG, OWN_EVENT_TYPES } from '../../db/schema/values.ts';

/** The actions of the audit log that have a filter of their own: `member.*` stands for all of members. */
const GROUPS = ['member.*', 'token.*', 'project.*'] as const;

/** The filter of the whole audit log, including the groups above. */
export const AUDIT_LOG = 'audit.*';

/** The names that a subscription can have. */
export const EVENT_FILTERS = [...OWN_EVENT_TYPES, ...GROUPS, AUDIT_LOG] as const;

export type EventFilter = (typeof EVENT_FILTERS)[number];

const includes = (names: readonly string[], name: string): boolean => names.includes(name);

/** Whether events of a type are entries of the audit log. `finding.deleted` and `scan.deleted` are. */
export const isEntry = (type: string): boolean => !includes(EVENTS_OUTSIDE_LOG, type);

export const isOfFindings = (type: string): boolean => !isEntry(type) && type.startsWith('finding.');
export const isOfScan = (type: string): boolean => !isEntry(type) && type.startsWith('scan.');

const groupOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** Whether an entry of the audit log has another filter than that of the whole log. */
export const isInGroup = (type: string): boolean => includes(GROUPS, groupOf(type));

/** The filters that a type of events matches. `db/events/publish.ts` follows the same rule. */
export const filtersOf = (type: string): string[] => (isEntry(type) ? [groupOf(type), AUDIT_LOG] : [type]);
