import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server/process.ts';

/* Node decodes the whole source map for the first stack trace, and keeps it: places within lines would be most of it. */

it.each(['server', 'admin'])('the source map of %s has one place for each line', async (name) => {
  const file = join(ROOT, `dist/${name}.js`);
  const map = JSON.parse(await readFile(`${file}.map`, 'utf8'));
  const lines = map.mappings.split(';');
  expect(lines.filter((line: string) => line.includes(','))).toEqual([]);
  expect(lines.filter((line: string) => line !== '').length).toBeGreaterThan(10_000);

  const code = (await readFile(file, 'utf8')).split('\n');
  const at = code.findIndex((line) => line.startsWith('function parseConfig('));
  const source = await readFile(join(ROOT, 'lib/config/parse.ts'), 'utf8');
  expect(new SourceMap(map).findEntry(at, 10)).toMatchObject({
    originalSource: '../lib/config/parse.ts',
    originalLine: source.split('\n').findIndex((line) => line.startsWith('export function parseConfig(')),
  });
});
