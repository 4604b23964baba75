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

/**
 * Splits a query at white space outside of quotes.
 * @param isKey whether a term with this key is a filter; others are words, such as `Export.java:193`
 */
export function termsOf(query: string, isKey: (key: string) => boolean): Term[] {
  return [...query.matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map(({ 0: text, index: start }): Term => {
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

const valuesOf = (text: string, start: number): Value[] =>
  [...text.matchAll(/(?:"[^"]*"?|[^,"])+|(?<=,|^)(?=,|$)/g)].map(({ 0: part, index }) =>
    unquoted(part, start + index),
  );

const unquoted = (text: string, start: number): Value => ({ text: text.replaceAll('"', ''), start });

/** Quotes a value that would be split. A quote in a value cannot be written and is left out. */
export function quoted(value: string): string {
  const text = value.replaceAll('"', '');
  return text === '' || /[\s,]/.test(text) ? `"${text}"` : text;
}
