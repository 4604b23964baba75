import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { slowness } from './limits.ts';

const EVERY_MS = 10_000;

/**
 * Prints how long the run is expected to take, every ten seconds how far it is, and at the end which tests passed only when
 * they were repeated, and how they had failed.
 * @param referenceS seconds that a complete run takes on the reference machine
 */
export function createProgress(referenceS: number): Reporter {
  let vitest: Vitest;
  let total = 0;
  let ended = 0;
  let began = 0;
  let expectedS: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const running = new Set<string>();
  const flaky: string[] = [];
  const nameOf = ({ moduleId }: TestModule) => relative('tests', moduleId).replace(/\.test\.ts$/, '');

  function report() {
    const elapsed = duration((performance.now() - began) / 1_000);
    const expected = expectedS === undefined ? '' : ` of about ${duration(expectedS)}`;
    const now = running.size > 0 ? `; running: ${[...running].join(', ')}` : '';
    vitest.logger.log(`Progress: ${ended} of ${total} files, ${elapsed}${expected}${now}`);
  }

  return {
    onInit(started) {
      vitest = started;
      // Global setup is part of the run.
      began = performance.now();
    },
    async onTestRunStart(specifications: readonly TestSpecification[]) {
      total = specifications.length;
      ended = 0;
      running.clear();
      // Unless the command line names files or tests.
      const isComplete =
        (await vitest.globTestSpecifications()).length === total && !vitest.config.testNamePattern;
      expectedS = isComplete ? referenceS * slowness() : undefined;
      const expected =
        expectedS === undefined ? '' : `, about ${duration(expectedS)} at the speed of this machine`;
      vitest.logger.log(`Running ${total} files${expected} (limits on time × ${slowness()})`);
      timer = setInterval(report, EVERY_MS).unref();
    },
    onTestModuleStart: (module) => void running.add(nameOf(module)),
    onTestCaseResult(test: TestCase) {
      if (!test.diagnostic()?.flaky) return;
      const failures = test.result().errors?.map(({ stack, message }) => stack ?? message) ?? [];
      flaky.push([`${nameOf(test.module)} > ${test.fullName}`, ...failures].join('\n'));
    },
    onTestModuleEnd(module) {
      running.delete(nameOf(module));
      ended++;
    },
    onTestRunEnd() {
      clearInterval(timer);
      for (const name of flaky) vitest.logger.log(`Passed only when repeated: ${name}`);
    },
  };
}

/** Such as `48 s`, or `3 min 40 s`. */
function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
