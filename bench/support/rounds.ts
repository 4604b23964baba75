import type { Stage } from '../../tests/support/scenario/figure.ts';
import { median } from '../../tests/support/scenario/stats.ts';

/** Something that can be measured again and again. */
export type Measure<T> = () => Promise<T>;

/** What the rounds of {@link inTurns} came to, in their order. */
export interface Rounds<T> {
  ours: T[];
  /** Empty when there is nothing to compare with. */
  limit: T[];
}

/**
 * Measures ours and its limit in turns, so that what else the machine does meets both; every other round in the
 * opposite order. Each is tried once before it counts.
 */
export async function inTurns<T>(
  { site, options, database }: Stage,
  name: string,
  { ours, limit }: { ours: Measure<T>; limit?: Measure<T> | undefined },
  show: (result: T) => string,
): Promise<Rounds<T>> {
  const rounds: Rounds<T> = { ours: [], limit: [] };
  const turn = [...(limit ? (['limit'] as const) : []), 'ours' as const];
  const measures = { ours, limit };
  const { checkpoint } = await database();
  for (const who of turn) await measures[who]?.();
  for (let round = 1; round <= options.rounds; round++) {
    const shown: string[] = [];
    for (const who of round % 2 ? turn : turn.toReversed()) {
      await checkpoint();
      const result = await (measures[who] as Measure<T>)();
      rounds[who].push(result);
      shown.push(`${who === 'ours' ? 'server' : 'limit'} ${show(result)}`);
    }
    site.say(`  ${name}, round ${round}: ${shown.sort().join(', ')}`);
  }
  return rounds;
}

/** Median and rounds of one number of them, as a figure takes them. */
export function figureOf<T>({ ours, limit }: Rounds<T>, read: (result: T) => number) {
  const values = ours.map(read);
  const limits = limit.map(read);
  return {
    value: median(values),
    ...(limits.length > 0 && { limit: median(limits) }),
    rounds: { values, ...(limits.length > 0 && { limits }) },
  };
}
