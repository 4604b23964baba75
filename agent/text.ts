/*
 * Text from servers, reports and repositories is untrusted: a terminal or a CI log must show it and never obey it.
 */

/** Escape sequences as ECMA-48 defines them: CSI, strings such as OSC and DCS with their terminator, and two-part escapes. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-Z\\^-~]/g;

/** C0 without the line feed, DEL, C1, and the two Unicode line separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROLS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/g;

/** Marks that change the direction of the text after them (CVE-2021-42574). */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Commands that CI systems read from a log: `::add-mask::` at the start of a line, `##vso[…]` anywhere. */
const CI_COMMANDS = /^([^\S\n]*:)(?=:)|(#)(?=#\w*\[)/gm;

/** Text without anything that a terminal or a CI log obeys. Line breaks stay. */
export const printable = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(SEQUENCES, '')
    .replace(CONTROLS, ' ')
    .replace(BIDI, '')
    .replace(CI_COMMANDS, '$1$2 ');

/** The same on one line: untrusted text cannot start a line of its own. */
export const oneLine = (text: string): string => printable(text.replace(/[\r\n]+/g, ' '));

/** Characters that JSON leaves as they are. */
const OBEYED = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of JSON with the same characters escaped, so that parsed values are unchanged. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** An argument as a POSIX shell takes it. */
export const shellArgument = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
