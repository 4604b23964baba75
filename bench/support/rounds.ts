import { type WireRequest, wire } from '../../tests/support/http/requests.ts';
import { createWireClient } from '../../tests/support/http/wire-client.ts';
import type { ClosedLoad } from '../../tests/support/load/load.ts';
import { figureOf, type Rounds } from '../../tests/support/scenario/figure.ts';
import { type Scenario, type Scene, scenario } from '../../tests/support/scenario/scene.ts';
import { median } from '../../tests/support/scenario/stats.ts';

/** The options of all benchmarks. */
export interface BenchOptions extends Record<string, number> {
  /** Alternating rounds per measurement, of which the median counts. */
  rounds: number;
  /** Seconds of load per round. */
  seconds: number;
  /** Findings of the large organization. */
  rows: number;
}

/** A benchmark, listed in bench/run.ts. */
export const bench = (made: Pick<Scenario<BenchOptions>, 'summary' | 'run'>): Scenario =>
  scenario({ ...made, options: { rounds: 3, seconds: 6, rows: 1_000_000 }, minutes: 60 });

/** Something that can be measured again and again. */
export type Measure<T> = () => Promise<T>;

/**
 * Measures ours and its limit in alternating order, so that other work on the machine affects both. Each runs once
 * before it counts.
 */
export async function inTurns<T>(
  { site, database }: Scene,
  count: number,
  name: string,
  { ours, limit }: { ours: Measure<T>; limit?: Measure<T> | undefined },
  show: (result: T) => string,
): Promise<Rounds<T>> {
  const rounds: Rounds<T> = { ours: [], limit: [] };
  const turn = [...(limit ? (['limit'] as const) : []), 'ours' as const];
  const measures = { ours, limit };
  const { checkpoint } = await database();
  for (const who of turn) await measures[who]?.();
  for (let round = 1; round <= count; round++) {
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

/** The same for a single number, in a unit; @returns the fields of a figure */
export async function compare(
  scene: Scene,
  count: number,
  name: string,
  measures: { ours: Measure<number>; limit?: Measure<number> | undefined },
  unit: '/s' | ' ms',
) {
  const show = (value: number) => `${value.toLocaleString('en-US', { maximumSignificantDigits: 4 })}${unit}`;
  return figureOf(await inTurns(scene, count, name, measures, show), (value) => value);
}

/** Requests per second in a closed loop; any other answer than the expected one is an error. */
export const perSecond =
  ({ loader, site }: Scene, load: ClosedLoad): Measure<number> =>
  async () => {
    const { perSecond, errors } = await loader.run(load, site.workDir);
    if (errors > 0) throw new Error(`${errors} requests failed`);
    return perSecond;
  };

const SEQUENCE = 200;

/** The median time in milliseconds of requests sent one after the other on one connection. */
export const sequentially =
  (url: string, request: WireRequest, count = SEQUENCE): Measure<number> =>
  async () => {
    const client = createWireClient(url);
    const times: number[] = [];
    while (times.length < count) {
      const began = performance.now();
      const { status } = await client.exchange(wire(url, request));
      if (status !== 200) throw new Error(`${request.path}: ${status}`);
      times.push(performance.now() - began);
    }
    client.close();
    return median(times);
  };
