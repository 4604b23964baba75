import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../scripts/mutants/list.ts';

it('`npm run mutants` finds each of its 44 lines once, and the suites that must fail', () => {
  const countOf = (file: string, text: string) => readFileSync(file, 'utf8').split(text).length - 1;
  const isSuite = (name: string) =>
    existsSync(`tests/${name}.test.ts`) || existsSync(`tests/${name}.long.test.ts`);
  const stale = MUTANTS.filter(
    ({ file, from, suites }) => countOf(file, from) !== 1 || !suites.every(isSuite),
  );
  expect(stale).toEqual([]);
  expect(MUTANTS).toHaveLength(44);
});
