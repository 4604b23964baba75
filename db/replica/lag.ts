/** A position of the primary's log, and when it was read (`performance.now()`). */
export interface Sample {
  at: number;
  lsn: bigint;
}

/** Positions that were not replayed yet. Above this number every second one is forgotten, which only makes the lag less exact. */
const MAX_SAMPLES = 1_000;

/**
 * Measures for how long a standby has not replayed what the primary had committed. It compares positions of the log, so the lag
 * does not grow while nothing is written, and the clocks of the two machines do not matter.
 */
export function createLagMeter() {
  let waiting: Sample[] = [];
  return {
    /** @returns milliseconds */
    measure(primary: Sample, replayed: bigint): number {
      if ((waiting.at(-1)?.lsn ?? -1n) < primary.lsn) waiting.push(primary);
      const done = waiting.findIndex(({ lsn }) => lsn > replayed);
      waiting.splice(0, done === -1 ? waiting.length : done);
      if (waiting.length > MAX_SAMPLES) waiting = waiting.filter((_, i) => i % 2 === 0);
      const [oldest] = waiting;
      return oldest ? primary.at - oldest.at : 0;
    },
  };
}
