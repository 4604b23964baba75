import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
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
  const release = failOnSignal(reporter, scanner.stop);
  try {
    // So that it is seen to run; the scanner does not wait for it.
    void reporter.start().catch(() => {});
    const { text, from } = await scanner.output;
    await push(read(text, from));
  } catch (error) {
    await reporter.fail((error as Error).message);
    release();
    throw error;
  }
  const outcome = await reporter.complete();
  release();
  return conclude(outcome, session, flags);
}

const SECRET_NAME = /^SVC_.*(?:KEY|TOKEN|SECRET|PASSWORD)/i;

/**
 * The environment of a scanner: without SVC_API_KEY, the other secrets of this service, and every variable that holds
 * the key under another name. Scanners run code of the repository, such as its build scripts and plugins.
 */
function scannerEnv(env: NodeJS.ProcessEnv, apiKey: string | undefined): NodeJS.ProcessEnv {
  const isSecret = ([name, value = '']: [string, string | undefined]) =>
    SECRET_NAME.test(name) || (apiKey !== undefined && value.includes(apiKey));
  return Object.fromEntries(Object.entries(env).filter((entry) => !isSecret(entry)));
}

interface Scanner {
  /** Its report, and where that comes from; many scanners exit with an error when they have found something. */
  output: Promise<{ text: string; from: string }>;
  /** Stops it and whatever it has started; resolves when it is gone. */
  stop(): Promise<void>;
}

const GRACE_MS = 2_000;

/** Starts a scanner. @param options.report the file it writes; else its stdout is the report */
function startScanner(
  [program = '', ...args]: string[],
  { report, workspace, env }: { report: string | undefined; workspace: string; env: NodeJS.ProcessEnv },
): Scanner {
  const before = report && versionOf(report);
  // In a group of its own, so that all of it can be stopped.
  const child = spawn(program, args, {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    // Of a report in a file the output is for people.
    if (report) process.stderr.write(chunk);
    else chunks.push(chunk);
  });
  const closed = once(child, 'close');

  async function output() {
    const [code, signal] = await closed.catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${program}: cannot be run (${error.code})`);
    });
    if (signal) throw new UsageError(`${program} was ended by ${signal}`);
    if (!report) {
      const text = Buffer.concat(chunks).toString('utf8');
      if (text.trim() === '' && code !== 0) {
        throw new UsageError(`${program} has written no report (exit code ${code})`);
      }
      return { text, from: program };
    }
    // One that was there before says nothing of this run.
    const now = versionOf(report);
    if (now === undefined || now === before) {
      throw new UsageError(`${program} has written no report to ${report} (exit code ${code})`);
    }
    return { text: readFileSync(report, 'utf8'), from: report };
  }

  function signalGroup(signal: NodeJS.Signals): void {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It is gone, or this system has no groups.
      child.kill(signal);
    }
  }

  return {
    output: output(),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      signalGroup('SIGTERM');
      const timer = setTimeout(() => signalGroup('SIGKILL'), GRACE_MS);
      await closed.catch(() => {});
      clearTimeout(timer);
    },
  };
}

/** What changes when a file is written; undefined when there is none. */
function versionOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}
