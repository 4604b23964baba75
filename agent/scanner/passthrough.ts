import { StringDecoder } from 'node:string_decoder';
import { printable } from '../text.ts';

/** A longer line is broken, so that a scanner that never ends one cannot fill the memory. */
const MAX_LINE = 16_384;

/** A line that `printable` does not change: most lines of verbose scanners. */
const PLAIN = /^(?!\s*::)[\x20-\x22\x24-\x7e]*$/;

/**
 * Passes the output of a scanner on, line by line and without terminal control sequences and commands of CI systems.
 * @param sign what lines look like that say that the scanner failed
 */
export function createPassthrough(write: (text: string) => void, sign?: RegExp) {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let hasSign = false;

  function add(text: string): void {
    // A progress display returns to the start of the line.
    const lines = (line + text).split(/\r?\n|\r(?!$)/);
    line = lines.pop() ?? '';
    while (line.length > MAX_LINE) {
      lines.push(line.slice(0, MAX_LINE));
      line = line.slice(MAX_LINE);
    }
    print(lines);
  }

  function print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const shown = lines.map((complete) => (PLAIN.test(complete) ? complete : printable(complete)).trimEnd());
    write(`${shown.join('\n')}\n`);
    hasSign ||= sign !== undefined && shown.some((one) => sign.test(one));
  }

  return {
    push: (chunk: Buffer) => add(decoder.write(chunk)),
    /** Prints an unfinished line. */
    end() {
      add(decoder.end());
      if (line !== '') print([line]);
      line = '';
    },
    /** Whether a line had the sign. */
    hasSign: () => hasSign,
  };
}
