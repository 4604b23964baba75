import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: 'tests/support/postgres.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Each file has a database of its own; two at a time is what two cores can take.
    maxWorkers: 2,
  },
});
