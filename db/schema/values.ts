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

export const SCAN_STATUSES = ['running', 'completed', 'failed'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

export const PERSONAS = ['sharingan', 'senku', 'killua'] as const;

/** What a scan looked at; every part is optional. */
export interface ScanTarget {
  type?: string;
  path?: string;
  url?: string;
  ref?: string;
}

/** How many findings a scan has, in all and by severity. */
export type SeverityCounts = { total: number } & Record<Severity, number>;
