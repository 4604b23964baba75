import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import type { Finding } from '../finding.ts';
import { startSession } from './common.ts';
import { conclude, failOnSignal, startScan } from './deliver.ts';
import type { ScanFlags } from './options.ts';
import { readReport, showFindings } from './report.ts';

export interface RunFlags extends ScanFlags {
  /** The file the scanner writes its report to; else its stdout is the report. */
  report?: string;
}

/** Runs a scanner and brings what it found to the service. @returns the exit code */
export async function run(command: string[], flags: RunFlags): Promise<number> {
  const session = startSession(flags);
  if (flags.dryRun) {
    const { findings } = await scan(command, (text, from) => readReport(from, text, session, flags), flags);
    return showFindings(findings, session, flags);
  }
  const { reporter, push } = startScan(session, flags);
  let scanner: ChildProcess | undefined;
  const release = failOnSignal(reporter, () => stopScanner(scanner));
  // So that it is seen to run; when the service is away it is registered later.
  await reporter.start();
  try {
    const { findings } = await scan(
      command,
      (text, from) => readReport(from, text, session, flags),
      flags,
      (child) => {
        scanner = child;
      },
    );
    await push(findings);
  } catch (error) {
    release();
    await reporter.fail((error as Error).message);
    throw error;
  }
  const outcome = await reporter.complete();
  release();
  return conclude(outcome, session, flags);
}

/** Runs the scanner. Many exit with an error when they have found something: what counts is the report. */
async function scan(
  [program = '', ...args]: string[],
  read: (text: string, from: string) => Finding[],
  { report, workspace = '.' }: RunFlags,
  started: (child: ChildProcess) => void = () => {},
): Promise<{ findings: Finding[] }> {
  const child = spawn(program, args, { cwd: workspace, stdio: ['inherit', 'pipe', 'inherit'] });
  started(child);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    // Of a report in a file the output is for people.
    if (report) process.stderr.write(chunk);
    else chunks.push(chunk);
  });
  const [code, signal] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${program}: cannot be run (${error.code})`);
  });
  if (signal) throw new UsageError(`${program} was ended by ${signal}`);
  try {
    const text = report ? readFileSync(report, 'utf8') : Buffer.concat(chunks).toString('utf8');
    return { findings: read(text, report ?? program) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UsageError(`${program} has written no report to ${report} (exit code ${code})`);
    }
    if (error instanceof UsageError && code !== 0)
      throw new UsageError(`${error.message} (exit code ${code})`);
    throw error;
  }
}

const GRACE_MS = 2_000;

function stopScanner(child: ChildProcess | undefined): void {
  if (!child || child.exitCode !== null) return;
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
}
