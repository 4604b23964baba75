import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files, in seconds on the reference machine. Those that are started last decide how long all but one worker
 * have nothing to do; Vitest itself knows durations only of what has run in this checkout before.
 */
const SECONDS: Record<string, number> = {
  'reports/hostile': 56,
  'browser/dashboard': 40,
  'browser/first-steps': 15,
  'db/embedded': 36,
  'importers/parts': 35,
  'http/access': 30,
  'browser/uploads': 30,
  'browser/findings': 30,
  'reports/wrong-types': 29,
  'http/hostile/inputs': 27,
  'browser/settings': 24,
  'browser/finding': 24,
  'browser/profile': 23,
  'browser/members': 23,
  'browser/hosts': 22,
  'reports/import': 18,
  'findings/ingest-faults': 18,
  'fair-share/noisy-neighbour': 18,
  'browser/journey': 18,
  'http/http': 17,
  'server/server': 16,
  'orgs/quotas': 16,
  'browser/auth': 16,
  'agent/large-reports': 16,
  'accounts/hash-flood': 16,
  'server/killed-run': 15,
  'reports/interrupted': 15,
  'agent/scanner-failures': 15,
  'agent/agent': 15,
  'agent/awkward': 14,
  'accounts/auth': 14,
  'reports/same-findings': 13,
  'db/purge': 13,
  'browser/second-factor': 13,
  'accounts/strict': 13,
  'browser/step-up': 12,
  'admin/admin': 12,
  'accounts/accounts': 11,
  'orgs/isolation': 10,
  'findings/ingest': 10,
  'findings/findings': 10,
  'db/embedded-faults': 10,
  'agent/hostile': 10,
  'agent/batch-faults': 10,
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
