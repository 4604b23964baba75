import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { declared } from '../support/contract/contract.ts';

/** The observations of all other test files; they have run before (vitest.config.ts). */
async function observed(): Promise<Set<string>> {
  const dir = inject('observedDir');
  const files = await readdir(dir);
  if (files.length === 0)
    throw new Error('Nothing was seen: this test is about the whole suite, run `npm test`.');
  const texts = await Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));
  return new Set(texts.flatMap((text) => text.split('\n')));
}

it('every success and every error that the API describes is seen somewhere in the suite', async () => {
  const seen = await observed();
  expect(declared().filter((answer) => !seen.has(answer))).toEqual([]);
});
