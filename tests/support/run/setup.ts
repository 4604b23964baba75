import { afterAll, afterEach } from 'vitest';
import { treeCpuSecondsOf } from '../server/proc.ts';
import { endSuite, endTest } from './suite.ts';
import { scaleWaits } from './waits.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of the worker and of the processes that it has started, in seconds. */
    cpuS?: number;
  }
}

scaleWaits();
// This file runs for each suite. Modules that suites import are loaded once, so their hooks would apply to the first only.
afterEach(endTest);
if (process.env.SVC_TEST_TIMES) {
  // Loading the suite counts, too.
  const before = treeCpuSecondsOf(process.pid);
  // Registered first, so that it runs last.
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the pattern
  afterAll(async ({}, suite) => {
    suite.meta.cpuS = (await treeCpuSecondsOf(process.pid)) - (await before);
  });
}
afterAll(endSuite);
