import type { BenchDatabase } from '../../tests/support/database/scratch.ts';
import type { Figure } from '../../tests/support/scenario/figure.ts';
import type { Site } from '../../tests/support/scenario/site.ts';
import type { BenchServer, BenchServerOptions } from '../../tests/support/server/bench-server.ts';

/** One soak test, listed in soak/run.ts: a program that does something to the service and sees what becomes of it. */
export interface Soak<Options extends Record<string, number> = Record<string, number>> {
  /** One line: what is done, and what must not happen. */
  summary: string;
  /** Whole numbers the command line may set (`--rounds 5`), with what they are otherwise. */
  options: Options;
  /** It is ended, and has failed, after so many minutes. */
  minutes: number;
  /** @returns what was seen; an aim that was missed fails the run. */
  run(scene: Scene, options: Options): Promise<Figure[]>;
}

/** What a soak test has at hand. All that it starts is ended with it. */
export interface Scene {
  site: Site;
  /** The PostgreSQL of this test alone, with the settings it is shipped with, or an empty database on DATABASE_URL. */
  database(): Promise<BenchDatabase>;
  /** Builds what is served, once. */
  build(): Promise<void>;
  /** Starts the built server. */
  server(options?: Omit<BenchServerOptions, 'root' | 'profileDir'>): Promise<BenchServer>;
}

/** For soak tests with options of their own, whose names the compiler then knows. */
export const soak = <Options extends Record<string, number>>(test: Soak<Options>): Soak =>
  test as unknown as Soak;
