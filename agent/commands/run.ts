import { resolve } from 'node:path';
import { importers } from '../../lib/importers/formats/index.ts';
import { ScannerError, UsageError } from '../errors.ts';
import { remarksOn } from '../scanner/advice.ts';
import { scannerFailure } from '../scanner/exit-codes.ts';
import { printRemarks, type ReportContent, skippedCount } from '../scanner/reports.ts';
import { type ScannerOutput, scannerEnv, startScanner } from '../scanner/scanner.ts';
import { missingTarget } from '../scanner/targets.ts';
import { startSession } from './common.ts';
import { deliver, failOnSignal, startScan } from './deliver.ts';
import type { ScanFlags } from './options.ts';
import { summarizeFailure } from './outcome.ts';
import { createReader, showFindings } from './report.ts';

export interface RunFlags extends ScanFlags {
  /** The file that the scanner writes its report to. Default: its stdout. */
  report?: string;
}

/** Runs a scanner and pushes its findings. @returns the exit code */
export async function run(command: string[], flags: RunFlags): Promise<number> {
  const session = startSession(flags);
  const { settings, output } = session;
  const options = {
    report: flags.report === undefined ? undefined : resolve(settings.workspace, flags.report),
    workspace: settings.workspace,
    state: session.state,
    env: scannerEnv(process.env, settings.apiKey.value),
    mayBeEmpty:
      flags.format !== undefined &&
      (importers.find(({ name }) => name === flags.format)?.acceptsEmptyReport ?? false),
  };
  const readFile = await createReader(session, flags);
  const read = async (result: ScannerOutput) => {
    const content = await readOutput(command, settings.workspace, result, () =>
      readFile(result.from, result.report),
    );
    printRemarks(content, output);
    return content;
  };
  if (flags.dryRun) {
    const removeHandlers = failOnSignal(undefined, () => scanner.stop());
    const scanner = startScanner(command, options);
    const result = await scanner.output.finally(removeHandlers);
    return showFindings(await read(result), session, flags);
  }
  const scan = await startScan(session, flags);
  const { reporter } = scan;
  // Before the scanner starts: a signal must not leave it running. Handlers run when `scanner` is set.
  const removeHandlers = failOnSignal(reporter, () => scanner.stop());
  const scanner = startScanner(command, options);
  let content: ReportContent;
  try {
    // Registers the scan early, so that it is shown as running. The scanner does not wait for the service.
    void reporter.start().catch(() => {});
    content = await read(await scanner.output);
  } catch (error) {
    await reporter.fail((error as Error).message);
    removeHandlers();
    summarizeFailure(error as Error, session, flags);
    throw error;
  }
  const code = await deliver(scan, content, session, flags);
  removeHandlers();
  return code;
}

/**
 * Imports the report of a scanner. An exit code that says that the scanner failed counts as an error.
 * @throws ScannerError if the scanner failed and its report is unreadable
 */
async function readOutput(
  command: readonly string[],
  workspace: string,
  { code, hasSign, isHeld }: ScannerOutput,
  read: () => Promise<ReportContent>,
): Promise<ReportContent> {
  let content: ReportContent;
  try {
    content = await read();
  } catch (error) {
    if (code === 0 || !(error instanceof UsageError)) throw error;
    throw new ScannerError(`${error.message} (exit code ${code})`);
  }
  const { findings, errors, warnings } = content;
  const result = { findings: findings.count, skipped: skippedCount(content), errors: errors.length };
  const failure =
    scannerFailure({ command, code, hasSign, ...result }) ??
    (findings.count === 0 ? missingTarget(command, workspace) : undefined);
  return {
    ...content,
    errors: failure === undefined ? errors : [failure, ...errors],
    warnings: [...warnings, ...remarksOn(command), ...(isHeld ? [LEFT_RUNNING] : [])],
  };
}

const LEFT_RUNNING =
  'the scanner left a process running that holds its output. The output of this process is not read.';
