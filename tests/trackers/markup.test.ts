import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { describe, expect, it } from 'vitest';
import { type Block, plainTitle } from '../../lib/trackers/blocks.ts';
import { toAdf, toWikiText } from '../../lib/trackers/jira-markup.ts';
import { toMarkdown } from '../../lib/trackers/markdown.ts';
import { commandsIn } from '../support/trackers/gitlab.ts';
import { MARKER } from './kit.ts';

/** Texts that do something in an issue, unless they stay text. */
const HOSTILE = [
  '@acme/security and @ada, see #1, !2, ~bug, %1 and https://github.com/acme/other/issues/3',
  '/close',
  'x\n/assign @ada\n/label ~done',
  'x\r/close\r\n/close\n\r/close',
  'x\u0000\n\u0008/close',
  '```\n/close\n@ada\n```',
  '```text\nx\n```\n/close',
  '````\n```\n/close\n````',
  '~~~\n@ada\n~~~',
  'x\n```',
  '`'.repeat(40),
  '</details><script>alert(1)</script><!-- x',
  '--> <b>@ada</b> <!--',
  '>>>\n/close\n>>>',
  '<p>\n/close\n</p>',
  '![x](https://evil.example/pixel.png) [x](javascript:alert(1))',
  'x` @ada `y',
  '`\n/close\n`',
  '| a |\n|---|\n| @ada |',
  '{noformat} [~ada] {noformat}\nh1. x {NOFORMAT}!https://evil.example/x.png!',
  '[~accountid:5b10ac8d82e05b22cc7d4ef5]',
  '\u202e@ada \u2066#1',
  '',
  ' ',
  '\ud800',
];

const blocks = (text: string): Block[] => [
  { kind: 'facts', facts: [['Location', text]] },
  { kind: 'reported', heading: 'Description', text },
  { kind: 'text', text: 'The end.' },
  { kind: 'link', text: 'Open the finding', url: 'https://findings.example/findings/1' },
];

/** The parts of a page that are not code. */
const outsideCode = (markdown: string) =>
  renderToStaticMarkup(createElement(Markdown, { remarkPlugins: [remarkGfm] }, markdown)).replaceAll(
    /<code[^>]*>[\s\S]*?<\/code>/g,
    '<code/>',
  );

const FRAME = outsideCode(toMarkdown(blocks('plain'), MARKER));

describe('Markdown', () => {
  it('has a frame', () => {
    expect(FRAME).toContain('<code/>');
    expect(FRAME).toContain('The end.');
  });

  it.each(HOSTILE)('keeps %j as text', (text) => {
    const markdown = toMarkdown(blocks(text), MARKER);
    expect(outsideCode(markdown)).toBe(FRAME);
    expect(commandsIn(markdown)).toEqual([]);
    expect(markdown.split('\n').filter((line) => line.startsWith('/'))).toEqual([]);
    expect(markdown).not.toMatch(/[\0\r\u202e\u2066]/);
    expect(markdown.isWellFormed()).toBe(true);
    expect(markdown.endsWith(`<!-- svc-findings: ${MARKER} -->`)).toBe(true);
  });

  it('shows the text', () => {
    const markdown = toMarkdown(blocks('a < b && c\n  indented `code`'));
    expect(markdown).toContain('```text\na < b && c\n  indented `code`\n```');
    expect(markdown).toContain("`a < b && c indented 'code'`");
  });
});

/** All texts of a tree, and the types of its nodes. */
function textsOf(node: unknown, texts: string[] = []): string[] {
  if (Array.isArray(node)) for (const item of node) textsOf(item, texts);
  else if (typeof node === 'object' && node !== null) {
    const { type, text, content } = node as { type: string; text?: string; content?: unknown };
    if (text !== undefined) texts.push(text);
    expect(['doc', 'paragraph', 'text', 'heading', 'codeBlock', 'bulletList', 'listItem']).toContain(type);
    textsOf(content, texts);
  }
  return texts;
}

describe('Atlassian Document Format', () => {
  it.each(HOSTILE)('keeps %j as text', (text) => {
    const texts = textsOf(toAdf(blocks(text), MARKER));
    expect(texts).toHaveLength(7);
    expect(texts.every((one) => one.length > 0 && one.isWellFormed())).toBe(true);
    expect(texts.at(-1)).toBe(`svc-findings: ${MARKER}`);
  });
});

describe('Wiki text', () => {
  it.each(HOSTILE)('keeps %j as text', (text) => {
    const wiki = toWikiText(blocks(text), MARKER);
    const outside = wiki.split(/\{noformat\}/i);
    expect(outside).toHaveLength(5);
    expect(outside.filter((_, i) => i % 2 === 0).join('')).toBe(
      toWikiText(blocks('plain'), MARKER)
        .split('{noformat}')
        .filter((_, i) => i % 2 === 0)
        .join(''),
    );
    expect(wiki).not.toContain('[~');
  });
});

describe('a text', () => {
  const writers = {
    Markdown: toMarkdown,
    'the document format': (...content: Parameters<typeof toAdf>) => JSON.stringify(toAdf(...content)),
    'wiki text': toWikiText,
  };

  it.each(Object.entries(writers))('that is too long is shortened in %s, without the marker', (_, write) => {
    for (const text of [
      'x'.repeat(200_000),
      '😀'.repeat(50_000),
      '`'.repeat(100_000),
      '"\\\n'.repeat(50_000),
    ]) {
      const written = write([...blocks(text), ...blocks(text)], MARKER);
      expect(written.length).toBeLessThan(32_000);
      expect(written.isWellFormed()).toBe(true);
      expect(written).toContain('…');
      expect(written).toContain(MARKER);
    }
  });
});

describe('a title', () => {
  it.each([
    ['SQL injection', 'SQL injection'],
    ['  two\n lines\r\n/close ', 'two lines /close'],
    ['@babel/core: C# and 5 % of a & b', '@\u2060babel/core: C# and 5 % of a & b'],
    ['x #1 !2 ~bug %"v 1" $3 &4', 'x #\u20601 !\u20602 ~\u2060bug %\u2060"v 1" $\u20603 &\u20604'],
    ['\u202e\u0000', 'Finding'],
    ['', 'Finding'],
  ])('%j becomes %j', (title, plain) => expect(plainTitle(title)).toBe(plain));

  it('has at most 250 characters', () => {
    for (const title of ['x'.repeat(500), '@a'.repeat(250), '😀'.repeat(250)]) {
      expect(plainTitle(title).length).toBeLessThanOrEqual(250);
      expect(plainTitle(title).isWellFormed()).toBe(true);
    }
  });
});
