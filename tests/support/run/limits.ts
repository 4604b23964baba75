/**
 * How many times slower than the reference machine this one was when the run began (see calibrate.ts); 1 outside of a run.
 */
export const slowness = (): number => Number(process.env.SVC_TEST_LIMIT_FACTOR ?? 1);

/** How many times slower the machine may become while the run lasts. */
const MARGIN = 3;

/** A limit on time: `ms` on the reference machine, longer on a slower one. Every limit in the suite is one of these. */
export const limit = (ms: number): number => Math.round(ms * slowness() * MARGIN);

/** The default timeout of `vi.waitFor`, `vi.waitUntil` and `expect.poll`. */
export const WAIT_MS = 10_000;

/** The limits of a Vitest configuration. On the reference machine the slowest tests take a fifteenth of them. */
export const limits = () => ({
  testTimeout: limit(60_000),
  hookTimeout: limit(120_000),
  teardownTimeout: limit(60_000),
  // For machines that others use too. Tests that pass only when repeated are listed at the end.
  retry: Number(process.env.SVC_TEST_RETRIES ?? 0),
  expect: { poll: { timeout: limit(WAIT_MS), interval: 20 } },
});
