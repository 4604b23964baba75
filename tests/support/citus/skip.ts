import { relative } from 'node:path';
import { afterAll, beforeEach, expect } from 'vitest';
import { LEFT_OUT } from './suites.ts';

const suite = relative(process.cwd(), expect.getState().testPath ?? '');
const reasons = LEFT_OUT[suite] ?? {};
const unmet = new Set(Object.keys(reasons));

beforeEach(({ task, skip }) => {
  const reason = reasons[task.fullTestName];
  unmet.delete(task.fullTestName);
  if (reason !== undefined) skip(reason);
});

afterAll(() => {
  expect([...unmet], 'every test that is left out exists').toEqual([]);
});
