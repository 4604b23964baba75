import { relative } from 'node:path';
import { afterAll, beforeEach, expect, inject } from 'vitest';
import { LEFT_OUT } from '../citus/suites.ts';
import { NODE_ONLY } from '../edge/suites.ts';

/* Skips the tests of a suite that are left out on workerd or on Citus. */

const suite = relative(process.cwd(), expect.getState().testPath ?? '');
const reasons = (inject('edgePort') ? NODE_ONLY : inject('citus') ? LEFT_OUT : {})[suite] ?? {};
const unmet = new Set(Object.keys(reasons));

beforeEach(({ task, skip }) => {
  const reason = reasons[task.fullTestName];
  unmet.delete(task.fullTestName);
  if (reason !== undefined) skip(reason);
});

afterAll(() => {
  expect([...unmet], 'every test that is left out exists').toEqual([]);
});
