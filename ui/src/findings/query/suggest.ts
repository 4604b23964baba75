import type { QueryContext } from './key.ts';
import { KEYS } from './keys.ts';
import { isKey } from './query.ts';
import { quoted, termsOf } from './terms.ts';

/** A completion of the term at the cursor. */
export interface Suggestion {
  /** Replaces the text from `start` to the cursor. */
  text: string;
  label: string;
}

const MAX_SUGGESTIONS = 12;

/** Completes the key or the value before the cursor. */
export function suggest(
  query: string,
  cursor: number,
  context: QueryContext,
): { start: number; suggestions: Suggestion[] } {
  const typed = query.slice(0, cursor);
  const term = termsOf(typed, isKey).at(-1);
  if (!term || term.end < cursor) return keysFrom('', cursor);
  const { key, values, start } = term;
  if (key === undefined) return keysFrom(typed.slice(start), start);
  const last = values.at(-1) ?? { text: '', start: cursor };
  const wanted = last.text.toLowerCase();
  const chosen = new Set(values.slice(0, -1).map(({ text }) => text));
  const suggestions = (KEYS[key]?.options(context) ?? [])
    .filter(
      ({ value, label = '' }) => !chosen.has(value) && `${value}\n${label}`.toLowerCase().includes(wanted),
    )
    .map(({ value, label }) => ({ text: quoted(value), label: label ?? value }));
  return { start: last.start, suggestions: suggestions.slice(0, MAX_SUGGESTIONS) };
}

function keysFrom(typed: string, start: number) {
  const sign = typed.startsWith('-') ? '-' : '';
  const wanted = typed.slice(sign.length).toLowerCase();
  const suggestions = Object.entries(KEYS)
    .filter(([key]) => key.startsWith(wanted))
    .map(([key, { description }]) => ({ text: `${sign}${key}:`, label: description }));
  return { start, suggestions: suggestions.slice(0, MAX_SUGGESTIONS) };
}
