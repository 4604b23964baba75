import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { fill, linesOf, stateOf, writeLines } from '../support/admin/backup.ts';
import { admin } from '../support/admin/command.ts';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Files that are no backups, or not whole, or made to do harm. None of them changes anything. */

let t: TestApp;
let org: TestOrg;
let good: string;
let lines: string[];
let bad: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  await fill(t, org);
  const dir = mkdtempSync(join(tmpdir(), 'backup-'));
  good = join(dir, 'good.backup');
  bad = join(dir, 'bad.backup');
  expect((await admin(t.databaseUrl, ['orgs', 'backup', '--plain', org.slug, '--file', good])).code).toBe(0);
  lines = linesOf(good);
});

async function expectRefused(...messages: string[]): Promise<void> {
  const before = await stateOf(t.services.database);
  const { code, out, err } = await admin(t.databaseUrl, [
    'orgs',
    'restore-backup',
    '--plain',
    bad,
    '--as',
    'hostile',
  ]);
  expect(code, err).toBe(1);
  expect(out).toBe('');
  expect(err.trim().split('\n')).toHaveLength(1);
  for (const message of messages) expect(err).toContain(message);
  expect(await stateOf(t.services.database)).toBe(before);
}

describe('a file is refused that', () => {
  it.each<[string, () => Uint8Array | string, string]>([
    ['is empty', () => '', 'truncated'],
    ['is a text', () => 'hello\n', 'not compressed'],
    ['is another compressed text', () => gzipSync('hello\n'), 'not JSON'],
    ['is other JSON', () => gzipSync('{"findings":[]}\n'), 'is not a backup'],
    ['is a list', () => gzipSync('[1]\n'), 'is not a backup'],
    ['is null', () => gzipSync('null\n'), 'is not a backup'],
    [
      'has another format',
      () => gzipSync(lines[0]?.replace('"format_version":1', '"format_version":2') ?? ''),
      '',
    ],
    ['ends in the middle', () => readFileSync(good).subarray(0, -200), 'truncated'],
    ['ends before its last byte', () => readFileSync(good).subarray(0, -1), 'truncated'],
    ['lacks the last line', () => gzipSync(`${lines.join('\n')}\n`), 'truncated'],
    ['has a last line without a line break', () => gzipSync(lines.join('\n')), 'truncated'],
    ['has a changed byte', () => flipped(readFileSync(good)), ''],
    [
      'has a changed text',
      () => gzipSync(gunzipSync(readFileSync(good)).toString().replace('Finding 1', 'Finding 9')),
      'checksum',
    ],
    [
      'has something after its end',
      () => gzipSync(`${gunzipSync(readFileSync(good))}["x"]\n`),
      'after its end',
    ],
    [
      'is followed by zero bytes',
      () => Buffer.concat([readFileSync(good), Buffer.alloc(100_000)]),
      'after its end',
    ],
    ['is followed by a text', () => Buffer.concat([readFileSync(good), Buffer.from('hello')]), 'damaged'],
    [
      'is followed by another file',
      () => Buffer.concat([readFileSync(good), readFileSync(good)]),
      'after its end',
    ],
  ])('%s', async (_, make, message) => {
    writeFileSync(bad, make());
    await expectRefused(message);
  });

  it('does not exist', async () => {
    const missing = await admin(t.databaseUrl, ['orgs', 'restore-backup', '--plain', join(bad, 'none')]);
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read') });
  });

  it('has one long line, of which little is read', async () => {
    const size = 80 * 1024 * 1024;
    writeFileSync(bad, gzipSync(Buffer.alloc(size, 'x')));
    await expectRefused('too long');
  });
});

const flipped = (bytes: Buffer): Buffer => {
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
  return bytes;
};

/** The lines with one of them changed. */
const edit = (find: RegExp, change: (line: string) => string | string[]): string[] => {
  const at = lines.findIndex((line) => find.test(line));
  expect(at).toBeGreaterThanOrEqual(0);
  return lines.toSpliced(at, 1, ...[change(lines[at] ?? '')].flat());
};
const headOf = (table: string) => new RegExp(`^\\{"table":"${table.replace('.', '\\.')}"`);
/** The lines with a changed first row of a table. */
function editRow(table: string, change: (cells: (string | null)[], columns: string[]) => unknown): string[] {
  const at = lines.findIndex((line) => headOf(table).test(line));
  const { columns } = JSON.parse(lines[at] ?? '');
  const cells = JSON.parse(lines[at + 1] ?? '');
  return lines.toSpliced(at + 1, 1, JSON.stringify(change(cells, columns)));
}
const set = (table: string, column: string, value: string | null) =>
  editRow(table, (cells, columns) => cells.with(columns.indexOf(column), value));

describe('a file with the right checksum is refused that', () => {
  it.each<[string, () => string[], string]>([
    [
      'names a table of another schema',
      () => edit(headOf('org.findings'), (line) => line.replace('org.findings', 'shared.users')),
      'shared.users',
    ],
    [
      'names a table with SQL',
      () =>
        edit(headOf('org.findings'), (line) =>
          line.replace('org.findings', 'org.x\\"; drop schema shared cascade; --'),
        ),
      'not the table that comes next',
    ],
    [
      'names a prototype',
      () => edit(headOf('org.findings'), (line) => line.replace('org.findings', '__proto__')),
      'not the table that comes next',
    ],
    [
      'has a table twice',
      () => [...lines, lines.find((line) => headOf('org.findings').test(line)) ?? ''],
      'twice',
    ],
    [
      'lacks a table',
      () =>
        lines.slice(
          0,
          lines.findLastIndex((line) => line.startsWith('{')),
        ),
      'lacks shared.accepted_risks',
    ],
    [
      'has an unknown column',
      () => edit(headOf('org.findings'), (line) => line.replace('"title"', '"titel"')),
      'org.findings',
    ],
    [
      'has a column with SQL',
      () =>
        edit(headOf('org.findings'), (line) =>
          line.replace('"title"', '"title) select 1; drop schema shared cascade; --"'),
        ),
      'org.findings',
    ],
    [
      'has a column twice',
      () => edit(headOf('org.findings'), (line) => line.replace('"title"', '"id"')),
      'org.findings',
    ],
    [
      'has another column in `shared`',
      () => edit(headOf('shared.orgs'), (line) => line.replace('"plan"', '"id"')),
      'shared.orgs',
    ],
    ['lacks a value', () => editRow('org.findings', (cells) => cells.slice(1)), 'not a list of'],
    ['has a value too many', () => editRow('org.findings', (cells) => [...cells, 'x']), 'not a list of'],
    ['has a number', () => editRow('org.findings', (cells) => [1, ...cells.slice(1)]), 'not a list of'],
    [
      'has a nested list',
      () => editRow('org.findings', (cells) => [[cells[0]], ...cells.slice(1)]),
      'not a list of',
    ],
    ['has two rows in a line', () => edit(/Finding 1/, (line) => `${line},${line}`), 'not a list of'],
    ['has a zero byte', () => set('org.findings', 'title', 'a\u0000b'), 'refuses'],
    [
      'has half of a character',
      () => edit(/Finding 1/, (line) => line.replace('Finding 1', '\\ud800')),
      'refuses',
    ],
    ['has SQL instead of an id', () => set('org.findings', 'id', "x'; drop schema shared; --"), 'refuses'],
    ['has an unknown severity', () => set('org.findings', 'severity', 'fatal'), 'refuses'],
    ['has a name that is too long', () => set('org.projects', 'name', 'x'.repeat(201)), 'refuses'],
    ['has a required value as null', () => set('org.findings', 'title', null), 'refuses'],
    ['has scans of no project', () => set('org.scans', 'project_id', org.id), 'refuses'],
    ['has a row twice', () => edit(/Finding 1/, (line) => [line, line]), 'refuses'],
    ['gives a member an unknown role', () => set('shared.memberships', 'role', 'root'), 'role'],
    ['names a member without an id', () => set('shared.memberships', 'user_id', 'x'), 'user_id'],
    ['has an unknown plan', () => set('shared.orgs', 'plan', 'gold'), 'plan'],
    ['has an invalid time', () => set('shared.memberships', 'created_at', 'yesterday; --'), 'created_at'],
    ['was created at no time', () => set('shared.orgs', 'created_at', 'infinity'), 'created_at'],
    ['takes all requests to a host', () => set('shared.orgs', 'custom_domain', 'localhost'), 'custom_domain'],
    ['names two slugs', () => set('shared.orgs', 'slug', 'other'), 'two slugs'],
    ['has other migrations', () => set('shared.org_migrations', 'hash', '0'.repeat(64)), 'other migrations'],
    [
      'is of another schema than it says',
      () => edit(/^\{"format"/, (line) => line.replace(/"schema_version":\d+/, '"schema_version":9')),
      '',
    ],
    [
      'has no schema',
      () => edit(/^\{"format"/, (line) => line.replace(/"schema_version":\d+/, '"schema_version":0')),
      'schema_version',
    ],
    [
      'is of a newer schema',
      () => edit(/^\{"format"/, (line) => line.replace(/"schema_version":\d+/, '"schema_version":9999')),
      'use version',
    ],
    [
      'has an id with SQL',
      () => edit(/^\{"format"/, (line) => line.replace(org.id, 'x\\"; drop schema shared; --')),
      'org.id',
    ],
    [
      'has a terminal sequence in its version',
      () =>
        edit(/^\{"format"/, (line) =>
          line
            .replace(/"service_version":"[^"]*"/, '"service_version":"\\u001b[2J"')
            .replace(/"schema_version":\d+/, '"schema_version":9999'),
        ),
      '\\u{1b}',
    ],
  ])('%s', async (_, make, message) => {
    writeLines(bad, make());
    await expectRefused(message);
  });

  it('names more persons than there can be', async () => {
    const at = lines.findIndex((line) => headOf('org.saved_views').test(line));
    const { columns } = JSON.parse(lines[at] ?? '') as { columns: string[] };
    const row: string[] = JSON.parse(lines[at + 1] ?? '');
    const views = Array.from({ length: 5_100 }, () =>
      JSON.stringify(
        row
          .with(columns.indexOf('id'), crypto.randomUUID())
          .with(columns.indexOf('owner_id'), crypto.randomUUID()),
      ),
    );
    writeLines(bad, lines.toSpliced(at + 1, 0, ...views));
    await expectRefused('more than 5000 persons');
  });
});

it('the same file as it was is restored', async () => {
  writeLines(bad, lines);
  const made = await admin(t.databaseUrl, ['orgs', 'restore-backup', '--plain', bad, '--as', 'unchanged']);
  expect(made.code, made.err).toBe(0);
});
