import { defineConfig } from 'vitest/config';
import { SUITES } from './tests/support/edge/suites.ts';
import { limits } from './tests/support/run/limits.ts';
import { createProgress } from './tests/support/run/progress.ts';
import { openRun } from './tests/support/run/run.ts';
import { LongestFirst } from './tests/support/run/sequence.ts';

/** Seconds on the reference machine. */
const EXPECTED_S = 210;

await openRun();

// The suites of the API once more, against the worker in workerd.
export default defineConfig({
  test: {
    ...limits(),
    maxWorkers: 2,
    isolate: false,
    reporters: ['default', createProgress(EXPECTED_S)],
    sequence: { sequencer: LongestFirst },
    provide: { observedDir: process.env.SVC_OBSERVED_DIR ?? '' },
    include: ['tests/edge/**/*.test.ts', ...SUITES],
    globalSetup: [
      'tests/support/run/build.ts',
      'tests/support/database/postgres.ts',
      'tests/support/edge/setup.ts',
      'tests/support/contract/forget.ts',
    ],
    setupFiles: ['tests/support/run/setup.ts', 'tests/support/edge/skip.ts'],
  },
});
