import type { BenchDatabase } from '../database/scratch.ts';
import type { SeededOrg, SeedOptions } from '../database/seed.ts';
import type { LoadGenerator } from '../load/load.ts';
import type { BenchServer, BenchServerOptions } from '../server/bench-server.ts';
import type { Site } from './site.ts';

/** One benchmark, listed in bench/run.ts. */
export interface Bench {
  /** One line: what it measures. */
  summary: string;
  run(stage: Stage): Promise<Figure[]>;
}

/** What the command line says. */
export interface BenchOptions {
  /** Alternating rounds per measurement, of which the median counts. */
  rounds: number;
  /** Seconds of load per round. */
  seconds: number;
  /** Rows of the large organization. */
  rows: number;
  /** The checkout whose server is measured. */
  checkout: string;
  /** Writes CPU profiles of the servers into bench/results. */
  profile: boolean;
}

/** What a benchmark has at hand; what is costly is made when it is first asked for, and shared by all benchmarks. */
export interface Stage {
  site: Site;
  options: BenchOptions;
  loader: LoadGenerator;
  database(): Promise<BenchDatabase>;
  /** A server over the database, of this benchmark alone: stopped when it ends. */
  server(options?: Pick<BenchServerOptions, 'env'>): Promise<BenchServer>;
  /** An organization full of findings, with a server to make it by. */
  seed(server: BenchServer, options: SeedOptions): Promise<SeededOrg>;
}

/** What is wanted of a figure. */
export type Aim = { atLeast: number } | { atMost: number };

/** One number that was measured, and what it is held against. */
export interface Figure {
  /** What and in which unit, such as `findings/s` or `first byte ms`. */
  name: string;
  /** Median of the rounds. */
  value: number;
  /** What the machine could do at the same time, in the same unit; its median. */
  limit?: number | undefined;
  /** How the limit was taken. */
  limitedBy?: string | undefined;
  /** Held against `value / limit` when there is a limit to the figure, against `value` otherwise. */
  aim?: Aim | undefined;
  /** Every round's value and limit. */
  rounds?: { values: readonly number[]; limits?: readonly number[] | undefined };
}

/** `value / limit`; undefined without a limit. */
export const ratioOf = ({ value, limit }: Figure): number | undefined =>
  limit === undefined ? undefined : value / limit;

/** Whether the figure is as wanted; undefined when nothing was wanted, or the limit could not be taken. */
export function isMet(figure: Figure): boolean | undefined {
  const { aim, limitedBy, limit, value } = figure;
  if (!aim || (limitedBy !== undefined && limit === undefined)) return undefined;
  const held = ratioOf(figure) ?? value;
  return 'atLeast' in aim ? held >= aim.atLeast : held <= aim.atMost;
}
