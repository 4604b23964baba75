import { type Finding, SEVERITIES } from '../../lib/importers/finding.ts';
import { groupsOf } from '../../lib/importers/read/groups.ts';
import { UsageError } from '../errors.ts';
import { table } from '../output.ts';
import { openReport } from '../scanner/report-file.ts';
import { combineReports, printRemarks, type ReportContent, readReport, shorten } from '../scanner/reports.ts';
import type { RawReport } from '../scanner/spool.ts';
import { oneLine, quantity } from '../text.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { type Session, startSession } from './common.ts';
import { deliver, failOnSignal, startScan } from './deliver.ts';
import { EXIT, type ScanFlags } from './options.ts';

/**
 * Pushes the findings of reports as one scan. Reports about different things are a scan each: the service compares scans of the
 * same thing, whatever else a run scans. @returns the exit code
 */
export async function report(files: string[], flags: ScanFlags): Promise<number> {
  if (flags.dryRun && flags.explain)
    throw new UsageError('--dry-run asks no service, and --explain does: use one of them.');
  const session = startSession(flags);
  // All reports are read before anything is pushed.
  const read = await createReader(session, flags, files.length === 1);
  const reports: ReportContent[] = [];
  for (const file of files) reports.push(await read(file, openReport(file, session.state)));
  if (flags.dryRun) {
    const content = combineReports(reports);
    printRemarks(content, session.output);
    return showFindings(content, session, flags);
  }
  const scans = groupsOf(reports, ({ category = '' }) => flags.category ?? category);
  const codes: number[] = [];
  for (const scanned of scans) {
    const content = combineReports(scanned);
    if (scans.length > 1)
      session.output.note(
        content.category
          ? `Scan of ${shorten(oneLine(content.category), MAX_TITLE)}:`
          : 'Scan without a category:',
      );
    printRemarks(content, session.output);
    const act = flags.explain ? (await import('./explain.ts')).explain : send;
    codes.push(await act(content, session, flags));
  }
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

const WORST_FIRST = [EXIT.failOn, EXIT.usage, EXIT.scanner, EXIT.undelivered];

async function send(content: ReportContent, session: Session, flags: ScanFlags): Promise<number> {
  const scan = await startScan(session, flags, content);
  const removeHandlers = failOnSignal(scan.reporter);
  const code = await deliver(scan, content, session, flags);
  removeHandlers();
  return code;
}

/**
 * @param isOnly whether it reads one report
 * @returns a function that imports a report
 * @throws UsageError if the path prefix is invalid
 */
export async function createReader({ settings, output, state }: Session, flags: ScanFlags, isOnly = false) {
  const { format, source, pathPrefix, migrateFingerprints: migrate } = flags;
  const workspace = await openWorkspace({ directory: settings.workspace, pathPrefix });
  return (file: string, content: RawReport): Promise<ReportContent> =>
    readReport(file, content, workspace, { format, source, migrate, state, isOnly }, output);
}

const MAX_TITLE = 80;

/** Prints the findings of a dry run, most severe first; those of a large report in its order. @returns the exit code */
export async function showFindings(
  { findings, errors }: ReportContent,
  { output }: Session,
  flags: ScanFlags,
): Promise<number> {
  if (flags.failOnNew)
    output.warn('--fail-on-new has no effect with --dry-run, which asks no service. Use --fail-on.');
  const limit = flags.failOn && SEVERITIES.indexOf(flags.failOn);
  let isFailing = false;
  let count = 0;
  const all: Finding[] = [];
  for await (const batch of findings.batches()) {
    count += batch.length;
    isFailing ||= limit !== undefined && batch.some(({ severity }) => SEVERITIES.indexOf(severity) <= limit);
    // A call takes some hundred thousand arguments at most.
    if (findings.list) for (const finding of batch) all.push(finding);
    else if (flags.json) for (const finding of batch) output.json(finding);
    else output.result(rowsOf(batch));
    if (!findings.list) await output.drain();
  }
  const sorted = all.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  if (flags.json && findings.list) output.json(sorted);
  if (!flags.json && sorted.length > 0) output.result(rowsOf(sorted));
  if (!flags.json) output.note(`${quantity(count, 'finding')}. Nothing was sent.`);
  if (isFailing) return EXIT.failOn;
  return errors.length > 0 && !flags.allowScannerErrors ? EXIT.scanner : EXIT.ok;
}

function rowsOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ severity, title, file = '', line }) => [
    severity,
    title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title,
    line === undefined ? file : `${file}:${line}`,
  ]);
  return table(rows, { left: true });
}
