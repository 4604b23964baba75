import { ReportError, UnknownFormatError, type Workspace } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { importInParts, type PartsOptions } from '../../lib/importers/parts/index.ts';
import { maskObvious } from '../../lib/importers/text/credentials.ts';
import { firstMessages, shorten } from '../../lib/importers/text/messages.ts';
import { UsageError } from '../errors.ts';
import type { Output } from '../output.ts';
import { quantity } from '../text.ts';
import type { State } from '../trust/state.ts';
import { combineFindings, type Findings, listOf, mapFindings } from './findings.ts';
import { unpack } from './report-file.ts';
import { fileStore, type RawReport, sizes } from './spool.ts';

export { firstMessages, scanMessage, shorten } from '../../lib/importers/text/messages.ts';

/** The content of one or more reports. */
export interface ReportContent {
  /** The names of the importers. */
  formats: string[];
  /** The scanners that ran, also those that found nothing. */
  sources: string[];
  /** Identifies the scanned thing, if the report does. */
  category?: string | undefined;
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
  /** Where the results of a large report are kept meanwhile. */
  state: Pick<State, 'directory'>;
  /** Whether there are no other reports, so that messages need not name the file. */
  isOnly?: boolean | undefined;
}

/** Imports a report. @throws UsageError that names the file and the location of the error */
export async function readReport(
  file: string,
  content: RawReport,
  workspace: Workspace,
  { format: expected, source, migrate, state, isOnly }: ReadOptions,
  output: Output,
): Promise<ReportContent> {
  try {
    const imported = await importContent(unpack(content), workspace, {
      ...{ format: expected, migrate },
      createStore: () => fileStore(state),
    });
    const { format, sources, category, findings, errors, warnings, skipped } = imported;
    output.note(`${file}: ${quantity(findings.count, 'finding')} (${format || 'no tool'})`);
    const prefixed = (messages: string[]) =>
      isOnly ? messages : messages.map((message) => `${file}: ${message}`);
    return {
      formats: format ? [format] : [],
      sources: source === undefined ? sources : [source],
      category,
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

async function importContent(content: RawReport, workspace: Workspace, options: PartsOptions) {
  if (content instanceof Uint8Array) {
    const { findings, ...remarks } = importReport(content, workspace, options);
    return { ...remarks, findings: listOf(findings) };
  }
  const { count, findings, ...remarks } = await importInParts(content, workspace, options, sizes.parts);
  return { ...remarks, findings: { count, batches: findings } };
}

function named(file: string, error: unknown): unknown {
  if (!(error instanceof ReportError || error instanceof UsageError)) return error;
  const advice =
    error instanceof UnknownFormatError
      ? '. Set it with --format, or use another output of the tool, such as JSON or SARIF.'
      : '';
  return new UsageError(`${file}: ${maskObvious(error.message)}${advice}`);
}

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
    sources: [...new Set(reports.flatMap(({ sources }) => sources))],
    category: reports[0]?.category,
    findings,
    errors: reports.flatMap(({ errors }) => errors),
    warnings: reports.flatMap(({ warnings }) => warnings),
    skipped,
  };
}

export const skippedCount = ({ skipped }: ReportContent): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, 0);

const MAX_LISTED = 10;

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
