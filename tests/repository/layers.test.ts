import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** Entries of `lib` that import nothing from the entries above them. */
const BASICS = ['config', 'crypto', 'errors.ts', 'logger.ts', 'metrics', 'network.ts', 'schema.ts'];
/** Entries of `lib` that know requests, operator commands and runtimes. All others are subjects. */
const OUTSIDE = ['admin', 'client', 'edge', 'http', 'maintenance', 'node', 'services.ts'];
const IMPORT = /\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/g;

function layerOf(entry: string): number {
  if (BASICS.includes(entry)) return 0;
  return OUTSIDE.includes(entry) ? 2 : 1;
}

/** The entry of `lib` that a path is in; undefined outside of `lib`. */
const entryOf = (path: string): string | undefined => /^lib\/([^/]+)/.exec(path)?.[1];

function upwardImports(path: string, text: string): string[] {
  const layer = layerOf(entryOf(path) ?? '');
  return [...text.matchAll(IMPORT)].flatMap(([, imported, loaded]) => {
    const target = join(dirname(path), imported ?? loaded ?? '');
    const entry = entryOf(target);
    return entry !== undefined && layerOf(entry) > layer ? [`${path} -> ${target}`] : [];
  });
}

it('basics import no subjects, and subjects nothing that knows requests, commands or runtimes', () => {
  const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((name) => {
    const path = join('lib', name);
    return upwardImports(path, readFileSync(path, 'utf8'));
  });
  expect(found, 'pass plain arguments, or move the code: lib/README.md, Layers').toEqual([]);
});

it.each([
  ['lib/config/parse.ts', "import type { Org } from '../orgs/directory.ts';", 'lib/orgs/directory.ts'],
  ['lib/rules/stored.ts', "import { ok } from '../http/answer.ts';", 'lib/http/answer.ts'],
  ['lib/mail/mailer.ts', "await import('../services.ts')", 'lib/services.ts'],
])('an import of %s is found', (path, text, target) =>
  expect(upwardImports(path, text)).toEqual([`${path} -> ${target}`]),
);
