import type { ViteUserConfig } from 'vitest/config';
import { runOptions } from './options.ts';

interface Again {
  include: string[];
  /** Modules that provide the other runtime or database. */
  globalSetup: string[];
}

/** A configuration of Vitest that runs the suites of the API once more, on another runtime or database. */
export function again({ include, globalSetup }: Again): ViteUserConfig {
  const options = runOptions();
  return {
    test: {
      ...options,
      maxWorkers: 2,
      include,
      globalSetup: ['tests/support/run/build.ts', ...globalSetup, 'tests/support/contract/forget.ts'],
      setupFiles: [...options.setupFiles, 'tests/support/run/skip.ts'],
    },
  };
}
