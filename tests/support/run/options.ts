import { limits, WORKERS } from './limits.ts';
import { createProgress } from './progress.ts';
import { openRun } from './run.ts';
import { SlowFirst } from './sequence.ts';
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
    // Most objects die young. With V8's default of 16 MiB, collecting them took a twelfth of the processor time.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    sequence: { sequencer: SlowFirst },
    reporters: ['default', createProgress(), ...(times ? [reportTimes(times)] : [])],
    setupFiles: ['tests/support/run/setup.ts'],
    provide: { observedDir },
  };
}
