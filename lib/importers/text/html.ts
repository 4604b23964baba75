import { codeBlock, escapeMarkdown } from './markdown.ts';

/** Converts HTML of a report to safe Markdown: paragraphs, lists and code stay, other elements lose their tags. */
export function htmlToMarkdown(html: string | undefined | null): string {
  return preformatted(html ?? '')
    .map((part, index) => {
      if (index % 2 === 1) return codeBlock(decodeEntities(withoutTags(part)).trim());
      const lines = part
        .replace(/\s+/g, ' ')
        .replace(/<li[^<>]*>/gi, '\n• ')
        .replace(/<br\s*\/?>/gi, '\n')
        .replace(/<\/?(?:p|div|h[1-6]|ul|ol|table|tr|blockquote|dl|dt|dd)(?:\s[^<>]*)?\/?>/gi, '\n\n');
      return escapeMarkdown(decodeEntities(withoutTags(lines)))
        .replace(/^•[ \t]*/gm, '- ')
        .replace(/ {2}\n(?=- )/g, '\n')
        .replace(/\n\s*\n\s*/g, '\n\n')
        .trim();
    })
    .filter(Boolean)
    .join('\n\n');
}

/** The text of HTML on one line. */
export const htmlToText = (html: string | undefined | null): string =>
  decodeEntities(withoutTags((html ?? '').replace(/<[^<>]*>/g, ' ')))
    .replace(/\s+/g, ' ')
    .trim();

/** An HTML fragment as Markdown, or plain text, whose lines are kept. */
export const htmlMarkdown = (html: string | undefined | null): string =>
  /<\/?[a-z!][^<>]*>/i.test(html ?? '')
    ? htmlToMarkdown(html)
    : escapeMarkdown(decodeEntities(html ?? '').trim());

/** The text of HTML with the lines of its paragraphs, list items and rows. */
export const htmlLines = (html: string | undefined | null): string =>
  decodeEntities(
    withoutTags(
      (html ?? '')
        .replace(/\s+/g, ' ')
        .replace(/<li\b[^<>]*>/gi, '\n• ')
        .replace(/<(?:\/?(?:p|div|ul|ol|table|pre|h[1-6])|br|\/tr)\b[^<>]*>/gi, '\n'),
    ),
  )
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');

/** The addresses in HTML or text, each once. */
export const linksIn = (html: string | undefined | null): string[] => [
  ...new Set(
    [...(html ?? '').matchAll(/https?:\/\/[^\s"'<>\\^`{}|]{1,1000}/gi)].map(([found]) =>
      decodeEntities(found).replace(/(?<![.,;:)\]])[.,;:)\]]+$/, ''),
    ),
  ),
];

/** Texts at even positions, the contents of `pre` elements at odd ones. Linear, unlike a pattern with both tags. */
function preformatted(html: string): string[] {
  const [first = '', ...rest] = html.split(/<pre\b[^<>]*>/i);
  return [
    first,
    ...rest.flatMap((part) => {
      const end = part.search(/<\/pre>/i);
      return end < 0 ? ['', part] : [part.slice(0, end), part.slice(end + '</pre>'.length)];
    }),
  ];
}

const withoutTags = (html: string) => withoutComments(html).replace(/<\/?[a-z][^<>]*>/gi, '');

function withoutComments(html: string): string {
  const [first = '', ...rest] = html.split('<!--');
  return [
    first,
    ...rest.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : part)),
  ].join('');
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (all, decimal, hex, name) => {
    if (name) return ENTITIES.get(name.toLowerCase()) ?? all;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
