import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files, in seconds on the reference machine. Those that are started last decide how long all but one worker
 * have nothing to do; Vitest itself knows durations only of what has run in this checkout before.
 */
const SECONDS: Record<string, number> = {
  'reports/hostile': 56,
  'http/hostile/inputs': 41,
  'http/access': 32,
  'accounts/deletion': 31,
  'importers/parts': 29,
  'browser/findings': 26,
  'reports/import': 24,
  'browser/first-load': 22,
  'browser/queue': 20,
  'browser/dashboard': 20,
  'server/server': 19,
  'browser/morning': 17,
  'browser/accessible': 16,
  'fair-share/noisy-neighbour': 16,
  'browser/finding': 15,
  'browser/uploads': 15,
  'browser/settings': 15,
  'browser/profile': 13,
  'db/embedded': 13,
  'browser/members': 13,
  'browser/preview': 13,
  'browser/views': 12,
  'accounts/accounts': 12,
  'reports/interrupted': 12,
  'agent/agent': 12,
  'browser/rules': 11,
  'browser/hosts': 10,
  'agent/hostile': 10,
  'agent/scanner-failures': 10,
  'browser/triage': 10,
  'browser/journey': 9,
  'browser/step-up': 9,
  'agent/batch-faults': 9,
  'agent/awkward': 9,
  'orgs/quotas': 9,
  'findings/ingest-faults': 9,
  'server/killed-run': 8,
  'reports/large': 8,
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
