import { codeBlock, escapeMarkdown } from './markdown.ts';

/** Converts HTML of a report to safe Markdown: paragraphs, lists and code stay, other elements lose their tags. */
export function htmlToMarkdown(html: string | undefined | null): string {
  const parts = (html ?? '').split(/<pre[^<>]*>([\s\S]*?)<\/pre>/i);
  return parts
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

const withoutTags = (html: string) => html.replace(/<\/?[a-z][^<>]*>|<!--[\s\S]*?-->/gi, '');

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
