/** A part of an issue or a comment. */
export type Block =
  /** A sentence of this service, without any value. */
  | { kind: 'text'; text: string }
  /** Values as reported or entered, such as `Severity: high`. */
  | { kind: 'facts'; facts: readonly (readonly [label: string, value: string])[] }
  /** A text as reported or entered. The heading is of this service. */
  | { kind: 'reported'; heading: string; text: string }
  /** An address of this service. */
  | { kind: 'link'; text: string; url: string };

/** The largest text of an issue or comment. GitHub accepts 65,536 characters, Jira 32,767. */
const MAX_BODY = 30_000;
const MAX_VALUE = 500;
const MAX_TITLE = 250;

/** Shows nothing, and separates what it is between. */
export const JOINER = '\u2060';

/** Control characters except tab and newline, and characters that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text without characters that show nothing. */
export const visible = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(HIDDEN, '').toWellFormed();

/** The first characters of a text, with a mark if there are more. */
export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

/** A text in one line. */
export const inLine = (text: string, max = MAX_VALUE): string =>
  shortened(visible(text).replaceAll(/\s+/g, ' ').trim(), Math.min(max, MAX_VALUE));

/** A title that mentions nobody and refers to nothing: GitLab reads `@`, `#` and other characters before a word. */
export const plainTitle = (title: string): string =>
  shortened(inLine(title, MAX_TITLE).replaceAll(/[@#!~%&$^*](?=[\w"{[])/g, `$&${JOINER}`), MAX_TITLE) ||
  'Finding';

/** Writes blocks with a function, and shortens the reported texts and values until all fit. */
export function fitting(write: (maxText: number) => string): string {
  for (let max = MAX_BODY; ; max = Math.floor(max / 2)) {
    const text = write(max);
    if (text.length <= MAX_BODY || max < 10) return text;
  }
}
