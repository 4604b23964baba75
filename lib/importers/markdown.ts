import { normalized } from './support.ts';

/** The texts in what a report has as a text, a list of them, or not at all. */
export const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');

/** What a text begins with: its first sentence, or as much of it as fits. */
export function beginning(text: string | undefined | null, max = 160): string {
  const [paragraph = ''] = (text ?? '').trim().split(/\n\s*\n/);
  const flat = normalized(paragraph);
  const [sentence = flat] = /^.{8,}?(?<!\.)[^.\s](?=[.!?](?:\s|$))/.exec(flat) ?? [];
  if (sentence.length <= max) return sentence;
  return `${sentence.slice(0, max).replace(/\s+\S*$/, '')}…`;
}

/** Text as Markdown that shows it as it is. */
export function plain(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .replace(/[`*[<]|_(?!\w)|(?<!\w)_|~(?=~)|(?<=~)~|&(?=#?\w+;)|\\(?=[!-/:-@[-`{-~]|$)/gm, '\\$&')
    .replace(/^(?:#(?=#{0,5}(?:\s|$))|[>|=]|[-+](?=[\s|+-]|$))/gm, '\\$&')
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/gm, '$1\\')
    .replace(/(?<=\S)\n(?=\S)/g, '  \n');
}

/** Markdown of a report such that it cannot swallow what comes behind it: no HTML, and no code without an end. */
export function markdown(text: string): string {
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
      return withoutHtml(line);
    });
  return [...lines, ...(fence ? [fence] : [])].join('\n');
}

/** A line of Markdown whose HTML is text, except in code. */
function withoutHtml(line: string): string {
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

/** Where a finding is, to be read. */
export const placeOf = (file: string | undefined | null, line?: number | null): string | undefined =>
  file ? `${file}${line && line > 0 ? `:${line}` : ''}` : undefined;

/** The first lines of source text. */
export function excerpt(source: string | undefined | null, max = 30): string | undefined {
  const lines = source?.split('\n') ?? [];
  return lines.length > max ? [...lines.slice(0, max), '…'].join('\n') : (source ?? undefined);
}

/** Text as Markdown code, whatever it contains. */
export function code(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/(?<!\n)\n+$/, '')}\n${fence}`;
}

/** A short text as Markdown code inside a line. */
export function inlineCode(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return flat.startsWith('`') || flat.endsWith('`') ? `${fence} ${flat} ${fence}` : `${fence}${flat}${fence}`;
}

export interface Description {
  /** What it is about, Markdown. */
  what?: string | undefined | null;
  /** Labelled facts: package, version, URL … */
  facts?: Record<string, string | number | undefined | null>;
  /** Where it was seen when that is several places, Markdown. */
  where?: string | undefined | null;
  /** The lines of source in question. */
  snippet?: string | undefined | null;
  /** How to fix it, Markdown. */
  fix?: string | undefined | null;
  /** What there is to know beyond that, Markdown. */
  details?: string | undefined | null;
  /** What a tool's documentation says of it, Markdown. */
  help?: string | undefined | null;
  references?: readonly (string | undefined | null)[];
}

/** A finding's description: what, where, fix, references. */
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
    snippet?.trim() ? code(snippet) : undefined,
    fix?.trim() ? `**Fix**\n\n${fix.trim()}` : undefined,
    details?.trim() ? `**Details**\n\n${details.trim()}` : undefined,
    help?.trim() ? `**Help**\n\n${help.trim()}` : undefined,
    links.length > 0
      ? `**References**\n\n${links.map((link) => `- ${reference(link)}`).join('\n')}`
      : undefined,
  ]
    .filter(Boolean)
    .join('\n\n');
}

const reference = (link: string) =>
  /^https?:\/\/[^\s<>]+$/.test(link.trim()) ? `<${link.trim()}>` : inlineCode(link);
