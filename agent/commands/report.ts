import { readFileSync } from 'node:fs';
import type { Finding } from '../../lib/importers/finding.ts';
import { SEVERITIES } from '../../lib/importers/finding.ts';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { UsageError } from '../errors.ts';
import { table } from '../output.ts';
import { type Session, startSession } from './common.ts';
import { conclude, failOnSignal, startScan } from './deliver.ts';
import { EXIT, type ScanFlags } from './options.ts';

/** Reads reports and brings their findings to the service. @returns the exit code */
export async function report(files: string[], flags: ScanFlags): Promise<number> {
  const session = startSession(flags);
  const findings = readReports(files, session, flags);
  if (flags.dryRun) return showFindings(findings, session, flags);
  const { reporter, push } = startScan(session, flags);
  const release = failOnSignal(reporter);
  await push(findings);
  const outcome = await reporter.complete();
  release();
  return conclude(outcome, session, flags);
}

/** The findings of all reports, each once. Nothing is pushed unless all can be read. @throws UsageError */
function readReports(files: string[], session: Session, flags: ScanFlags): Finding[] {
  return distinct(files.flatMap((file) => readReport(file, readText(file), session, flags)));
}

/** The findings of a report. @throws UsageError naming the file and the place */
export function readReport(
  file: string,
  text: string,
  { settings, output }: Session,
  flags: ScanFlags,
): Finding[] {
  try {
    const { format, findings } = importReport(text, { workspace: settings.workspace }, flags.format);
    output.note(`${file}: ${findings.length} findings (${format})`);
    return flags.source === undefined
      ? findings
      : findings.map((found) => ({ ...found, source: flags.source }));
  } catch (error) {
    if (error instanceof ReportError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

function distinct(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [finding.fingerprint, finding])).values()];
}

const STDIN = 0;

function readText(file: string): string {
  try {
    const bytes = readFileSync(file === '-' ? STDIN : file);
    // As PowerShell writes it.
    return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('utf8');
  } catch (error) {
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const MAX_TITLE = 80;

/** What would be pushed, most severe first. */
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
    output.note(`${findings.length} findings; nothing was sent.`);
  }
  const limit = flags.failOn && SEVERITIES.indexOf(flags.failOn);
  const fails = limit !== undefined && findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= limit);
  return fails ? EXIT.failOn : EXIT.ok;
}
