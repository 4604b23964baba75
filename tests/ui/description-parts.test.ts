import { describe, expect, it } from 'vitest';
import { partsOf } from '../../ui/src/findings/page/description-parts.ts';
import { limit } from '../support/run/limits.ts';

const fenced = (...lines: string[]) => ['```', ...lines, '```'].join('\n');

describe('the parts of a description', () => {
  it('are the fix, the affected code and the rest, as importers write them', () => {
    const code = fenced('const rows = db.query(sql);');
    const description = `Input reaches the query.\n\n${code}\n\n**Fix**\n\nUse parameters.\n\n**References**\n\n- <https://example.com>`;
    expect(partsOf(description, 42)).toEqual({
      fix: 'Use parameters.',
      evidence: { code: 'const rows = db.query(sql);', language: undefined, first: 42 },
      rest: 'Input reaches the query.\n\n\n**References**\n\n- <https://example.com>',
    });
  });

  it('has a fix below a heading, with its own headings and code', () => {
    const description =
      '# Problem\n\nBad.\n\n## Remediation\n\n### Now\n\n```sh\nnpm audit fix\n```\n\n## More\n\nEnd.';
    const { fix, evidence, rest } = partsOf(description, undefined);
    expect(fix).toBe('### Now\n\n```sh\nnpm audit fix\n```');
    expect(evidence).toBeUndefined();
    expect(rest).toBe('# Problem\n\nBad.\n\n## More\n\nEnd.');
  });

  it.each([
    ['bandit', ['41 import os', '42 os.system(x)', '43 '], 41, 'import os\nos.system(x)\n'],
    ['gosec', ['41: a := 1', '42: b(a)'], 41, 'a := 1\nb(a)'],
    ['semgrep', ['call(', '  x)'], 42, 'call(\n  x)'],
  ])('has code with the line numbers that %s gives it', (source, lines, first, code) => {
    expect(partsOf(fenced(...lines), 42, source).evidence).toMatchObject({ first, code });
  });

  it('claims no line numbers that nobody has stated', () => {
    expect(partsOf(fenced('a', 'b', 'c'), 42, 'codeql').evidence?.first).toBeUndefined();
    expect(partsOf(fenced('1', '7', '9'), 42).evidence?.first).toBeUndefined();
  });

  it('takes neither words in code nor those in a sentence for labels', () => {
    const description = `${fenced('**Fix**', '# Fix')}\n\nThe **Fix** is unknown.\n\n    # Fix`;
    expect(partsOf(description, 1).fix).toBeUndefined();
  });

  it('loses nothing of a description without parts, nor of an open code block', () => {
    expect(partsOf('Just text.\n\nMore.', 1)).toEqual({
      fix: undefined,
      evidence: undefined,
      rest: 'Just text.\n\nMore.',
    });
    const { rest, evidence } = partsOf('Text\n\n````\na\n```\nb', 1);
    expect([rest, evidence?.code]).toEqual(['Text', 'a\n```\nb']);
  });

  it('is found quickly in a text that was written to be slow', () => {
    const began = performance.now();
    partsOf(
      `${'**'.repeat(20_000)}\n${'# '.repeat(20_000)}\n${'`'.repeat(40_000)}\n${' '.repeat(40_000)}x`,
      1,
    );
    partsOf(fenced(...Array.from({ length: 20_000 }, () => `${' '.repeat(50)}1`)), 1);
    expect(performance.now() - began).toBeLessThan(limit(500));
  });
});
