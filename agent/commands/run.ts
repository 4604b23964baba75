import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { startSession } from './common.ts';
import { failOnSignal, reportOutcome, startScan } from './deliver.ts';
import type { ScanFlags } from './options.ts';
import { readReport, showFindings } from './report.ts';

export interface RunFlags extends ScanFlags {
  /** The file that the scanner writes its report to. Default: its stdout. */
  report?: string;
}

/** Runs a scanner and pushes its findings. @returns the exit code */
export async function run(command: string[], flags: RunFlags): Promise<number> {
  const session = startSession(flags);
  const { workspace } = session.settings;
  const report = flags.report === undefined ? undefined : resolve(workspace, flags.report);
  const env = scannerEnv(process.env, session.settings.apiKey.value);
  const read = (text: string, from: string) => readReport(from, text, session, flags);
  if (flags.dryRun) {
    const { text, from } = await startScanner(command, { report, workspace, env }).output;
    return showFindings(read(text, from), session, flags);
  }
  const { reporter, push } = startScan(session, flags);
  const scanner = startScanner(command, { report, workspace, env });
  const removeHandlers = failOnSignal(reporter, scanner.stop);
  try {
    // Registers the scan early, so that it is shown as running. The scanner does not wait for the service.
    void reporter.start().catch(() => {});
    const { text, from } = await scanner.output;
    await push(read(text, from));
  } catch (error) {
    await reporter.fail((error as Error).message);
    removeHandlers();
    throw error;
  }
  const outcome = await reporter.complete();
  removeHandlers();
  return reportOutcome(outcome, session, flags);
}

const SECRET_NAME = /^SVC_.*(?:KEY|TOKEN|SECRET|PASSWORD)/i;

/**
 * The environment of a scanner, without SVC_API_KEY, other secrets of this service and variables that contain the key
 * under another name. Scanners run code of the repository, such as build scripts and plugins.
 */
function scannerEnv(env: NodeJS.ProcessEnv, apiKey: string | undefined): NodeJS.ProcessEnv {
  const isSecret = ([name, value = '']: [string, string | undefined]) =>
    SECRET_NAME.test(name) || (apiKey !== undefined && value.includes(apiKey));
  return Object.fromEntries(Object.entries(env).filter((entry) => !isSecret(entry)));
}

interface Scanner {
  /** The report and its source. The exit code is ignored: many scanners exit with an error if they find something. */
  output: Promise<{ text: string; from: string }>;
  /** Stops the scanner and its child processes. Resolves when the scanner has exited. */
  stop(): Promise<void>;
}

const GRACE_PERIOD_MS = 2_000;

/** Starts a scanner. @param options.report the file that it writes its report to; undefined for its stdout */
function startScanner(
  [program = '', ...args]: string[],
  { report, workspace, env }: { report: string | undefined; workspace: string; env: NodeJS.ProcessEnv },
): Scanner {
  const previousVersion = report && fileVersion(report);
  // A separate process group, so that child processes can be stopped too.
  const child = spawn(program, args, {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    // If the report is a file, stdout is human-readable output.
    if (report) process.stderr.write(chunk);
    else chunks.push(chunk);
  });
  const closed = once(child, 'close');

  async function output() {
    const [code, signal] = await closed.catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${program}: cannot be run (${error.code})`);
    });
    if (signal) throw new UsageError(`${program} was terminated by ${signal}`);
    if (!report) {
      const text = Buffer.concat(chunks).toString('utf8');
      if (text.trim() === '' && code !== 0) {
        throw new UsageError(`${program} wrote no report (exit code ${code})`);
      }
      return { text, from: program };
    }
    // An unchanged file is the report of an earlier run.
    const currentVersion = fileVersion(report);
    if (currentVersion === undefined || currentVersion === previousVersion) {
      throw new UsageError(`${program} wrote no report to ${report} (exit code ${code})`);
    }
    return { text: readFileSync(report, 'utf8'), from: report };
  }

  function signalGroup(signal: NodeJS.Signals): void {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The group has exited, or the system has no process groups.
      child.kill(signal);
    }
  }

  return {
    output: output(),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      signalGroup('SIGTERM');
      const timer = setTimeout(() => signalGroup('SIGKILL'), GRACE_PERIOD_MS);
      await closed.catch(() => {});
      clearTimeout(timer);
    },
  };
}

/** A value that changes when the file is written; undefined if the file does not exist. */
function fileVersion(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}
