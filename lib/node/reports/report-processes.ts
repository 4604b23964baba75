import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ApiError } from '../../errors.ts';
import type { Refusal, ReportJob } from '../../reports/read.ts';
import { ExpensiveReport, type OpenReport, UnreadableReport } from '../../reports/reader.ts';
import { MAX_RATIO } from '../../reports/unwrap.ts';
import { limitCpu } from './cpu-limit.ts';
import { type Answer, createDialogue, EndedError, type ToReader } from './dialogue.ts';

export interface ReportProcesses {
  /** Reads a report. The caller limits how many are open at a time. @throws UnreadableReport */
  open(job: ReportJob): Promise<OpenReport>;
  /** The ids of all processes, for tests. */
  running(): number[];
}

export interface ReportProcessesOptions {
  /** The heap of a process. */
  heapMiB: number;
  /** Called with the stack of an importer that threw. */
  onBug(stack: string): void;
  /** Called when the system has ended a process, which read a report of this size: the machine or container has no memory left. */
  onOutOfMemory(bytes: number): void;
  /** The processor time for reading a report of this size, after which its process is killed. */
  cpuMs?: ((bytes: number) => number) | undefined;
  file?: string;
}

const { dirname: here } = import.meta;
/** The built program, whether this file runs from dist/ or from the source. */
const FILE = join(basename(here) === 'dist' ? here : join(here, '../../../dist'), 'report-process.js');

/**
 * The old generation is collected when it has grown by a third instead of to four times its size, which saves 45 MiB for a report
 * of 12 MB and costs no measurable processor time.
 */
const SMALL_HEAP = ['--max-semi-space-size=4', '--heap-growing-percent=30', '--single-threaded-gc'];

/** Nothing but to read its program and to be the first that ends when memory is short: no other files, processes or add-ons. */
function permissionsOf(file: string): string[] {
  const folder = dirname(file);
  return [
    process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
    `--allow-fs-read=${existsSync(folder) ? realpathSync(folder) : folder}/*`,
    '--allow-fs-write=/proc/self/oom_score_adj',
  ];
}

/**
 * Reports of scanners take 0.2 s and less than 0.2 s for each MiB; reports of nothing but findings with a short title, 4 s for each
 * MiB. The most is three times what the largest reports take: 64 MiB of XML, and 100,000 findings. Hostile reports are refused
 * earlier, by the number of their values and results. This limit ends what nobody has foreseen.
 */
export const cpuMsFor = (bytes: number): number => Math.min(60_000, 4_000 + (4_000 * bytes) / 2 ** 20);
/** A process that read a larger report is ended, which returns its memory. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const MAX_KEPT_FINDINGS = 5_000;
const IDLE_MS = 30_000;
/** Other large reports are imported by then. */
const OUT_OF_MEMORY_RETRY_S = 30;

/**
 * Creates a pool of processes that read reports, each one at a time. They start on demand and end when idle.
 *
 * Processes, because a thread does not protect the server from a hostile report: `JSON.parse` cannot be interrupted, and a
 * large allocation beyond the memory limit of a thread ends the whole process.
 */
export function createReportProcesses(options: ReportProcessesOptions): ReportProcesses {
  const { heapMiB, onBug, onOutOfMemory, cpuMs = cpuMsFor, file = FILE } = options;
  const permissions = permissionsOf(file);
  const all = new Set<ChildProcess>();
  const idle: { child: ChildProcess; timer: NodeJS.Timeout }[] = [];

  function start(): ChildProcess {
    const child = fork(file, {
      execArgv: [`--max-old-space-size=${heapMiB}`, ...SMALL_HEAP, ...permissions],
      // It has none of this process's secrets, and cannot read them from /proc.
      env: {},
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    all.add(child);
    // Errors without a listener would end the server. They are followed by `exit`, or by a timeout.
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    child.once('exit', () => {
      all.delete(child);
      const index = idle.findIndex((one) => one.child === child);
      if (index >= 0) clearTimeout(idle.splice(index, 1)[0]?.timer);
    });
    return child;
  }

  function acquire(): ChildProcess {
    const last = idle.pop();
    clearTimeout(last?.timer);
    const child = last?.child ?? start();
    // A report that is being read keeps the server alive; an idle process does not.
    child.ref();
    child.channel?.ref();
    return child;
  }

  function release(child: ChildProcess, keep: boolean): void {
    if (!keep || !child.connected) {
      child.kill('SIGKILL');
      return;
    }
    child.unref();
    child.channel?.unref();
    (child.stdin as { unref?: () => void } | null)?.unref?.();
    idle.push({ child, timer: setTimeout(() => child.kill('SIGKILL'), IDLE_MS).unref() });
  }

  return {
    async open({ body, ...job }) {
      const child = acquire();
      const { byteLength } = body;
      const watch = limitCpu(child, cpuMs(byteLength));
      // A compressed report has more time, but a small file of equal bytes does not.
      const dialogue = createDialogue(child, (bytes) =>
        watch.allow(cpuMs(Math.min(bytes, byteLength * MAX_RATIO))),
      );
      let isClosed = false;
      const close = (keep: boolean) => {
        if (!isClosed) release(child, keep);
        isClosed = true;
        watch.stop();
      };
      const ask = (question: ToReader, sent?: Uint8Array) =>
        dialogue(question, sent).catch((error) => {
          // A caller that stops reading early has the process killed.
          const wasClosed = isClosed;
          close(false);
          if (!(error instanceof EndedError)) throw error;
          const cause = causeOf(error, { child, exceeded: watch.exceeded(), heapMiB });
          if (cause instanceof OutOfMemory && !wasClosed) onOutOfMemory(byteLength);
          throw cause;
        });
      const answer = await ask({ kind: 'read', length: byteLength, ...job }, body);
      if (answer.kind !== 'read') {
        close(false);
        if (answer.kind === 'findings') throw new Error('the process answered another question');
        if (answer.bug !== undefined) onBug(answer.bug);
        throw new UnreadableReport(answer.refusal);
      }
      watch.hasRead();
      const isSmall = byteLength <= MAX_KEPT_BYTES && answer.head.count <= MAX_KEPT_FINDINGS;
      const { count } = answer.head;
      let received = 0;
      /** Asked in advance: the process makes the next findings while the last ones are written. */
      let ahead: Promise<Answer> | undefined;
      return {
        ...answer.head,
        async next() {
          if (received >= count) return [];
          const asked = ahead ?? ask({ kind: 'next' });
          ahead = undefined;
          const part = await asked.catch((error) => {
            throw error instanceof UnreadableReport ? interrupted(error.refusal, error) : error;
          });
          if (part.kind === 'refused') {
            if (part.bug !== undefined) onBug(part.bug);
            throw interrupted(part.refusal);
          }
          if (part.kind !== 'findings') throw new Error('the process answered another question');
          received += part.findings.length;
          if (received < count && !ahead) {
            ahead = ask({ kind: 'next' });
            ahead.catch(() => {});
          }
          return part.findings;
        },
        close() {
          const keep = isSmall && received >= count;
          // The answer to the last question must not be taken for one about the next report.
          if (keep && ahead) ahead.then(() => close(true)).catch(() => {});
          else close(keep);
        },
      };
    },
    running: () => [...all].flatMap(({ pid }) => pid ?? []),
  };
}

/** The error of a report whose process has ended. */
function causeOf(
  error: EndedError,
  { child, exceeded, heapMiB }: { child: ChildProcess; exceeded: number | undefined; heapMiB: number },
): Error {
  // The system and the limits end it with a signal.
  if (child.exitCode !== null)
    return new Error(`the process that reads reports exited with ${child.exitCode}`);
  if (error.isLate)
    return new ApiError('server_error/unavailable', {
      message: 'The server is too busy to read the report.',
      cause: error,
    });
  // Only the system sends it without a limit being exceeded. V8 aborts a process whose heap is full.
  if (exceeded === undefined && child.signalCode === 'SIGKILL') return new OutOfMemory(error);
  return exceeded === undefined
    ? new ExpensiveReport(
        `Reading the report takes more than ${heapMiB} MiB of memory: split it, or send SARIF, which is read in parts`,
      )
    : new ExpensiveReport(
        `The report takes more than ${Math.round(exceeded / 100) / 10} seconds of processor time to read`,
      );
}

/** The system has ended the process. Sent again when no other large report is read, the report may be imported. */
class OutOfMemory extends ApiError {
  constructor(cause: Error) {
    const message = 'The server had no memory left to read the report. Send it again later.';
    super('rate_limit_error/exceeded', { message, retryAfter: OUT_OF_MEMORY_RETRY_S, cause });
  }
}

/** The error of a report of which findings may be stored already: its scan is kept, and fails. */
const interrupted = ({ message }: Refusal, cause?: Error): ApiError =>
  new ApiError('validation_error/invalid_body', { message: `${message}. Its scan is incomplete.`, cause });
