import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server/process.ts';

/* Node decodes the whole source map for the first stack trace, and keeps it. */

it('the source map of the server has the places of its own code, and only the files of packages', async () => {
  const text = await readFile(join(ROOT, 'dist/server.js.map'), 'utf8');
  const map = new SourceMap(JSON.parse(text));
  const code = (await readFile(join(ROOT, 'dist/server.js'), 'utf8')).split('\n');
  const placesIn = (file: RegExp) =>
    new Set(
      code.flatMap((_, line) => {
        const entry = map.findEntry(line, 2);
        return 'originalSource' in entry && file.test(entry.originalSource) ? [entry.originalLine] : [];
      }),
    );
  expect([...placesIn(/node_modules\/(hono|drizzle-orm|postgres)\//)]).toEqual([0]);
  expect(placesIn(/\/lib\/http\/app\.ts$/).size).toBeGreaterThan(20);
});
