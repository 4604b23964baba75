import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SUITES } from './tests/support/edge/suites.ts';

// The suites of the API once more, against the worker in workerd.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    isolate: false,
    provide: { observedDir: mkdtempSync(join(tmpdir(), 'svc-observed-')) },
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
