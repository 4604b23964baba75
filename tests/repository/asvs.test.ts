import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const STATUSES = ['met', 'contract', 'operator', 'not applicable'];

/** The ids of the standard's requirements of levels 1 and 2, with their levels. */
const standard = read('tests/fixtures/asvs-5.0.0.txt').trim().split('\n');
const document = read('docs/asvs.md');
const rows = document
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [id = '', level = '', requirement = '', status = '', where = ''] = line.split(' | ').map(clean);
    return { id, level, requirement, status, where };
  });

function clean(cell: string): string {
  return cell.replace(/^\| | \|$/g, '').trim();
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

  it('gives each one of four statuses, and says where or why', () => {
    expect(rows.filter(({ status }) => !STATUSES.includes(status))).toEqual([]);
    expect(rows.filter(({ where }) => where.replace(/<!--.*?-->/g, '').trim() === '')).toEqual([]);
    expect(rows.filter(({ requirement }) => requirement.split(' ').length > 12)).toEqual([]);
  });

  it('shows for what is met where: a file, or a document', () => {
    const bare = rows.filter(
      ({ status, where }) => status === 'met' && pathsIn(where).length === 0 && !where.includes(']('),
    );
    // These are met by the absence of a feature, which no file shows.
    expect(bare.map(({ id }) => id)).toEqual(['1.4.1', '6.2.10', '6.3.2', '6.4.2']);
  });

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
