/**
 * Test files that run at the same time. Six keep two cores busy with the long suites: a good part of their time is waiting for
 * servers and browsers.
 */
export const WORKERS = 6;

/** The suites of `npm test` wait less: four keep two cores busy, and the app is loaded in each worker once. */
export const WORKERS_OF_API = 4;

/** How many times slower than two quiet cores a machine may be before a limit on time is exceeded. */
const MARGIN = 6;

/** A limit on time, for `ms` on two quiet cores. Every limit in the suite is one of these. */
export const limit = (ms: number): number => ms * MARGIN;

/** The default timeout of `vi.waitFor`, `vi.waitUntil` and `expect.poll`. */
export const WAIT_MS = 10_000;

/** The limits of a Vitest configuration. */
export const limits = () => ({
  testTimeout: limit(60_000),
  hookTimeout: limit(120_000),
  teardownTimeout: limit(60_000),
  // For machines that others use too. Tests that pass only when repeated are listed at the end.
  retry: Number(process.env.SVC_TEST_RETRIES ?? 0),
  expect: { poll: { timeout: limit(WAIT_MS), interval: 20 } },
});
