import { readdirSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { PICTURES, SIZE } from '../../scripts/screenshots/pictures.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(resolve(root, file));
const filesIn = (directory: string, extension: string) =>
  readdirSync(resolve(root, directory))
    .filter((file) => file.endsWith(extension))
    .map((file) => posix.join(directory, file));

const taken = PICTURES.map(({ name }) => `docs/images/${name}.png`).sort();
const MAX_BYTES = 200 * 1024;

it('`npm run screenshots` takes each picture in docs/images', () => {
  expect(filesIn('docs/images', '.png').sort()).toEqual(taken);
});

it('README.md and the pages in docs/ show each of them', () => {
  const pages = ['README.md', ...filesIn('docs', '.md'), ...filesIn('docs/how-to', '.md')];
  const shown = pages.flatMap((page) =>
    [...`${read(page)}`.matchAll(/!\[[^\]]*\]\((?!https?:)([^)\s]+\.png)\)/g)].map(([, path = '']) =>
      posix.join(posix.dirname(page), path),
    ),
  );
  expect([...new Set(shown)].sort()).toEqual(taken);
});

it.each(PICTURES)('$name is small, and of the size in the list', ({ name, size = SIZE }) => {
  const png = read(`docs/images/${name}.png`);
  expect({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) }).toEqual(size);
  expect(png.length).toBeLessThan(MAX_BYTES);
});
