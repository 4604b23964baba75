/** Rows that one transaction of a clean-up changes at the most. */
export const BATCH_ROWS = 5_000;

/**
 * Repeats a statement that changes at most {@link BATCH_ROWS} rows until none are left for it. Each run is a transaction of
 * its own, so that row locks are short, and what is done stays done when the process dies.
 * @param change returns how many rows it has changed
 * @returns how many were changed in all
 */
export async function inBatches(change: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (;;) {
    const changed = await change();
    sum += changed;
    if (changed < BATCH_ROWS) return sum;
  }
}
