import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';

const EVERY_MS = 10_000;

/** Prints every ten seconds how far the run is, and at the end which tests passed only when they were repeated, and how they had failed. */
export function createProgress(): Reporter {
  let vitest: Vitest;
  let total = 0;
  let ended = 0;
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  const running = new Set<string>();
  const flaky: string[] = [];
  const nameOf = ({ moduleId }: TestModule) => relative('tests', moduleId).replace(/\.test\.ts$/, '');

  function report() {
    const elapsed = duration((performance.now() - began) / 1_000);
    const now = running.size > 0 ? `; running: ${[...running].join(', ')}` : '';
    vitest.logger.log(`Progress: ${ended} of ${total} files, ${elapsed}${now}`);
  }

  return {
    onInit(started) {
      vitest = started;
      // Global setup is part of the run.
      began = performance.now();
    },
    onTestRunStart(specifications: readonly TestSpecification[]) {
      total = specifications.length;
      ended = 0;
      running.clear();
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
