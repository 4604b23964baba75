import { defineConfig } from 'vitest/config';
import { WORKERS_OF_API } from './tests/support/run/limits.ts';
import { runOptions } from './tests/support/run/options.ts';

const CONTRACT = 'tests/http/contract.test.ts';
/** Browsers, injected faults, killed processes, inputs of hostile size. */
const LONG = 'tests/**/*.long.test.ts';

// `npm test` runs `api` and `contract`, `npm run test:all` runs `long`.
export default defineConfig({
  test: {
    ...runOptions(),
    projects: [
      {
        extends: true,
        test: {
          name: 'api',
          include: ['tests/**/*.test.ts'],
          // See vitest.edge.config.ts and vitest.citus.config.ts.
          exclude: [CONTRACT, LONG, 'tests/edge/**', 'tests/citus/**'],
          globalSetup: 'tests/support/run/prepare.ts',
          maxWorkers: WORKERS_OF_API,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Looks at what all suites of `api` have seen, and so comes last.
        test: {
          name: 'contract',
          include: [CONTRACT],
          globalSetup: 'tests/support/contract/forget.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [LONG],
          globalSetup: 'tests/support/run/prepare.ts',
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
