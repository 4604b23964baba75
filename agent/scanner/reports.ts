import { ReportError, type Workspace } from '../../lib/importers/importer.ts';
import { type ImportOptions, importReport } from '../../lib/importers/index.ts';
import { importInParts } from '../../lib/importers/parts/index.ts';
import { maskObvious } from '../../lib/importers/text/secrets.ts';
import { UsageError } from '../errors.ts';
import type { Output } from '../output.ts';
import { quantity } from '../text.ts';
import { combineFindings, type Findings, listOf, mapFindings } from './findings.ts';
import { unpack } from './report-file.ts';
import { type RawReport, sizes } from './spool.ts';

/** The content of one or more reports. */
export interface ReportContent {
  /** The names of the importers. */
  formats: string[];
  findings: Findings;
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
export async function readReport(
  file: string,
  content: RawReport,
  workspace: Workspace,
  { format: expected, source, migrate }: ReadOptions,
  output: Output,
): Promise<ReportContent> {
  try {
    const imported = await importContent(unpack(content), workspace, { format: expected, migrate });
    const { format, findings, errors, warnings, skipped } = imported;
    output.note(`${file}: ${quantity(findings.count, 'finding')} (${format})`);
    const prefixed = (messages: string[]) => messages.map((message) => `${file}: ${message}`);
    return {
      formats: [format],
      findings: mapFindings(
        findings,
        (found) => (source === undefined ? found : { ...found, source }),
        (error) => named(file, error),
      ),
      errors: prefixed(errors),
      warnings: prefixed(warnings),
      skipped,
    };
  } catch (error) {
    throw named(file, error);
  }
}

async function importContent(content: RawReport, workspace: Workspace, options: ImportOptions) {
  if (content instanceof Uint8Array) {
    const { findings, ...remarks } = importReport(content, workspace, options);
    return { ...remarks, findings: listOf(findings) };
  }
  const { count, findings, ...remarks } = await importInParts(content, workspace, options, sizes.parts);
  return { ...remarks, findings: { count, batches: findings } };
}

const named = (file: string, error: unknown): unknown =>
  error instanceof ReportError || error instanceof UsageError
    ? new UsageError(`${file}: ${maskObvious(error.message)}`)
    : error;

/** Combines reports. A finding that several reports contain is reported once. */
export function combineReports(reports: readonly ReportContent[]): ReportContent {
  const { findings, repeated } = combineFindings(reports.map(({ findings }) => findings));
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count: number) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const report of reports) {
    for (const [reason, count] of Object.entries(report.skipped)) skip(reason, count);
  }
  if (repeated > 0) skip('another report contains them', repeated);
  return {
    formats: [...new Set(reports.flatMap(({ formats }) => formats))],
    findings,
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
