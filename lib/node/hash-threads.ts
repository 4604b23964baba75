import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';

/** A password to hash, or to check against the stored hash. */
export interface HashJob {
  password: string;
  stored?: string;
  options?: Options;
}

/** A pool of threads that hash passwords, each one at a time. */
export interface HashThreads {
  /** Runs a job on an idle thread, or starts a new one. The caller limits how many jobs run at a time. */
  run(job: HashJob): Promise<string | boolean>;
  /** All threads, for tests. */
  running(): readonly Worker[];
}

/** In the same folder as this file, and as the built server. */
const FILE = fileURLToPath(new URL('argon2-thread.mjs', import.meta.url));
/** Timeout of a job, after which its thread is terminated. */
const MAX_RUN_MS = 30_000;

/**
 * Creates a pool that starts threads on demand and keeps them. Idle threads do not keep the process alive. If a thread ends,
 * only its own job fails.
 */
export function createHashThreads(file = FILE, maxRunMs = MAX_RUN_MS): HashThreads {
  const all = new Set<Worker>();
  const idle: Worker[] = [];

  function start(): Worker {
    // The thread does not inherit this process's loaders, options and secrets.
    const thread = new Worker(file, { execArgv: [], env: {} });
    all.add(thread);
    // An `error` event without a listener would end the process.
    thread.on('error', () => {});
    thread.once('exit', () => {
      all.delete(thread);
      const index = idle.indexOf(thread);
      if (index >= 0) idle.splice(index, 1);
    });
    return thread;
  }

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const thread = idle.pop() ?? start();
        const settle = () => {
          clearTimeout(timeout);
          thread.off('message', answered).off('error', failed).off('exit', ended);
          thread.unref();
        };
        const answered = ({ result, error }: { result: string | boolean; error?: Error }) => {
          settle();
          idle.push(thread);
          if (error) reject(error);
          else resolve(result);
        };
        const failed = (error: Error) => {
          settle();
          reject(error);
        };
        const ended = () => failed(new Error('the thread ended while it hashed the password'));
        const timeout = setTimeout(() => {
          failed(new Error(`the password was not hashed within ${maxRunMs} ms`));
          void thread.terminate();
        }, maxRunMs);
        thread.on('message', answered).on('error', failed).on('exit', ended);
        // A running job keeps the process alive.
        thread.ref();
        thread.postMessage(job);
      }),
    running: () => [...all],
  };
}
