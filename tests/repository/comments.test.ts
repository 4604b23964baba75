import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Paths without the check: the text of applied migrations never changes. */
const NOT_CHECKED = /^drizzle\//;
const SOURCES = ['*.ts', '*.tsx', '*.mts', '*.mjs', '*.sql'];

/** A line or the first line of a comment, and the further lines of a block comment. */
const COMMENT = /(?:^|[\s{])(?:\/\/|\/\*\*?)\s+(.*)|^\s*(?:\*|--)\s+(.*)/;
const OPENING = /(?:^|[.:;!?] )(?:What|Who|Whoever|Whose|Of|Those|There)\b/;
/** Skips most lines in a fraction of the time. */
const OPENING_WORD = /What|Who|Of|Those|There/;

function openingsIn(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, i) => {
    const [, first, further] = OPENING_WORD.test(line) ? (COMMENT.exec(line) ?? []) : [];
    return OPENING.test(first ?? further ?? '') ? [`${path}:${i + 1} ${line.trim()}`] : [];
  });
}

it('sentences of comments open with their subject', () => {
  const listed = execFileSync('git', ['ls-files', '-z', ...SOURCES], { encoding: 'utf8' }).split('\0');
  const files = listed.filter((path) => existsSync(path) && !NOT_CHECKED.test(path));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((path) => openingsIn(path, readFileSync(path, 'utf8')));
  expect(found, 'name the subject: "A push joins …", not "Who waits …"').toEqual([]);
});

it.each([
  '// Who waits for a connection joins when it is there.',
  'run();\t// What is left is closed.',
  '/** Of one pattern. */',
  ' * Rows are sent. Those without an answer are sent again.',
  '\x7b/* There is none. */}',
  '-- Whoever owns it has created it.',
])('%j is found', (line) =>
  expect(openingsIn('planted.ts', `\n${line}`)).toEqual([`planted.ts:2 ${line.trim()}`]),
);

it.each([
  "const text = 'Who fixes this?';",
  '// Rows of what was sent.',
  '/** Offsets. */',
  'visit({}: Who = {})',
])('%j is not found', (line) => expect(openingsIn('planted.ts', line)).toEqual([]));
