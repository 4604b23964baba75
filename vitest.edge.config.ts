import { defineConfig } from 'vitest/config';
import { SUITES } from './tests/support/edge/suites.ts';
import { limits } from './tests/support/limits.ts';
import { createProgress } from './tests/support/progress.ts';
import { openRun } from './tests/support/run.ts';

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
    provide: { observedDir: process.env.SVC_OBSERVED_DIR ?? '' },
    include: ['tests/edge/**/*.test.ts', ...SUITES],
    globalSetup: [
      'tests/support/build.ts',
      'tests/support/postgres.ts',
      'tests/support/edge/setup.ts',
      'tests/support/forget.ts',
    ],
    setupFiles: ['tests/support/setup.ts', 'tests/support/edge/skip.ts'],
  },
});
