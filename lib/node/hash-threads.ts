import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';

/** A password to hash, or to check against the stored hash. */
export interface HashJob {
  password: string;
  stored?: string;
  options?: Options;
}

/** Threads that hash passwords, one at a time each. */
export interface HashThreads {
  /** Runs a job on a thread that is free; a new one is started when there is none. The caller bounds how many run at once. */
  run(job: HashJob): Promise<string | boolean>;
  /** The threads that run now. */
  running(): readonly Worker[];
}

/** Beside this file, and beside the built server. */
const FILE = fileURLToPath(new URL('argon2-thread.mjs', import.meta.url));
/** A thread that has not answered by then is ended. */
const MAX_RUN_MS = 30_000;

/**
 * Starts threads when they are first needed and keeps them. None of them keeps the process alive. A thread that ends
 * fails the job it has, and no other.
 */
export function createHashThreads(file = FILE, maxRunMs = MAX_RUN_MS): HashThreads {
  const all = new Set<Worker>();
  const idle: Worker[] = [];

  function start(): Worker {
    // Without the loaders, options and secrets of this process.
    const thread = new Worker(file, { execArgv: [], env: {} });
    all.add(thread);
    // Without a listener an error would end the process.
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
          clearTimeout(late);
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
        const ended = () => failed(new Error('the thread that hashed the password has ended'));
        const late = setTimeout(() => {
          failed(new Error(`the password was not hashed within ${maxRunMs} ms`));
          void thread.terminate();
        }, maxRunMs);
        thread.on('message', answered).on('error', failed).on('exit', ended);
        // The process waits for a hash that runs, as it does for any other work.
        thread.ref();
        thread.postMessage(job);
      }),
    running: () => [...all],
  };
}
