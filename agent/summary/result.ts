import { SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import { type Entry, isPending } from '../journal/lines.ts';
import { table } from '../output.ts';
import type { Outcome } from '../reporter.ts';
import { firstMessages, type ReportContent } from '../scanner/reports.ts';

/** What a scan found and how it was delivered. */
export interface ScanResult {
  outcome: Outcome;
  content: ReportContent;
  /** Findings that the latest comparable scan reported and this one did not; undefined if unknown. */
  gone: number | undefined;
}

const countBySeverity = (entries: readonly Entry[]): number[] =>
  SEVERITIES.map((severity) => entries.filter(({ finding }) => finding.severity === severity).length);

/** The rows at the end of a scan: new, known, regressed, gone, refused and pending findings by severity. */
export function summaryRows({ outcome: { entries }, gone }: ScanResult): (string | number)[][] {
  const row = (label: string, group: readonly Entry[]) => [label, group.length, ...countBySeverity(group)];
  const rowIfAny = (label: string, group: readonly Entry[]) => (group.length > 0 ? [row(label, group)] : []);
  const delivered = (isNew: boolean) =>
    entries.filter(({ receipt }) => receipt && receipt.deduplicated !== isNew);
  return [
    ['', 'total', ...SEVERITIES],
    row('new', delivered(true)),
    row('seen again', delivered(false)),
    ...rowIfAny(
      'regressed',
      entries.filter(({ receipt }) => receipt?.regressed),
    ),
    ...(gone === undefined ? [] : [['gone', gone, ...SEVERITIES.map(() => '')]]),
    ...rowIfAny(
      'refused',
      entries.filter((entry) => entry.refused !== undefined),
    ),
    ...rowIfAny('not delivered', entries.filter(isPending)),
  ];
}

export const summaryTable = (result: ScanResult): string => table(summaryRows(result));

/** The content of {@link summaryTable} and the remarks of the tools as JSON. */
export function summaryJson({ outcome, content, gone }: ScanResult, extra: object) {
  const { scanId, entries, fresh, seenAgain, regressed, refused, pending, stopped } = outcome;
  return {
    scan_id: scanId,
    ...extra,
    total: entries.length,
    new: fresh,
    seen_again: seenAgain,
    regressed,
    gone: gone ?? null,
    refused,
    not_delivered: pending,
    severities: Object.fromEntries(
      SEVERITIES.map((severity, i) => [severity, countBySeverity(entries)[i]]),
    ) as Record<Severity, number>,
    errors: firstMessages(content.errors, MAX_MESSAGES),
    warnings: firstMessages(content.warnings, MAX_MESSAGES),
    skipped: content.skipped,
    ...(stopped && { stopped: stopped.message }),
  };
}

const MAX_MESSAGES = 100;
