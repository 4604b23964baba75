import { SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import { formatLocation } from '../../lib/importers/text/markdown.ts';
import { table } from '../output.ts';
import type { Outcome } from '../reporter.ts';
import { firstMessages, type ReportContent, shorten } from '../scanner/reports.ts';
import { oneLine } from '../text.ts';
import type { Gate, NoGate } from './gate.ts';
import { type BySeverity, sum } from './tally.ts';

/** The findings of a scan and their delivery. */
export interface ScanResult {
  outcome: Outcome;
  content: ReportContent;
  /** Findings that the latest comparable scan reported and this one did not; undefined if unknown. */
  gone: number | undefined;
  /** Findings that fail `--fail-on-new`, or why they are unknown. Undefined without the option or if the scan is not delivered. */
  gate: Gate | NoGate | undefined;
}

/** The gate, if the service has answered. */
export const gateOf = ({ gate }: ScanResult): Gate | undefined =>
  gate && 'total' in gate ? gate : undefined;

/** The findings that fail a gate as rows, and how many more. */
export function gateTable(gate: Gate): string {
  const rows = gate.findings.map(({ severity, title, file, line, reason }) => [
    ...[severity, shorten(oneLine(title), MAX_TITLE), formatLocation(file, line) ?? '', oneLine(reason)],
  ]);
  const more = gate.total - rows.length;
  return [
    ...(rows.length > 0 ? [table(rows, { left: true })] : []),
    ...(more > 0 ? [`${more} more`] : []),
  ].join('\n');
}

const MAX_TITLE = 80;

/** The rows at the end of a scan: new, known, regressed, gone, refused and pending findings by severity. */
export function summaryRows({ outcome: { tally }, gone }: ScanResult): (string | number)[][] {
  const row = (label: string, counts: BySeverity) => [label, sum(counts), ...counts];
  const rowIfAny = (label: string, counts: BySeverity) => (sum(counts) > 0 ? [row(label, counts)] : []);
  return [
    ['', 'total', ...SEVERITIES],
    row('new', tally.fresh),
    row('seen again', tally.seenAgain),
    ...rowIfAny('regressed', tally.regressed),
    ...(gone === undefined ? [] : [['gone', gone, ...SEVERITIES.map(() => '')]]),
    ...rowIfAny('refused', tally.refused),
    ...rowIfAny('not delivered', tally.pending),
  ];
}

export const summaryTable = (result: ScanResult): string => table(summaryRows(result));

/** The content of {@link summaryTable} and the remarks of the tools as JSON. */
export function summaryJson(result: ScanResult, extra: object) {
  const { outcome, content, gone } = result;
  const { scanId, tally, fresh, seenAgain, regressed, refused, pending, stopped } = outcome;
  return {
    scan_id: scanId,
    ...extra,
    ...(result.gate && { gate: gateOf(result)?.response ?? null }),
    total: sum(tally.total),
    new: fresh,
    seen_again: seenAgain,
    regressed,
    gone: gone ?? null,
    refused,
    not_delivered: pending,
    severities: Object.fromEntries(SEVERITIES.map((severity, i) => [severity, tally.total[i]])) as Record<
      Severity,
      number
    >,
    errors: firstMessages(content.errors, MAX_MESSAGES),
    warnings: firstMessages(content.warnings, MAX_MESSAGES),
    skipped: content.skipped,
    ...(stopped && { stopped: stopped.message }),
  };
}

const MAX_MESSAGES = 100;
