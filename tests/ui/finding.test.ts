import { describe, expect, it } from 'vitest';
import { inSentence } from '../../ui/src/components/text/in-sentence.ts';
import { headingLevels, piecesOf } from '../../ui/src/components/text/markdown-pieces.ts';
import { ago } from '../../ui/src/components/time/ago.ts';
import { nextStaying, positionOf } from '../../ui/src/findings/list/rows/positions.ts';
import { fileNameOf } from '../../ui/src/findings/page/file-name.ts';
import { titleOf } from '../../ui/src/findings/title.ts';

describe('pieces of Markdown', () => {
  const texts = (markdown: string) => piecesOf(markdown).map(({ text }) => text);
  const paragraph = `${'word '.repeat(300).trim()}`;

  it('leaves a short text as it is', () => {
    expect(texts('# One\n\nTwo\r\nthree')).toEqual(['# One\n\nTwo\nthree']);
    expect(texts('')).toEqual(['']);
  });

  it('cuts a long text between its blocks, and loses nothing', () => {
    const markdown = Array.from({ length: 20 }, (_, i) => `${i} ${paragraph}`).join('\n\n');
    const pieces = texts(markdown);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('\n')).toBe(markdown);
  });

  it('cuts neither code nor what belongs to an item of a list', () => {
    const code = `\`\`\`js\n${`${paragraph}\n\n`.repeat(10)}\`\`\``;
    const item = `- item\n\n    ${paragraph}\n\n    ${paragraph}\n\n    ${paragraph}`;
    expect(texts(code)).toEqual([code]);
    expect(texts(item)).toEqual([item]);
  });

  it('gives the definitions of links to every piece', () => {
    const markdown = `${`See [it][1]. ${paragraph}\n\n`.repeat(5)}[1]: https://example.com`;
    expect(texts(markdown).every((text) => text.endsWith('[1]: https://example.com'))).toBe(true);
  });

  it.each([
    ['quotes within quotes', '> '.repeat(1000)],
    ['lists within lists', '- '.repeat(1000)],
    ['marks without an end', '*a_ '.repeat(1000)],
    ['brackets', '['.repeat(5000)],
    ['a paragraph of 100 KB', 'word '.repeat(20_000)],
  ])('shows %s as they were written', (_, hostile) => {
    expect(piecesOf(`Before\n\n${hostile}\n\nAfter`).map(({ plain }) => plain)).toEqual([false, true, false]);
  });

  it('knows the levels of headings, whichever way they are written', () => {
    expect(headingLevels('## Two\n\n#### Four\n\n####### none\n\n#none')).toEqual([2, 4]);
    expect(headingLevels('One\n===\n\nTwo\n---')).toEqual([1, 2]);
    expect(headingLevels('none')).toEqual([]);
  });

  it('takes rules, tables and long code for what they are', () => {
    const table = `| a_b | c |\n|---|---|\n${'| some_name | 1 |\n'.repeat(200)}`;
    const code = `\`\`\`\n${'*a_ \n'.repeat(10_000)}\`\`\``;
    expect(piecesOf(`${'-'.repeat(200)}\n\n${table}\n\n${code}`).some(({ plain }) => plain)).toBe(false);
  });
});

describe('names of files', () => {
  it.each([
    ['poc.py', 'poc.py'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\poc.exe', 'poc.exe'],
    ['..', 'exploit.txt'],
    ['/', 'exploit.txt'],
    ['.bashrc', 'bashrc'],
    ['a\u202Egpj.sh', 'a_gpj.sh'],
    ['a\nb\0c.txt', 'a_b_c.txt'],
    ['con<>:"|?*.txt', 'con_.txt'],
    ['trailing. ', 'trailing'],
    ['résumé 日本.txt', 'résumé 日本.txt'],
    [`${'a'.repeat(300)}.py`, `${'a'.repeat(117)}.py`],
  ])('%j is saved as %j', (given, name) => {
    expect(fileNameOf(given)).toBe(name);
  });
});

describe('the place of a finding', () => {
  const place = (list: string, id: string, at: number) =>
    positionOf({ id, at }, list.length, (i) => (list[i] === undefined ? undefined : { id: list[i] }));

  it('is where it was, or wherever others have moved it', () => {
    expect(place('abc', 'b', 1)).toBe(1);
    expect(place('xyzabc', 'b', 1)).toBe(4);
    expect(place('bc', 'b', 1)).toBe(0);
  });

  it('is nowhere once it has left the list', () => {
    expect(place('ac', 'b', 1)).toBeUndefined();
    expect(place('', 'b', 1)).toBeUndefined();
  });

  it.each([
    ['the next one that stays', 'abcdef', 2, 'abc', { at: 0, id: 'd' }],
    ['itself, moved up', 'abcdef', 2, 'ab', { at: 0, id: 'c' }],
    ['the next one, past others that leave', 'abcdef', 1, 'bde', { at: 1, id: 'c' }],
    ['none if nothing after it stays', 'abcdef', 4, 'ef', undefined],
    ['none if the next one is not known', 'ab?d', 1, 'b', undefined],
  ])('is followed by %s when findings leave the list', (_, list, at, leaves, expected) => {
    const rowAt = (i: number) => (list[i] === '?' || !list[i] ? undefined : { id: list[i] });
    expect(nextStaying(at, list.length, rowAt, new Set(leaves))).toEqual(expected);
  });
});

it.each([
  '',
  ' ',
  '\u200b\u200d',
  '\u3164',
  '\u2800\u2800',
  '\u00ad',
  '\u202e',
  '\u0301',
  '\ufe0f',
  '\u{e0041}',
])('a title of invisible characters only (%j) can be seen and clicked', (title) => {
  expect(titleOf(title)).toBe('Title without visible characters');
});

it.each(['a', '\u200b-', '注入', '\u202eabc', '🐛', 'e\u0301'])('the title %j is shown as it is', (title) => {
  expect(titleOf(title)).toBe(title);
});

it.each([
  ['2026-01-02T00:30:00Z', 'just now'],
  ['2026-01-02T00:00:00Z', '30 minutes ago'],
  // The day before yesterday by the calendar.
  ['2025-12-31T23:30:00Z', '1 day ago'],
  ['2024-12-31T00:30:00Z', '1 year ago'],
  ['2026-01-05T00:30:00Z', 'in 3 days'],
])('says of %s that it was %s', (time, said) => {
  expect(ago(time, Date.parse('2026-01-02T00:30:30Z') - 30_000)).toBe(said);
});

it('a value cannot turn around the sentence that it is in', () => {
  expect(`title is ${inSentence('\u2069\u202eevil')} and file is ${inSentence('\u2067ש')}`).toBe(
    'title is \ufffd\ufffdevil and file is \ufffdש',
  );
});
