import type { Finding } from '../../lib/importers/finding.ts';
import { HashCounter, hashOf } from '../../lib/importers/parts/hashes.ts';

/** The findings of reports. Those of a large report are read from it when they are needed. */
export interface Findings {
  /** At most this many, because several reports may contain the same ones. */
  readonly count: number;
  /** Whether they may not fit into memory. */
  readonly isLarge: boolean;
  /** Can be called once. @throws UsageError if a report was changed meanwhile */
  batches(): AsyncIterable<readonly Finding[]>;
}

export const listOf = (findings: readonly Finding[]): Findings => ({
  count: findings.length,
  isLarge: false,
  async *batches() {
    yield findings;
  },
});

/** A finding that several reports contain is reported once, as the last of them describes it. */
export function combineFindings(all: readonly Findings[]): Findings {
  const [only] = all;
  if (only && all.length === 1) return only;
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    isLarge: all.some(({ isLarge }) => isLarge),
    async *batches() {
      const seen = new HashCounter();
      for (const findings of all.toReversed()) {
        for await (const batch of findings.batches())
          yield batch.filter(({ fingerprint }) => seen.add(hashOf(fingerprint)) === 0);
      }
    },
  };
}
