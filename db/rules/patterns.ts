/*
 * Patterns of paths and titles. A pattern is read once, with the set of places in the text that the part read so far can reach:
 * one bit of a number for each place. The time is proportional to the length of the pattern times that of the text, 64
 * characters at once, and nothing is prepared for a pattern. A regular expression of JavaScript would try every way to divide
 * the text among the wildcards.
 */

export const MAX_PATTERN = 256;
/** The maximum for one pattern. PostgreSQL tries every way to divide a text among the wildcards, so few are allowed. */
export const MAX_WILDCARDS = 10;

export const WILDCARD = /\*\*\/|\*+|\?/g;

export const countWildcards = (pattern: string): number => pattern.match(WILDCARD)?.length ?? 0;

/** Wildcards and characters of a pattern. */
export type Pattern = readonly string[];

/** A pattern of paths: `*` and `?` do not match `/`, `**` does, and `**` with `/` also matches no folder at all. */
export const pathPattern = (pattern: string): Pattern => pattern.match(/\*\*\/|\*+|./gsu) ?? [];

/** A pattern of titles, which ignores the case of A to Z: `*` matches any text, `?` any character. */
export const titlePattern = (pattern: string): Pattern => foldCase(pattern).match(/\*+|./gsu) ?? [];

/** Only A to Z, as `lower()` with the collation "C" of PostgreSQL: other letters depend on its version and locale. */
const foldCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A set of places in a text: bit 0 is before its first character. */
type Places = bigint;

/** A text that patterns are compared with. */
export interface Text {
  length: bigint;
  /** The places before each character. */
  characters: ReadonlyMap<string, Places>;
  any: Places;
  /** The places before the characters that `*` and `?` match. */
  single: Places;
  slashes: Places;
}

export function pathText(path: string): Text {
  const text = textOf(path);
  const slashes = text.characters.get('/') ?? 0n;
  return { ...text, slashes, single: text.any & ~slashes };
}

export const titleText = (title: string): Text => textOf(foldCase(title));

function textOf(text: string): Text {
  const characters = new Map<string, Places>();
  let place = 1n;
  let length = 0n;
  for (const character of text) {
    characters.set(character, (characters.get(character) ?? 0n) | place);
    place <<= 1n;
    length++;
  }
  const any = place - 1n;
  return { length, characters, any, single: any, slashes: 0n };
}

/** Tells whether a pattern matches a whole text. */
export function matches(pattern: Pattern, { length, characters, any, single, slashes }: Text): boolean {
  let reached = 1n;
  for (const part of pattern) {
    if (part === '?') reached = (reached & single) << 1n;
    else if (part === '**/') reached |= (pass(reached, any) & slashes) << 1n;
    else if (part === '*') reached = pass(reached, single);
    else if (part.startsWith('*')) reached = pass(reached, any);
    else reached = (reached & (characters.get(part) ?? 0n)) << 1n;
    if (reached === 0n) return false;
  }
  return reached >> length === 1n;
}

/** The places that are reached by passing any number of characters of a set: the sum carries through each run of them. */
const pass = (reached: Places, set: Places): Places => (((reached & set) + set) ^ set) | reached;
