import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '../logger.ts';
import { createMetricsSum } from '../metrics/sum.ts';
import { createHandover } from './handover.ts';
import { forwardLines } from './whole-lines.ts';
import type { ToPrimary, ToWorker } from './worker.ts';

/** Several processes that serve one port. */
export interface Workers {
  /**
   * Starts them, then listens; resolves with the port. From then on one that ends is replaced.
   * @throws WorkerFailed when one does not start
   */
  start(port: number, host: string | undefined): Promise<number>;
  /** Tells all to stop; resolves when they have ended and all they said is passed on. */
  stop(): Promise<void>;
}

export interface WorkersOptions {
  /** The program; it connects with `connectPrimary`. */
  file: string;
  count: number;
  /** The environment of a worker. They are counted from 1; a replacement keeps the number. */
  env: (number: number) => NodeJS.ProcessEnv;
  /** All that `stop` takes. A worker is told how much of it is left; one that takes longer is killed. */
  stopTimeoutMs: number;
  log: Logger;
}

/** A worker does not start; the message says why in its own words. */
export class WorkerFailed extends Error {}

/** A worker that has not told its numbers by then is counted with what it said last. */
const REPORT_MS = 1_000;
const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 30_000;
/** Who has lived for so long is replaced like the first one that ended. */
const STEADY_MS = 60_000;

/** The primary's side: starts workers, gives them connections, passes their output on, sums their metrics. */
export function createWorkers({ file, count, env, stopTimeoutMs, log }: WorkersOptions): Workers {
  const running = new Set<ChildProcess>();
  const serving = new Set<ChildProcess>();
  const connections = createHandover(log);
  const metrics = createMetricsSum<ChildProcess>();
  /** Who has still to tell their numbers, by round of asking. */
  const rounds = new Map<number, { missing: Set<ChildProcess>; done: () => void }>();
  let lastRound = 0;
  let started = false;
  let stopping = false;
  // What nobody reads any more is dropped.
  process.stderr.on('error', () => {});

  return {
    async start(port, host) {
      await Promise.all(Array.from({ length: count }, (_, index) => launch(index + 1)));
      if (stopping) throw new WorkerFailed('stopped at its start');
      const actual = await connections.listen(port, host);
      started = true;
      return actual;
    },
    async stop() {
      stopping = true;
      const deadline = Date.now() + stopTimeoutMs;
      await connections.close();
      await Promise.all([...running].map((child) => end(child, deadline)));
    },
  };

  /**
   * Resolves when the worker serves.
   * @param deaths how many before it, with this number, have ended soon
   */
  function launch(number: number, deaths = 0): Promise<void> {
    const child = fork(file, { env: env(number), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const began = Date.now();
    let reason: string | undefined;
    running.add(child);
    for (const name of ['stdout', 'stderr'] as const) {
      const said = child[name];
      if (said) forwardLines(said, process[name]);
    }
    child.on('error', (error) => {
      reason ??= error.message;
    });
    return new Promise((resolve, reject) => {
      child.on('message', (message: ToPrimary) => {
        if (message.type === 'failed') reason = message.reason;
        if (message.type === 'taken') connections.takesNext(child);
        if (message.type === 'metrics') void sendMetrics(child, message.id);
        if (message.type === 'report') {
          metrics.update(child, message.values);
          told(child, message.round);
        }
        if (message.type === 'ready') {
          serving.add(child);
          connections.takesNext(child);
          log.info('worker started', { worker: number, pid: child.pid });
          resolve();
        }
      });
      // Not `exit`: what it said last comes after that.
      child.once('close', (code, signal) => {
        running.delete(child);
        const served = serving.delete(child);
        connections.left(child);
        metrics.ended(child);
        for (const round of rounds.keys()) told(child, round);
        const how = signal ?? `exit code ${code}`;
        if (!served) reject(new WorkerFailed(reason ?? `a worker ended at its start (${how})`));
        if (stopping || !(served || started)) return;
        const soon = Date.now() - began < STEADY_MS ? deaths : 0;
        const delay = Math.min(FIRST_DELAY_MS * 2 ** soon, LAST_DELAY_MS);
        log.error('worker ended', { worker: number, pid: child.pid, how, reason, next_in_ms: delay });
        setTimeout(() => {
          // If it does not start either, it says so as it ends.
          if (!stopping) launch(number, soon + 1).catch(() => {});
        }, delay);
      });
    });
  }

  async function end(child: ChildProcess, deadline: number): Promise<void> {
    const closed = once(child, 'close');
    const late = setTimeout(() => {
      log.warn('worker does not stop, and is killed', { pid: child.pid });
      child.kill('SIGKILL');
    }, deadline - Date.now());
    tell(child, { type: 'stop', timeoutMs: deadline - Date.now() });
    await closed;
    clearTimeout(late);
  }

  async function sendMetrics(child: ChildProcess, id: number): Promise<void> {
    const round = ++lastRound;
    await new Promise<void>((done) => {
      rounds.set(round, { missing: new Set(serving), done });
      setTimeout(done, REPORT_MS).unref();
      for (const worker of serving) tell(worker, { type: 'report', round });
    });
    rounds.delete(round);
    tell(child, { type: 'metrics', id, text: await metrics.render() });
  }

  function told(child: ChildProcess, round: number): void {
    const asked = rounds.get(round);
    asked?.missing.delete(child);
    if (asked?.missing.size === 0) asked.done();
  }
}

/** An error means that the worker is about to end, which is seen elsewhere. */
function tell(child: ChildProcess, message: ToWorker): void {
  child.send(message, () => {});
}
