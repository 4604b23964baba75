/*
 * Values of columns that have a fixed set of them, and the shapes of JSON columns.
 */

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const FINDING_STATUSES = [
  'open',
  'confirmed',
  'fixed',
  'false_positive',
  'wontfix',
  'verified',
] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/**
 * The statuses before and after a change. `regressed` is the one side of a change that leaves the status of a regressed finding as it
 * is, such as fixed again.
 */
export const CHANGED_STATUSES = [...FINDING_STATUSES, 'regressed'] as const;

/** Statuses of findings that nobody has resolved. */
export const UNRESOLVED: readonly FindingStatus[] = ['open', 'confirmed'];

/** Why a finding has its status. */
export const TRIAGE_REASONS = [
  'duplicate',
  'not_exploitable',
  'used_in_tests',
  'mitigated',
  'risk_accepted',
  'no_fix_available',
  'other',
] as const;
export type TriageReason = (typeof TRIAGE_REASONS)[number];

/** The new values of a change of findings. Null: the value was removed. */
export interface ChangedFields {
  status?: { to: FindingStatus };
  reason?: TriageReason | null;
  assignee_id?: string | null;
  due_at?: string | null;
  accepted_until?: string | null;
}

/** The types of events about findings and scans, as destinations can want them. */
export const OWN_EVENT_TYPES = [
  'scan.completed',
  'scan.failed',
  'finding.status_changed',
  'finding.assigned',
  'finding.commented',
  'finding.due_soon',
  'finding.overdue',
  'finding.risk_acceptance_ended',
] as const;
export type OwnEventType = (typeof OWN_EVENT_TYPES)[number];

/** The type of the event that makes the outbox work on an issue: create it, read it, or tell it a change. Its subject is the issue. */
export const ISSUE_REQUESTED = 'issue.requested';

/** The types of all events that are no entries of the audit log. */
export const EVENTS_OUTSIDE_LOG = [...OWN_EVENT_TYPES, ISSUE_REQUESTED] as const;

/** The kinds of events that are stored. */
export const STORED_EVENT_KINDS = [
  'matched',
  'moved',
  'regressed',
  'merged',
  'severity',
  'status',
  'assignee',
  'due_at',
  'accepted_until',
  'comment',
  'exploit',
] as const;

/** The kinds of events of a finding. `created` follows from the finding itself, `missing` from where it is present. */
export const EVENT_KINDS = ['created', 'missing', ...STORED_EVENT_KINDS] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The states of a deletion. One that is purged is not shown any more. */
export const DELETION_STATES = ['deleting', 'deleted', 'restoring', 'restored', 'purging'] as const;
export type DeletionState = (typeof DELETION_STATES)[number];

/** The roles that members can have in a project. */
export const PROJECT_ROLES = ['admin', 'member', 'viewer'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** The scopes of a token, from the fewest permissions to the most; `ingest` is apart from the others. */
export const TOKEN_SCOPES = ['ingest', 'read', 'triage', 'admin'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

export const SCAN_STATUSES = ['running', 'completed', 'failed'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

/** The states of a delivery of an event. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

/** The states of an issue at a tracker. `gone`: it cannot be reached any more. `failed`: it was not created. */
export const ISSUE_STATES = ['pending', 'open', 'closed', 'gone', 'failed'] as const;
export type IssueState = (typeof ISSUE_STATES)[number];

/** The state of the findings of an issue: one is open, or all are resolved. `closing`: they are, and the issue is being closed for it. */
export const TOLD_STATES = ['open', 'closing', 'resolved'] as const;
export type ToldState = (typeof TOLD_STATES)[number];

/** The subjects of mails that members choose. */
export const NOTIFICATION_KINDS = [
  'assigned',
  'mentioned',
  'new_critical',
  'regressed',
  'scan_failed',
  'due_soon',
  'token_expiring',
] as const;

/** When such a mail is sent. */
export const NOTIFICATION_TIMES = ['now', 'daily', 'weekly', 'off'] as const;

export const PERSONAS = ['sharingan', 'senku', 'killua'] as const;

/** The two sides of a project that moves to another organization: `out` where it leaves, `in` where it arrives. */
export const TRANSFER_SIDES = ['out', 'in'] as const;

/** The target of a scan; every part is optional. */
export interface ScanTarget {
  type?: string;
  path?: string;
  url?: string;
  /** The scanned branch, tag or pull request. */
  ref?: string;
  /** The branch that a pull request goes into. */
  base_ref?: string;
  /** The default branch of the repository. */
  default_ref?: string;
  /** Tells scans of one source apart that look at different things. */
  category?: string;
}

/** How many findings a scan has, in all and by severity. */
export type SeverityCounts = { total: number } & Record<Severity, number>;

/** Statuses that a rule can set. */
export const RULE_STATUSES = ['confirmed', 'false_positive', 'wontfix'] as const;

/** A finding must meet all conditions that are given. One value of each condition must match. */
export interface RuleConditions {
  project_id?: string[] | undefined;
  source?: string[] | undefined;
  /** The persona of the scan that reported the finding first. */
  persona?: (typeof PERSONAS)[number][] | undefined;
  severity?: Severity[] | undefined;
  cwe?: string[] | undefined;
  cve?: string[] | undefined;
  rule_id?: string[] | undefined;
  /** Patterns, see `db/rules/patterns.ts`. */
  title?: string[] | undefined;
  /** Patterns, see `db/rules/patterns.ts`. */
  path?: string[] | undefined;
}

export interface RuleActions {
  status?: (typeof RULE_STATUSES)[number] | undefined;
  /** Only with a status. */
  reason?: TriageReason | undefined;
  /** A remark in the activity. Only with a status. */
  note?: string | undefined;
  assignee_id?: string | undefined;
  /** Days from when the finding was found. */
  due_days?: number | undefined;
  /** Days from the decision, after which the finding is open again. Only with the status `wontfix`. */
  accept_days?: number | undefined;
}
