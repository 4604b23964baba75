import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files, in seconds on the reference machine. Those that are started last decide how long all but one worker
 * have nothing to do; Vitest itself knows durations only of what has run in this checkout before.
 */
const SECONDS: Record<string, number> = {
  agent: 45,
  'browser/dashboard': 33,
  'browser/findings': 33,
  workers: 28,
  embedded: 25,
  pool: 24,
  'browser/journey': 23,
  'browser/finding': 22,
  'browser/hosts': 22,
  hostile: 20,
  server: 20,
  'browser/settings': 19,
  'browser/profile': 19,
  'browser/auth': 16,
  admin: 15,
  'agent-faults': 15,
  input: 15,
  accounts: 13,
  access: 12,
  'browser/second-factor': 12,
  'killed-run': 12,
  'embedded-faults': 10,
  findings: 10,
  'ingest-faults': 10,
  'http-faults': 9,
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
