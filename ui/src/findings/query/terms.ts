/** A part of a query: `key:value,value`, `-key:value`, or a word. */
export interface Term {
  /** Positions in the query, in UTF-16 units. */
  start: number;
  end: number;
  /** As it was typed. Undefined for a word. */
  key: string | undefined;
  isNegated: boolean;
  values: Value[];
}

export interface Value {
  text: string;
  /** Position in the query. */
  start: number;
}

const KEY = /^(-?)([a-z_]+):/i;

/** A text in quotes, in which two quotes stand for one. The last one may be missing. */
const QUOTED = '"(?:[^"]|"")*"?';
const QUOTES = new RegExp(QUOTED, 'g');
const TERM = new RegExp(`(?:${QUOTED}|[^\\s"])+`, 'g');
const VALUE = new RegExp(`(?:${QUOTED}|[^,"])+|(?<=,|^)(?=,|$)`, 'g');

/**
 * Splits a query at white space outside of quotes.
 * @param isKey whether a term with this key is a filter; others are words, such as `Export.java:193`
 */
export function termsOf(query: string, isKey: (key: string) => boolean): Term[] {
  return [...query.matchAll(TERM)].map(({ 0: text, index: start }): Term => {
    const [prefix = '', sign = '', key = ''] = KEY.exec(text) ?? [];
    const isFilter = key !== '' && isKey(key.toLowerCase());
    return {
      ...{ start, end: start + text.length },
      key: isFilter ? key.toLowerCase() : undefined,
      isNegated: isFilter && sign === '-',
      values: isFilter ? valuesOf(text.slice(prefix.length), start + prefix.length) : [unquoted(text, start)],
    };
  });
}

/** None after a key with nothing behind it. */
const valuesOf = (text: string, start: number): Value[] =>
  text === '' ? [] : [...text.matchAll(VALUE)].map(({ 0: part, index }) => unquoted(part, start + index));

const unquoted = (text: string, start: number): Value => ({ text: text.replace(QUOTES, contentOf), start });

function contentOf(part: string): string {
  const isClosed = part.replace(/[^"]/g, '').length % 2 === 0;
  return part.slice(1, isClosed ? -1 : undefined).replaceAll('""', '"');
}

export const inQuotes = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Quotes a value that would be split. */
export const quoted = (value: string): string =>
  value === '' || /[\s,"]/.test(value) ? inQuotes(value) : value;
