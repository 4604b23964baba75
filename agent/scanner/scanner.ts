import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { ScannerError, UsageError } from '../errors.ts';
import type { State } from '../trust/state.ts';
import { describeNoReport, describeSignal, describeStartFailure } from './advice.ts';
import { failureSign } from './exit-codes.ts';
import { createPassthrough } from './passthrough.ts';
import { openReport } from './report-file.ts';
import { createSpool, type RawReport } from './spool.ts';

/** A scanner that has ended and written a report. */
export interface ScannerOutput {
  report: RawReport;
  /** Where the report is from: the program or a file. */
  from: string;
  code: number;
  /** Whether it printed that it failed, see {@link failureSign}. */
  hasSign: boolean;
  /** Whether a process that it started still holds its output. */
  isHeld: boolean;
}

export interface Scanner {
  /** Rejects with a UsageError if the scanner cannot be started, and with a ScannerError if it wrote no report. */
  output: Promise<ScannerOutput>;
  /** Stops the scanner and its child processes. Resolves when the scanner has exited. */
  stop(): Promise<void>;
}

export interface ScannerOptions {
  /** The file that the scanner writes its report to; undefined for its stdout. */
  report: string | undefined;
  workspace: string;
  env: NodeJS.ProcessEnv;
  /** Contains large reports while they are read. */
  state: Pick<State, 'directory'>;
  /** Whether the scanner may print nothing if it finds nothing. */
  mayBeEmpty?: boolean;
}

const GRACE_PERIOD_MS = 2_000;

/** How long the output of a scanner that has exited may be silent before the agent stops reading it. */
const SILENCE_MS = 5_000;

export function startScanner(
  command: readonly string[],
  { report, workspace, env, state, mayBeEmpty = false }: ScannerOptions,
): Scanner {
  const [program = '', ...args] = command;
  const previousVersion = report && fileVersion(report);
  // A separate process group, so that child processes can be stopped too.
  const child = spawn(program, args, {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const spool = createSpool(state);
  let spoolError: Error | undefined;
  const print = (text: string) => void process.stderr.write(text);
  const sign = failureSign(command);
  const [stdout, stderr] = [createPassthrough(print, sign), createPassthrough(print, sign)];
  child.stdout.on('data', (chunk: Buffer) => {
    // If the report is a file, stdout is human-readable output.
    if (report) stdout.push(chunk);
    else collect(chunk);
  });
  child.stderr.on('data', stderr.push);
  let hasEnded = false;
  const ended = endOf(child).finally(() => {
    hasEnded = true;
  });

  /** The disk may be full. The scanner is stopped, because its report is not complete. */
  function collect(chunk: Buffer): void {
    if (spoolError) return;
    try {
      spool.write(chunk);
    } catch (error) {
      spoolError = error as Error;
      signalGroup('SIGTERM');
    }
  }

  async function output(): Promise<ScannerOutput> {
    const { code, signal, isHeld } = await ended.catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(describeStartFailure(command, error));
    });
    stdout.end();
    stderr.end();
    if (spoolError) throw spoolError;
    if (signal) throw new ScannerError(describeSignal(program, signal));
    const result = { code, hasSign: stdout.hasSign() || stderr.hasSign(), isHeld };
    const written = report === undefined ? spool.end() : readNew(report);
    if (written === undefined || (isBlank(written) && (code !== 0 || !mayBeEmpty))) {
      throw new ScannerError(describeNoReport(command, code, report));
    }
    return { ...result, report: written, from: report ?? program };
  }

  /** An unchanged file is the report of an earlier run. */
  function readNew(path: string): RawReport | undefined {
    const version = fileVersion(path);
    return version === undefined || version === previousVersion ? undefined : openReport(path, state);
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
      if (hasEnded) return;
      signalGroup('SIGTERM');
      const timer = setTimeout(() => signalGroup('SIGKILL'), GRACE_PERIOD_MS);
      await ended.catch(() => {});
      clearTimeout(timer);
    },
  };
}

/**
 * Resolves when a scanner has exited and its output has ended. A process that it left running can hold the output open: the
 * agent stops reading when the output is silent.
 */
async function endOf(child: ChildProcessByStdio<null, Readable, Readable>) {
  const closed = once(child, 'close');
  const [code, signal] = (await Promise.race([once(child, 'exit'), closed])) as [number, NodeJS.Signals?];
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<boolean>((resolve) => {
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, SILENCE_MS, true);
    };
    child.stdout.on('data', restart);
    restart();
  });
  const isHeld = await Promise.race([silent, closed.then(() => false)]);
  clearTimeout(timer);
  if (isHeld) for (const stream of [child.stdout, child.stderr]) stream.destroy();
  return { code, signal, isHeld };
}
const MAX_BLANK = 1_000_000;

const isBlank = (report: RawReport): boolean =>
  report instanceof Uint8Array && report.length < MAX_BLANK && Buffer.from(report).toString().trim() === '';

/** A value that changes when the file is written; undefined if the file does not exist. */
function fileVersion(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

/** Also what a job of a CI system gets tokens with, which the service exchanges for a key. */
const SECRET_NAME =
  /^(?:SVC_.*(?:KEY|TOKEN|SECRET|PASSWORD)|ACTIONS_ID_TOKEN_REQUEST_|BUILDKITE_AGENT_(?:ACCESS_TOKEN$|JOB_API_)|CIRCLE_OIDC_TOKEN)/i;

/**
 * The environment of a scanner, without SVC_API_KEY, other secrets of this service and variables that contain the key
 * under another name. Scanners run code of the repository, such as build scripts and plugins.
 */
export function scannerEnv(env: NodeJS.ProcessEnv, apiKey: string | undefined): NodeJS.ProcessEnv {
  const isSecret = ([name, value = '']: [string, string | undefined]) =>
    SECRET_NAME.test(name) || (apiKey !== undefined && value.includes(apiKey));
  return Object.fromEntries(Object.entries(env).filter((entry) => !isSecret(entry)));
}
