import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files, in seconds on the reference machine. Those that are started last decide how long all but one worker
 * have nothing to do; Vitest itself knows durations only of what has run in this checkout before.
 */
const SECONDS: Record<string, number> = {
  'tests/agent.test.ts': 54,
  'tests/embedded.test.ts': 40,
  'tests/browser/dashboard.test.ts': 33,
  'tests/browser/findings.test.ts': 33,
};
const OTHERS = 3;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      SECONDS[relative(this.ctx.config.root, moduleId)] ?? OTHERS;
    // Stable: failed files and groups keep the place that Vitest gives them among their likes.
    return (await super.sort(files)).sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}
