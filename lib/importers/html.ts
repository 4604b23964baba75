import { escapeMarkdown } from './markdown.ts';

const ENTITIES = new Map(
  Object.entries({ lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', amp: '&', rsquo: '’', lsquo: '‘' }),
);

/** Decodes the entities of HTML. Unknown ones stay. */
const decodeEntities = (html: string): string =>
  html.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (found, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? found;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : found;
  });

/** The text of an HTML fragment: paragraphs and list items on lines of their own, without tags. */
export const htmlText = (html: string | undefined | null): string =>
  decodeEntities(
    (html ?? '')
      .replace(/\s+/g, ' ')
      .replace(/<li\b[^<>]*>/gi, '\n• ')
      .replace(/<\/?(?:p|div|ul|ol|table|h[1-6]|pre|section|blockquote)\b[^<>]*>/gi, '\n\n')
      .replace(/<(?:br|\/tr|\/li)\b[^<>]*>/gi, '\n')
      .replace(/<\/?[a-z][^<>]*>|<!--[^<>]*>/gi, ''),
  )
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/** An HTML fragment as Markdown, or plain text that has no tags. */
export const htmlMarkdown = (html: string | undefined | null): string =>
  escapeMarkdown(/<\/?[a-z!][^<>]*>/i.test(html ?? '') ? htmlText(html) : decodeEntities(html ?? '').trim());

/** The addresses in HTML or text, each once. */
export const linksIn = (html: string | undefined | null): string[] => [
  ...new Set(
    [...(html ?? '').matchAll(/https?:\/\/[^\s"'<>\\^`{}|]{1,1000}/gi)].map(([found]) =>
      decodeEntities(found).replace(/[.,;:)\]]+$/, ''),
    ),
  ),
];
