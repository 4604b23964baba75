import { limits, WORKERS } from './limits.ts';
import { createProgress } from './progress.ts';
import { openRun } from './run.ts';
import { reportTimes } from './times.ts';

/** Prepares the run, and returns the options that all configurations of Vitest share. */
export function runOptions() {
  openRun();
  const { SVC_OBSERVED_DIR: observedDir = '', SVC_TEST_TIMES: times } = process.env;
  return {
    ...limits(),
    maxWorkers: WORKERS,
    // Modules have no singletons, so suites of a worker can share the loaded modules.
    isolate: false,
    reporters: ['default', createProgress(), ...(times ? [reportTimes(times)] : [])],
    setupFiles: ['tests/support/run/setup.ts'],
    provide: { observedDir },
  };
}
