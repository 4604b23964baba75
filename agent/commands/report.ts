import { readFileSync } from 'node:fs';
import type { Finding } from '../../lib/importers/finding.ts';
import { SEVERITIES } from '../../lib/importers/finding.ts';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { UsageError } from '../errors.ts';
import { table } from '../output.ts';
import { quantity } from '../text.ts';
import { type Session, startSession } from './common.ts';
import { failOnSignal, reportOutcome, startScan } from './deliver.ts';
import { EXIT, type ScanFlags } from './options.ts';

/** Pushes the findings of reports as one scan. @returns the exit code */
export async function report(files: string[], flags: ScanFlags): Promise<number> {
  const session = startSession(flags);
  const findings = readReports(files, session, flags);
  if (flags.dryRun) return showFindings(findings, session, flags);
  const { reporter, push } = startScan(session, flags);
  const removeHandlers = failOnSignal(reporter);
  await push(findings);
  const outcome = await reporter.complete();
  removeHandlers();
  return reportOutcome(outcome, session, flags);
}

/** Reads all reports before anything is pushed. @throws UsageError if a report is unreadable */
function readReports(files: string[], session: Session, flags: ScanFlags): Finding[] {
  return deduplicate(files.flatMap((file) => readReport(file, readBytes(file), session, flags)));
}

/** Imports a report. @throws UsageError that names the file and the location of the error */
export function readReport(
  file: string,
  content: string | Uint8Array,
  { settings, output }: Session,
  flags: ScanFlags,
): Finding[] {
  try {
    const { format, findings } = importReport(
      content,
      { directory: settings.workspace },
      { format: flags.format },
    );
    output.note(`${file}: ${quantity(findings.length, 'finding')} (${format})`);
    return flags.source === undefined
      ? findings
      : findings.map((found) => ({ ...found, source: flags.source }));
  } catch (error) {
    if (error instanceof ReportError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

function deduplicate(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [finding.fingerprint, finding])).values()];
}

const STDIN = 0;

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? STDIN : file);
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const MAX_TITLE = 80;

/** Prints the findings of a dry run, most severe first. @returns the exit code */
export function showFindings(findings: readonly Finding[], { output }: Session, flags: ScanFlags): number {
  const sorted = findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  if (flags.json) output.json(sorted);
  else {
    const rows = sorted.map(({ severity, title, file = '', line }) => [
      severity,
      title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title,
      line === undefined ? file : `${file}:${line}`,
    ]);
    if (rows.length > 0) output.result(table(rows, { left: true }));
    output.note(`${quantity(findings.length, 'finding')}. Nothing was sent.`);
  }
  const limit = flags.failOn && SEVERITIES.indexOf(flags.failOn);
  const fails = limit !== undefined && findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= limit);
  return fails ? EXIT.failOn : EXIT.ok;
}
