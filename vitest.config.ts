import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const CONTRACT = 'tests/contract.test.ts';

// This file is read once per project; all of them mean one directory.
process.env.SVC_OBSERVED_DIR ??= mkdtempSync(join(tmpdir(), 'svc-observed-'));

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Each file has a database of its own. Three at a time keep two cores busy: a good part of the time is waiting.
    maxWorkers: 3,
    // There are no module-level singletons: what suites import is loaded once per worker.
    isolate: false,
    setupFiles: 'tests/support/setup.ts',
    provide: { observedDir: process.env.SVC_OBSERVED_DIR },
    projects: [
      {
        extends: true,
        test: {
          name: 'api',
          include: ['tests/**/*.test.ts'],
          // Those of the edge: see vitest.edge.config.ts.
          exclude: [CONTRACT, 'tests/edge/**'],
          globalSetup: [
            'tests/support/build.ts',
            'tests/support/postgres.ts',
            'tests/browser/support/chromium.ts',
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // Looks at what all others have seen, and so comes last.
        test: {
          name: 'contract',
          include: [CONTRACT],
          globalSetup: 'tests/support/forget.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
