import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files, in seconds on the reference machine. Those that are started last decide how long all but one worker
 * have nothing to do; Vitest itself knows durations only of what has run in this checkout before.
 */
const SECONDS: Record<string, number> = {
  'server/server': 40,
  'browser/findings': 38,
  'browser/dashboard': 35,
  'browser/profile': 30,
  'browser/finding': 29,
  'db/embedded': 29,
  'browser/settings': 27,
  'browser/hosts': 27,
  'http/hostile/inputs': 27,
  'accounts/accounts': 26,
  'agent/agent': 25,
  'http/access': 24,
  'browser/auth': 23,
  'browser/journey': 22,
  'browser/members': 22,
  'fair-share/noisy-neighbour': 22,
  'server/killed-run': 20,
  'agent/hostile': 20,
  'admin/admin': 20,
  'http/input': 18,
  'db/pool': 16,
  'agent/faults': 16,
  'accounts/auth': 14,
  'db/embedded-faults': 13,
  'browser/step-up': 13,
  'findings/counts': 13,
  'findings/ingest-faults': 12,
  'orgs/quotas': 11,
  'browser/second-factor': 11,
  'orgs/isolation': 11,
  'accounts/sign-in-attacks': 10,
  'members/roles': 10,
  'http/faults': 10,
};
const OTHERS = 3;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      SECONDS[relative('tests', moduleId).replace('.test.ts', '')] ?? OTHERS;
    // Stable: failed files and groups keep the place that Vitest gives them among their likes.
    return (await super.sort(files)).sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}
