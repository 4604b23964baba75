/** A piece of markup. Text between is not looked at. */
export interface Token {
  type: 'open' | 'close' | 'empty' | 'other';
  name: string;
  start: number;
  /** The position after it. */
  end: number;
}

/** Markup that may contain `<` and `>`, and how it ends. */
const SECTIONS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

const LONGEST_START = 9;

/**
 * Finds the next markup in XML.
 * @param isEnd whether nothing follows the text
 * @returns the position of markup whose end is not in the text; the end of the text if there is no markup
 */
export function nextToken(text: string, from: number, isEnd: boolean): Token | number {
  const start = text.indexOf('<', from);
  if (start < 0) return text.length;
  if (!isEnd && text.length - start < LONGEST_START) return start;
  for (const [opening, closing] of SECTIONS) {
    if (!text.startsWith(opening, start)) continue;
    const at = text.indexOf(closing, start + opening.length);
    return at < 0 ? start : { type: 'other', name: '', start, end: at + closing.length };
  }
  const end = text[start + 1] === '!' ? endOfDeclaration(text, start) : endOfTag(text, start);
  if (end === undefined) return start;
  if (text[start + 1] === '!') return { type: 'other', name: '', start, end };
  const isClose = text[start + 1] === '/';
  NAME.lastIndex = start + (isClose ? 2 : 1);
  const [name = ''] = NAME.exec(text) ?? [];
  const type = isClose ? 'close' : text[end - 2] === '/' ? 'empty' : 'open';
  return { type, name, start, end };
}

const NAME = /[^\s/>]*/y;

/** The position after a tag, whose attributes may contain `>`. */
function endOfTag(text: string, start: number): number | undefined {
  for (let at = start + 1; ; ) {
    const end = text.indexOf('>', at);
    if (end < 0) return undefined;
    const quote = /["']/.exec(text.slice(at, end));
    if (!quote) return end + 1;
    const closing = text.indexOf(quote[0], at + quote.index + 1);
    if (closing < 0) return undefined;
    at = closing + 1;
  }
}

/** The position after `<!DOCTYPE … [ … ]>`. */
function endOfDeclaration(text: string, start: number): number | undefined {
  const end = text.indexOf('>', start);
  const subset = text.indexOf('[', start);
  if (end < 0 || subset < 0 || subset > end) return end < 0 ? undefined : end + 1;
  SUBSET_END.lastIndex = subset;
  return SUBSET_END.test(text) ? SUBSET_END.lastIndex : undefined;
}

const SUBSET_END = /\]\s*>/g;
