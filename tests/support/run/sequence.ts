import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take more than 10 s: without the durations of an earlier run, Vitest starts large files first. */
const SLOW = [
  'db/citus',
  'projects/transfer-job',
  'reports/import',
  'findings/pages',
  'agent/workspace',
  'agent/batches',
  'agent/proxy',
  'repository/docs',
  'importers/statement',
  'orgs/isolation',
].map((name) => `tests/${name}.test.ts`);

/** Starts the files that take longest first, so that no worker is left with one of them at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) =>
      SLOW.includes(relative(this.ctx.config.root, moduleId));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
