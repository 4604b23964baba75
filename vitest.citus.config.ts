import { defineConfig } from 'vitest/config';
import { citusBinDir } from './tests/support/citus/cluster.ts';
import { SUITES } from './tests/support/citus/suites.ts';
import { limits } from './tests/support/run/limits.ts';
import { createProgress } from './tests/support/run/progress.ts';
import { openRun } from './tests/support/run/run.ts';
import { LongestFirst } from './tests/support/run/sequence.ts';

/** Seconds on the reference machine. */
const EXPECTED_S = 600;

await openRun();

// The suites of the API once more, on a Citus cluster. Without one (SVC_TEST_CITUS), those of the cluster itself are reported as skipped.
export default defineConfig({
  test: {
    ...limits(),
    maxWorkers: 2,
    isolate: false,
    reporters: ['default', createProgress(EXPECTED_S)],
    sequence: { sequencer: LongestFirst },
    provide: { observedDir: process.env.SVC_OBSERVED_DIR ?? '' },
    include: ['tests/citus/**/*.test.ts', ...(citusBinDir() ? SUITES : [])],
    globalSetup: [
      'tests/support/run/build.ts',
      'tests/support/citus/setup.ts',
      'tests/support/contract/forget.ts',
    ],
    setupFiles: ['tests/support/run/setup.ts', 'tests/support/citus/skip.ts'],
  },
});
