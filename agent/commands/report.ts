import { readFileSync } from 'node:fs';
import { SEVERITIES } from '../../lib/importers/finding.ts';
import { UsageError } from '../errors.ts';
import { table } from '../output.ts';
import { combineReports, printRemarks, type ReportContent, readReport } from '../scanner/reports.ts';
import { quantity } from '../text.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { type Session, startSession } from './common.ts';
import { deliver, failOnSignal, startScan } from './deliver.ts';
import { EXIT, type ScanFlags } from './options.ts';

/** Pushes the findings of reports as one scan. @returns the exit code */
export async function report(files: string[], flags: ScanFlags): Promise<number> {
  const session = startSession(flags);
  // All reports are read before anything is pushed.
  const read = await createReader(session, flags);
  const content = combineReports(files.map((file) => read(file, readBytes(file))));
  printRemarks(content, session.output);
  if (flags.dryRun) return showFindings(content, session, flags);
  const scan = startScan(session, flags);
  const removeHandlers = failOnSignal(scan.reporter);
  const code = await deliver(scan, content, session, flags);
  removeHandlers();
  return code;
}

/** @returns a function that imports a report @throws UsageError if the path prefix is invalid */
export async function createReader({ settings, output }: Session, flags: ScanFlags) {
  const { format, source, pathPrefix, migrateFingerprints: migrate } = flags;
  const workspace = await openWorkspace({ directory: settings.workspace, pathPrefix });
  return (file: string, content: string | Uint8Array): ReportContent =>
    readReport(file, content, workspace, { format, source, migrate }, output);
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
export function showFindings(
  { findings, errors }: ReportContent,
  { output }: Session,
  flags: ScanFlags,
): number {
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
  if (limit !== undefined && findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= limit))
    return EXIT.failOn;
  return errors.length > 0 && !flags.allowScannerErrors ? EXIT.scanner : EXIT.ok;
}
