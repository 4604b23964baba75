import * as text from '#strings/findings/query.ts';
import { type Filters, InvalidValue, type QueryContext } from './key.ts';
import { KEYS } from './keys.ts';
import { inQuotes, type Term, termsOf } from './terms.ts';

/** A term that is not understood. */
export interface QueryProblem {
  /** Positions in the query, in UTF-16 units. */
  start: number;
  end: number;
  message: string;
}

export const isKey = (key: string): boolean => Object.hasOwn(KEYS, key);

/** Keys such as `severty:` that are no filters, so they are searched for as text. `https://` and `std::` are none. */
export const unknownKeys = (query: string): string[] =>
  termsOf(query, () => true)
    .filter(({ key, values: [value] }) => key && !isKey(key) && value && /^[^/:]/.test(value.text))
    .map(({ key }) => `${key}:`);

/** Parses a query. Terms that are not understood are left out of the filters. */
export function parseQuery(
  query: string,
  context: QueryContext,
): { filters: Filters; problems: QueryProblem[] } {
  const filters: Filters = {};
  const problems: QueryProblem[] = [];
  const words: string[] = [];
  // A term with “-” narrows what the others of its key name.
  for (const term of termsOf(query, isKey).sort((a, b) => Number(a.isNegated) - Number(b.isNegated)))
    read(term);
  if (words.length > 0) filters.q = words.join(' ');
  return { filters, problems: problems.sort((a, b) => a.start - b.start) };

  function read({ key, isNegated, values, start, end }: Term): void {
    const texts = values.map(({ text }) => text);
    if (key === undefined) {
      words.push(...texts.filter((text) => text !== ''));
      return;
    }
    try {
      if (texts.length === 0) throw new InvalidValue(text.needsValue);
      KEYS[key]?.read(texts, isNegated, filters, context);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      problems.push({ start, end, message: text.problem(key, error.message) });
    }
  }
}

/** Writes filters as a query, which {@link parseQuery} turns into the same filters. */
export const formatQuery = (filters: Filters, context: QueryContext): string =>
  [
    ...Object.values(KEYS).flatMap((key) => key.write(filters, context)),
    ...(filters.q ? [isPlain(filters.q) ? filters.q : inQuotes(filters.q)] : []),
  ].join(' ');

/** Whether a text is searched for as it is, so that it needs no quotes. */
const isPlain = (words: string): boolean =>
  !words.includes('"') &&
  words.split(' ').every((word) => word !== '' && !/\s/.test(word)) &&
  termsOf(words, isKey).every(({ key }) => key === undefined);

/**
 * Whether the term at the end of a query may be the start of another one: a word that is the start of a key, or a value of any text.
 * Until it is complete, it would show an empty list.
 */
export function isUnfinished(query: string): boolean {
  const term = termsOf(query, isKey).at(-1);
  if (term?.end !== query.length) return false;
  const { key, values } = term;
  if (key !== undefined) return KEYS[key]?.isFreeText === true;
  const word = values[0]?.text.replace(/^-/, '').toLowerCase() ?? '';
  return Object.keys(KEYS).some((key) => key.startsWith(word));
}
