import { collapseWhitespace } from '../support.ts';

/** The strings in a value that may be a string, a list or missing. */
export const toStrings = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');

/** The parts that are not empty, with a separator between them. */
export const joined = (parts: readonly unknown[], separator: string): string =>
  parts.filter(Boolean).join(separator);

const unchanged = (item: string) => item;

/** The first items of a list as lines, and how many more there are. @param format of the items that are shown */
export const firstLines = (items: readonly string[], max: number, format = unchanged): string[] => [
  ...items.slice(0, max).map((item) => format(item)),
  ...(items.length > max ? [`… and ${items.length - max} more`] : []),
];

/** The same as a Markdown list. */
export const bullets = (items: readonly string[], max: number, format = unchanged): string =>
  firstLines(items, max, format)
    .map((line) => `- ${line}`)
    .join('\n');

/** The first sentence of a text, truncated to `max` characters. */
export function firstSentence(text: string | undefined | null, max = 160): string {
  const [paragraph = ''] = (text ?? '').trim().split(/\n\s*\n/);
  const flat = collapseWhitespace(paragraph);
  const [sentence = flat] = /^.{8,}?(?<!\.)[^.\s](?=[.!?](?:\s|$))/.exec(flat) ?? [];
  if (sentence.length <= max) return sentence;
  return `${sentence.slice(0, max).replace(/\s\S*$/, '')}…`;
}

/** Escapes plain text for Markdown. */
export function escapeMarkdown(text: string): string {
  if (!MAY_BE_MARKDOWN.test(text)) return text.trim();
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .replace(/[`*[<]|_(?!\w)|(?<!\w)_|~(?=~)|(?<=~)~|&(?=#?\w+;)|\\(?=[!-/:-@[-`{-~]|$)/gm, '\\$&')
    .replace(/^(?:#(?=#{0,5}(?:\s|$))|[>|=]|[-+](?=[\s|+-]|$))/gm, '\\$&')
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/gm, '$1\\')
    .replace(/(?<=\S)\n(?=\S)/g, '  \n');
}

/** A character that `escapeMarkdown` escapes somewhere, or a second line. Most texts are a plain sentence. */
const MAY_BE_MARKDOWN = /[`*[<_~&\\\r\n\u2028\u2029]|^\s*[#>|=+\d-]/;

/** Makes Markdown of a report safe to embed: escapes HTML and closes an open code block. */
export function sanitizeMarkdown(text: string): string {
  let fence = '';
  const lines = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line) ?? [];
      if (fence !== '') {
        if (mark.startsWith(fence) && line.trim() === mark) fence = '';
        return line;
      }
      fence = mark;
      if (mark) return line;
      return escapeHtml(line);
    });
  return [...lines, ...(fence ? [fence] : [])].join('\n');
}

/** Escapes the HTML in a line of Markdown, except in code. */
function escapeHtml(line: string): string {
  const parts = line.split(/(`+)/);
  const last = new Map(parts.map((part, index) => [part, index]));
  let end = -1;
  return parts
    .map((part, index) => {
      if (index <= end) return part;
      if (part.startsWith('`')) {
        const escaped = /\\$/.test(parts[index - 1] ?? '');
        if (!escaped && (last.get(part) ?? 0) > index) end = parts.indexOf(part, index + 1);
        return part;
      }
      return part
        .replace(/<br\s*\/?>/gi, '  \n')
        .replace(/<\/?(?:b|strong)>/gi, '**')
        .replace(/\\.|<(?!https?:\/\/[^\s<>]+>)/g, (found) => (found === '<' ? '&lt;' : found));
    })
    .join('');
}

/** `file:line`, for people. */
export const formatLocation = (file: string | undefined | null, line?: number | null): string | undefined =>
  file ? `${file}${line && line > 0 ? `:${line}` : ''}` : undefined;

/** The first `max` lines of source code. */
export function excerpt(source: string | undefined | null, max = 30): string | undefined {
  const lines = source?.split('\n') ?? [];
  return lines.length > max ? [...lines.slice(0, max), '…'].join('\n') : (source ?? undefined);
}

/** A Markdown code block. The fence is longer than any backticks in the text. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text.replace(/(?<!\n)\n+$/, '')}\n${fence}`;
}

/** The length of the longest run of backticks. */
const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);

export function inlineCode(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const fence = '`'.repeat(longestRun(flat) + 1);
  return flat.startsWith('`') || flat.endsWith('`') ? `${fence} ${flat} ${fence}` : `${fence}${flat}${fence}`;
}

export interface Description {
  /** The problem, as Markdown. */
  what?: string | undefined | null;
  /** Labelled facts: package, version, URL … */
  facts?: Record<string, string | number | undefined | null>;
  /** The locations, if there are several, as Markdown. */
  where?: string | undefined | null;
  /** The affected lines of source code. */
  snippet?: string | undefined | null;
  /** The fix, as Markdown. */
  fix?: string | undefined | null;
  /** Further details, as Markdown. */
  details?: string | undefined | null;
  /** The documentation of the rule, as Markdown. */
  help?: string | undefined | null;
  references?: readonly (string | undefined | null)[];
}

/** Formats the description of a finding as Markdown. Empty parts are omitted. */
export function describeFinding({
  what,
  facts = {},
  where,
  snippet,
  fix,
  details,
  help,
  references = [],
}: Description): string {
  const lines = Object.entries(facts).filter(
    ([, value]) => value !== undefined && value !== null && String(value).trim() !== '',
  );
  const links = [...new Set(references.filter((link): link is string => Boolean(link?.trim())))];
  return [
    what?.trim(),
    lines.map(([label, value]) => `- **${label}:** ${inlineCode(String(value))}`).join('\n'),
    where?.trim() ? `**Where**\n\n${where.trim()}` : undefined,
    snippet?.trim() ? codeBlock(snippet) : undefined,
    fix?.trim() ? `**Fix**\n\n${fix.trim()}` : undefined,
    details?.trim() ? `**Details**\n\n${details.trim()}` : undefined,
    help?.trim() ? `**Help**\n\n${help.trim()}` : undefined,
    links.length > 0
      ? `**References**\n\n${links.map((link) => `- ${formatReference(link)}`).join('\n')}`
      : undefined,
  ]
    .filter(Boolean)
    .join('\n\n');
}

const formatReference = (link: string) =>
  /^https?:\/\/[^\s<>]+$/.test(link.trim()) ? `<${link.trim()}>` : inlineCode(link);
