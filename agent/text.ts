/*
 * Text from servers, reports and repositories is untrusted. It must not control a terminal or a CI system.
 */

/** ECMA-48 escape sequences: CSI, strings such as OSC and DCS with their terminator, and two-byte escapes. */
const ESCAPE_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\^-~]/g;

/** C0 except the line feed, DEL, C1 and the two Unicode line separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL_CHARACTERS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/g;

/** Marks that change the text direction (CVE-2021-42574). */
const BIDI_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Commands that CI systems execute from a log: `::add-mask::` at the start of a line, `##vso[…]` anywhere. */
const CI_COMMANDS = /^([^\S\r\n\u2028\u2029]*:)(?=:)|(#)(?=#\w*\[)/gm;

/** Strips terminal control sequences and breaks up CI commands. Line breaks are kept. */
export const printable = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(ESCAPE_SEQUENCES, '')
    .replace(CONTROL_CHARACTERS, ' ')
    .replace(BIDI_MARKS, '')
    .replace(CI_COMMANDS, '$1$2 ');

/** Like `printable`, on a single line: untrusted text cannot start a new line. */
export const oneLine = (text: string): string => printable(text.replace(/[\r\n]+/g, ' '));

/** Control characters that `JSON.stringify` does not escape. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Commands that Azure Pipelines and GitHub Actions execute anywhere in a line. In JSON, `#` occurs in strings only. */
const CI_COMMANDS_IN_JSON = /#(?=#\w*\[)/g;

/** One line of JSON with control characters and CI commands escaped. Parsed values are unchanged. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value)
    .replace(UNSAFE_IN_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(CI_COMMANDS_IN_JSON, '\\u0023');

/** Quotes an argument for a POSIX shell. */
export const shellArgument = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `1 finding`, `2 findings` */
export const quantity = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
