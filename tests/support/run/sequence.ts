import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files, in seconds on the reference machine. Those that are started last decide how long all but one worker
 * have nothing to do; Vitest itself knows durations only of what has run in this checkout before.
 */
const SECONDS: Record<string, number> = {
  'reports/hostile': 56,
  'admin/move-faults': 44,
  'server/server': 40,
  'http/hostile/inputs': 39,
  'http/access': 33,
  'importers/parts': 29,
  'reports/import': 29,
  'browser/uploads': 27,
  'db/embedded': 27,
  'agent/agent': 24,
  'accounts/accounts': 22,
  'browser/findings': 22,
  'browser/queue': 21,
  'browser/settings': 21,
  'browser/accessible': 20,
  'browser/preview': 20,
  'browser/finding': 19,
  'browser/profile': 19,
  'accounts/deletion': 18,
  'browser/dashboard': 17,
  'browser/first-load': 16,
  'browser/members': 16,
  'http/input': 16,
  'server/killed-run': 16,
  'agent/scanner-failures': 15,
  'fair-share/noisy-neighbour': 15,
  'browser/morning': 14,
  'browser/project-transfer': 13,
  'reports/interrupted': 13,
  'accounts/auth': 12,
  'admin/move-pause': 12,
  'agent/hostile': 12,
  'browser/metrics': 12,
  'browser/print': 12,
  'browser/project-settings': 12,
  'client/package': 12,
  'tokens/scopes': 12,
  'browser/hosts': 11,
  'browser/views': 11,
  'db/replica-faults': 11,
  'findings/retention': 11,
  'orgs/quotas': 11,
  'admin/backup': 10,
  'agent/batch-faults': 10,
  'browser/rules': 10,
  'browser/triage': 10,
  'findings/ingest-faults': 10,
  'agent/faults': 9,
  'agent/scanner-process': 9,
  'browser/auth': 9,
  'browser/deletion': 9,
  'browser/journey': 9,
  'browser/org-lifecycle': 9,
  'admin/move': 8,
  'agent/awkward': 8,
  'browser/first-steps': 8,
  'browser/second-factor': 8,
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
