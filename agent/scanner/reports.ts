import { type Finding, SEVERITIES } from '../../lib/importers/finding.ts';
import { ReportError, type Workspace } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { maskObvious } from '../../lib/importers/text/secrets.ts';
import { UsageError } from '../errors.ts';
import type { Output } from '../output.ts';
import { quantity } from '../text.ts';

/** The content of one or more reports. */
export interface ReportContent {
  /** The names of the importers. */
  formats: string[];
  findings: Finding[];
  /** Why the findings are incomplete: errors of the tools and scanners that failed. */
  errors: string[];
  /** Remarks of the tools. */
  warnings: string[];
  /** Results that were not imported, by reason. */
  skipped: Record<string, number>;
}

export interface ReadOptions {
  /** The name of an importer. Default: detected. */
  format?: string | undefined;
  /** Replaces the source of the findings. */
  source?: string | undefined;
  migrate?: boolean | undefined;
}

/** Imports a report. @throws UsageError that names the file and the location of the error */
export function readReport(
  file: string,
  content: string | Uint8Array,
  workspace: Workspace,
  { format: expected, source, migrate }: ReadOptions,
  output: Output,
): ReportContent {
  try {
    const { format, findings, errors, warnings, skipped } = importReport(content, workspace, {
      format: expected,
      migrate,
    });
    output.note(`${file}: ${quantity(findings.length, 'finding')} (${format})`);
    const prefixed = (messages: string[]) => messages.map((message) => `${file}: ${message}`);
    return {
      formats: [format],
      findings: source === undefined ? findings : findings.map((found) => ({ ...found, source })),
      errors: prefixed(errors),
      warnings: prefixed(warnings),
      skipped,
    };
  } catch (error) {
    if (error instanceof ReportError) throw new UsageError(`${file}: ${maskObvious(error.message)}`);
    throw error;
  }
}

/**
 * Combines reports. A finding that several reports contain is reported once, as the report with the highest severity rates it.
 * A previous fingerprint that identifies a finding of another report, or that two findings claim, is not used.
 */
export function combineReports(reports: readonly ReportContent[]): ReportContent {
  const findings = new Map<string, Finding>();
  const claims = new Map<string, Set<string>>();
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count: number) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const report of reports) {
    for (const finding of report.findings) {
      const { fingerprint, severity, previous_fingerprints = [] } = finding;
      const known = findings.get(fingerprint);
      if (known) skip('another report contains them', 1);
      if (!known || SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(known.severity))
        findings.set(fingerprint, finding);
      for (const previous of previous_fingerprints)
        claims.set(previous, (claims.get(previous) ?? new Set()).add(fingerprint));
    }
    for (const [reason, count] of Object.entries(report.skipped)) skip(reason, count);
  }
  const isFree = (previous: string) => !findings.has(previous) && claims.get(previous)?.size === 1;
  return {
    formats: [...new Set(reports.flatMap(({ formats }) => formats))],
    findings: [...findings.values()].map(({ previous_fingerprints = [], ...finding }) => {
      const free = previous_fingerprints.filter(isFree);
      return free.length > 0 ? { ...finding, previous_fingerprints: free } : finding;
    }),
    errors: reports.flatMap(({ errors }) => errors),
    warnings: reports.flatMap(({ warnings }) => warnings),
    skipped,
  };
}

export const skippedCount = ({ skipped }: ReportContent): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, 0);

const MAX_LISTED = 10;
const MAX_MESSAGE = 500;

export const shorten = (text: string, max = MAX_MESSAGE): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

/** The first messages of a list, shortened, and how many more there are. */
export function firstMessages(messages: readonly string[], max = MAX_LISTED): string[] {
  const shown = messages.slice(0, max).map((message) => shorten(message));
  return messages.length > max ? [...shown, `${messages.length - max} more`] : shown;
}

/** Prints what the reports say besides findings. */
export function printRemarks({ errors, warnings, skipped }: ReportContent, output: Output): void {
  for (const message of firstMessages(errors)) output.warn(`incomplete: ${message}`);
  for (const message of firstMessages(warnings)) output.warn(message);
  const reasons = Object.entries(skipped);
  for (const [reason, count] of reasons.slice(0, MAX_LISTED))
    output.note(`${quantity(count, 'result')} ${count === 1 ? 'was' : 'were'} skipped: ${shorten(reason)}`);
  if (reasons.length > MAX_LISTED)
    output.note(`results were skipped for ${reasons.length - MAX_LISTED} more reasons`);
}

/** The error message of a scan whose findings are incomplete. */
export const scanMessage = (errors: readonly string[]): string => firstMessages(errors).join('\n');
