import { isIgnored } from './scope.ts';

/** A longer statement contains much that a finding is not about. */
export const MAX_STATEMENT_LINES = 10;

/** Limits the work for hostile files. A longer line is not part of a longer statement. */
const MAX_LINE = 300;
const MAX_SKIPPED = 5;
const MAX_IGNORED_LINES = 100;

/** First and last line. Lines count from 1. */
export type Range = readonly [first: number, last: number];

const skeletonsByFile = new WeakMap<readonly string[], (string | undefined)[]>();

/** A line without texts and comments. */
function skeletonAt(lines: readonly string[], line: number): string {
  let skeletons = skeletonsByFile.get(lines);
  if (!skeletons) {
    skeletons = [];
    skeletonsByFile.set(lines, skeletons);
  }
  const known = skeletons[line];
  if (known !== undefined) return known;
  const text = lines[line - 1] ?? '';
  const skeleton = text.length > MAX_LINE ? '' : skeletonOf(text);
  skeletons[line] = skeleton;
  return skeleton;
}

/** In one pass, because the line may be hostile. A quote that is not closed is an apostrophe. */
function skeletonOf(line: string): string {
  let skeleton = '';
  const unclosed = new Set<string>();
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    const isComment = character === '#' ? line[at + 1] !== '[' : line.startsWith('//', at);
    if (isComment && /^$|\s$/.test(skeleton.slice(-1))) break;
    const end = QUOTES.includes(character) && !unclosed.has(character) ? endOfText(line, at) : at;
    if (end === undefined) unclosed.add(character);
    skeleton += end === undefined || end === at ? character : '""';
    at = end ?? at;
  }
  return skeleton.trim();
}

const QUOTES = '"\'`';

function endOfText(line: string, start: number): number | undefined {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === line[start]) return at;
  }
  return undefined;
}

/** The statement goes on in the next line. */
const CONTINUES = /(?:=>|[^=!<>]=|[^+]\+|&&|\|\||\?|\\)$/;
const CONTINUED = /^(?:\?\.|\.[\w$]|&&|\|\||[+*%]\s|\?\s|(?:and|or)\s)/;

/**
 * The statement that contains lines: from the line with the bracket that is open there, to the line where it closes, but not
 * out of a block. The same lines if the statement is long.
 */
export function statementAround(lines: readonly string[], [first, last]: Range): Range {
  const start = startOf(lines, first);
  const end = start === undefined ? undefined : endOf(lines, start, last);
  return start === undefined || end === undefined ? [first, last] : [start, end];
}

function startOf(lines: readonly string[], first: number): number | undefined {
  const own = skeletonAt(lines, first);
  let depth = unmatchedClosers(own);
  if (depth === undefined) return first;
  let [start, below, isPending, isAdjacent] = [first, own, depth > 0, true];
  for (let at = first - 1; at >= 1 && first - at < MAX_STATEMENT_LINES; at--) {
    const text = skeletonAt(lines, at);
    if (text === '') continue;
    if (isAdjacent && depth === 0 && (CONTINUES.test(text) || CONTINUED.test(below))) isPending = true;
    for (let index = text.length - 1; index >= 0; index--) {
      const character = text[index] ?? '';
      if (CLOSERS.includes(character)) depth++;
      else if (!OPENERS.includes(character)) continue;
      else if (depth > 0) depth--;
      else if (character === '(') start = at;
      else return start;
    }
    if (isPending && depth === 0) start = at;
    isAdjacent = start === at;
    if (isAdjacent) isPending = false;
    below = text;
  }
  return start;
}

const OPENERS = '([{';
const CLOSERS = ')]}';

/** How many round and square brackets a line closes that it does not open; undefined if it closes a block. */
function unmatchedClosers(text: string): number | undefined {
  let [open, unmatched] = [0, 0];
  for (const character of text) {
    if (OPENERS.includes(character)) open++;
    else if (!CLOSERS.includes(character)) continue;
    else if (open > 0) open--;
    else if (character === '}') return undefined;
    else unmatched++;
  }
  return unmatched;
}

function endOf(lines: readonly string[], start: number, last: number): number | undefined {
  const open: string[] = [];
  for (let at = start; at <= lines.length && at - start < MAX_STATEMENT_LINES; at++) {
    const text = skeletonAt(lines, at);
    for (const character of text) {
      if (OPENERS.includes(character)) open.push(character);
      else if (CLOSERS.includes(character)) open.pop();
    }
    if (at < last) continue;
    if (open.at(-1) === '{') return at;
    if (open.length === 0 && !CONTINUES.test(text) && !CONTINUED.test(skeletonAt(lines, at + 1))) return at;
  }
  return undefined;
}

/**
 * The statements before and after lines, without empty lines, comments and statements for which `isSkipped` holds.
 * @param range lines of whole statements
 */
export function neighboursOf(
  lines: readonly string[],
  [first, last]: Range,
  isSkipped: (statement: string) => boolean,
): string[] {
  return ([-1, 1] as const).map((step) => {
    let at = step < 0 ? first - 1 : last + 1;
    let skipped = 0;
    for (let looked = 0; looked < MAX_IGNORED_LINES && at >= 1 && at <= lines.length; looked++) {
      if (!isIgnored(lines[at - 1] ?? '')) {
        const [start, end] = statementAround(lines, [at, at]);
        const statement = textOf(lines, [start, end]).slice(0, MAX_LINE);
        if (!isSkipped(statement)) return statement;
        if (++skipped > MAX_SKIPPED) return '';
        at = step < 0 ? start : end;
      }
      at += step;
    }
    return '';
  });
}

export const textOf = (lines: readonly string[], [first, last]: Range): string =>
  lines.slice(first - 1, last).join('\n');
