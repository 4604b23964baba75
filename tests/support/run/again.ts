import type { ViteUserConfig } from 'vitest/config';
import { limits } from './limits.ts';
import { createProgress } from './progress.ts';
import { openRun } from './run.ts';
import { LongestFirst } from './sequence.ts';

interface Again {
  /** Seconds on the reference machine. */
  expectedS: number;
  include: string[];
  /** What provides the other runtime or database. */
  globalSetup: string[];
}

/** A configuration of Vitest that runs the suites of the API once more, on another runtime or database. */
export async function again({ expectedS, include, globalSetup }: Again): Promise<ViteUserConfig> {
  await openRun();
  return {
    test: {
      ...limits(),
      maxWorkers: 2,
      isolate: false,
      reporters: ['default', createProgress(expectedS)],
      sequence: { sequencer: LongestFirst },
      provide: { observedDir: process.env.SVC_OBSERVED_DIR ?? '' },
      include,
      globalSetup: ['tests/support/run/build.ts', ...globalSetup, 'tests/support/contract/forget.ts'],
      setupFiles: ['tests/support/run/setup.ts', 'tests/support/run/skip.ts'],
    },
  };
}
