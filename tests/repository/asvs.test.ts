import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const STATUSES = ['met', 'partly', 'documented', 'contract', 'operator', 'not applicable'];

/** The ids of the standard's requirements of levels 1 and 2, with their levels. */
const standard = read('tests/fixtures/asvs-5.0.0.txt').trim().split('\n');
const document = read('docs/asvs.md');
const rows = document
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [id = '', level = '', requirement = '', status = '', where = '', tests = ''] = line
      .split(' | ')
      .map(clean);
    return { id, level, requirement, status, where, tests };
  });

function clean(cell: string): string {
  return cell.replace(/^\| | ?\|$/g, '').trim();
}

interface NamedTest {
  file: string;
  title: string;
}

/** The tests of a row: `tests/http/peer.test.ts` "the scheme is believed of trusted proxies only"; … */
const testsIn = (text: string): NamedTest[] =>
  [...text.matchAll(/`(tests\/\S+)` "([^"]+)"/g)].map(([, file = '', title = '']) => ({ file, title }));

/** Why a test does not count; undefined if it does. A title is written once, as a string of its own. */
function faultOf({ file, title }: NamedTest): string | undefined {
  if (!existsSync(join(root, file))) return `${file} does not exist`;
  const literals = ["'", '"', '`'].map((quote) => quote + title.replaceAll(quote, `\\${quote}`) + quote);
  const lines = read(file)
    .split('\n')
    .filter((line) => literals.some((literal) => line.includes(literal)));
  if (lines.length === 0) return `${file} has no test "${title}"`;
  return lines.some((line) => !/\.(?:skip|todo)\b/.test(line)) ? undefined : `${file} skips "${title}"`;
}

/** Text in backticks that names a file or folder of this repository. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, code = '']) => code)
    .filter((code) => /^[\w.-]+\/|\.(?:tsx?|mjs|json|yml|sh)$|^Dockerfile$/.test(code))
    // Media types, and files of somebody else's repository.
    .filter((code) => !/^(?:application|text|\.svc)\//.test(code));

describe('docs/asvs.md', () => {
  it('lists each requirement of levels 1 and 2 once, in order', () => {
    expect(standard).toHaveLength(253);
    expect(rows.map(({ id, level }) => `${id} ${level}`)).toEqual(standard);
  });

  it('gives each one of six statuses, and says where or why, or what is missing', () => {
    expect(rows.filter(({ status }) => !STATUSES.includes(status))).toEqual([]);
    expect(rows.filter(({ where }) => where.replace(/<!--.*?-->/g, '').trim() === '')).toEqual([]);
    expect(rows.filter(({ status, where }) => (status === 'partly') !== /\bMissing: /.test(where))).toEqual(
      [],
    );
    expect(rows.filter(({ requirement }) => requirement.split(' ').length > 12)).toEqual([]);
  });

  it('shows a file for what is met, and a section for what is documented', () => {
    const bare = rows.filter(
      ({ status, where }) =>
        (status === 'met' && pathsIn(where).length === 0 && !where.includes('](')) ||
        (status === 'documented' && !where.includes('](')),
    );
    // These are met by the absence of a feature, which no file shows.
    expect(bare.map(({ id }) => id)).toEqual(['6.2.10', '6.4.2']);
  });

  it('names for what is met tests that exist and run', () => {
    const needTests = rows.filter(({ status }) => status === 'met' || status === 'partly');
    expect(needTests.filter(({ tests }) => testsIn(tests).length === 0)).toEqual([]);
    // Nothing else is in the column.
    const others = rows.filter(({ tests }) => tests.replace(/`tests\/\S+` "[^"]+"(?:; |$)/g, '') !== '');
    expect(others).toEqual([]);
    const faults = rows.flatMap(({ id, tests }) =>
      testsIn(tests).flatMap((test) => faultOf(test)?.replace(/^/, `${id}: `) ?? []),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    [{ file: 'tests/http/no-such.test.ts', title: 'is found' }, /does not exist/],
    [{ file: 'tests/http/peer.test.ts', title: 'the scheme is believed' }, /has no test/],
  ])('finds that a test is gone or has another title: %j', (test, fault) =>
    expect(faultOf(test)).toMatch(fault),
  );

  it('counts them, and so does docs/security.md', () => {
    for (const status of STATUSES) {
      const count = (level: string) =>
        rows.filter((row) => row.status === status && row.level === level).length;
      expect(document).toMatch(
        new RegExp(`^\\| ${status} \\|.*\\| ${count('1')} \\| ${count('2')} \\|$`, 'm'),
      );
      const all = rows.filter((row) => row.status === status).length;
      expect(read('docs/security.md')).toContain(`${all} ${status}`);
    }
  });
});

it.each(['docs/asvs.md', 'docs/security.md', 'docs/cryptography.md', 'docs/data-protection.md'])(
  '%s names files that are there',
  (file) => {
    const paths = pathsIn(read(file));
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);
