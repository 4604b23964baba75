import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A job that a helper process works on. */
export interface Running<Progress, Result> {
  /** The last report, undefined before the first. */
  progress(): Progress | undefined;
  /** Resolves when the job has reported progress that is enough; the first report by default. */
  reached(isEnough?: (progress: Progress) => boolean): Promise<void>;
  /** Rejects when the process exits before it has one. */
  result: Promise<Result>;
  /** Asks the job to finish, and resolves with its result. */
  stop(): Promise<Result>;
  /** Kills the process. */
  kill(): Promise<void>;
}

/** Runs a job in a process of its own, whose module calls {@link serveJob}. It ends with this process at the latest. */
export function startHelper<Job, Result, Progress = void>(
  module: string,
  job: Job,
): Running<Progress, Result> {
  const child = fork(module, { serialization: 'advanced' });
  const exited = once(child, 'exit');
  let progress: Progress | undefined;
  const result = new Promise<Result>((resolve, reject) => {
    child.on('message', (message: { progress: Progress } | { result: Result }) => {
      if ('result' in message) resolve(message.result);
      else progress = message.progress;
    });
    void exited.then(([code, signal]) => reject(new Error(`${module} exited with ${code ?? signal}`)));
  });
  result.catch(() => {});
  child.send({ job });
  return {
    result,
    progress: () => progress,
    async reached(isEnough = () => true) {
      while (progress === undefined || !isEnough(progress)) {
        await Promise.race([once(child, 'message'), exited.then(() => result)]);
      }
    },
    async stop() {
      child.send('stop');
      return result;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The context of a job. */
export interface JobContext<Progress> {
  /** Aborted when the job is to finish. */
  signal: AbortSignal;
  report(progress: Progress): void;
}

/** In the helper process: does the one job it is sent, and exits. */
export function serveJob<Job, Result, Progress = void>(
  work: (job: Job, context: JobContext<Progress>) => Promise<Result>,
): void {
  const stopped = new AbortController();
  process.on('message', async (message: { job: Job } | 'stop') => {
    if (message === 'stop') return stopped.abort();
    const report = (progress: Progress) => void process.send?.({ progress });
    const result = await work(message.job, { signal: stopped.signal, report });
    process.send?.({ result }, () => process.exit());
  });
  process.once('disconnect', () => process.exit());
}
