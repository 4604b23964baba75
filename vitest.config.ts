import { defineConfig } from 'vitest/config';
import { WORKERS } from './tests/support/run/calibrate.ts';
import { limits } from './tests/support/run/limits.ts';
import { createProgress } from './tests/support/run/progress.ts';
import { openRun } from './tests/support/run/run.ts';
import { LongestFirst } from './tests/support/run/sequence.ts';

const CONTRACT = 'tests/http/contract.test.ts';
/** Seconds on the reference machine. */
const EXPECTED_S = 600;

await openRun();

export default defineConfig({
  test: {
    ...limits(),
    // Each file has a database of its own. Six at a time keep two cores busy: a good part of the time is waiting.
    maxWorkers: WORKERS,
    // There are no module-level singletons: what suites import is loaded once per worker.
    isolate: false,
    reporters: ['default', createProgress(EXPECTED_S)],
    sequence: { sequencer: LongestFirst },
    setupFiles: 'tests/support/run/setup.ts',
    provide: { observedDir: process.env.SVC_OBSERVED_DIR ?? '' },
    projects: [
      {
        extends: true,
        test: {
          name: 'api',
          include: ['tests/**/*.test.ts'],
          // See vitest.edge.config.ts and vitest.citus.config.ts.
          exclude: [CONTRACT, 'tests/edge/**', 'tests/citus/**'],
          globalSetup: 'tests/support/run/prepare.ts',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Looks at what all others have seen, and so comes last.
        test: {
          name: 'contract',
          include: [CONTRACT],
          globalSetup: 'tests/support/contract/forget.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
