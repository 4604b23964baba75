/** A part of a text that can be rendered by itself. */
export interface Piece {
  text: string;
  /** A block too long to be rendered in reasonable time: it is shown as it was written. */
  plain: boolean;
}

const TARGET = 3000;
/** Of a block, without code in it. */
const MAX_PROSE = 20_000;
/** Of a block: the time that marks of emphasis and links take can grow with the square of them. */
const MAX_MARKS = 1200;
/** Quotes and lists within each other. */
const MAX_DEPTH = 30;
const MAX_DEFINITIONS = 50;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Of a link that stands elsewhere: `[1]: https://…`. */
const DEFINITION = /^ {0,3}\[([^\]^][^\]]{0,99})\]:\s*\S/;

interface Block {
  lines: string[];
  size: number;
  prose: number;
  marks: number;
  depth: number;
}

const newBlock = (): Block => ({ lines: [], size: 0, prose: 0, marks: 0, depth: 0 });

/**
 * Cuts Markdown, between its blocks, into pieces of which each is rendered quickly; so a page can show one after the
 * other. Definitions of links are given to all of them.
 */
export function piecesOf(markdown: string): Piece[] {
  const { blocks, definitions } = blocksOf(markdown);
  const pieces: { lines: string[]; size: number; plain: boolean }[] = [];
  for (const { lines, size, prose, marks, depth } of blocks) {
    const plain = prose > MAX_PROSE || marks > MAX_MARKS || depth > MAX_DEPTH;
    const last = pieces.at(-1);
    if (last && !plain && !last.plain && last.size + size <= TARGET) {
      last.lines.push(...lines);
      last.size += size;
    } else {
      pieces.push({ lines, size, plain });
    }
  }
  const links =
    pieces.length > 1 && definitions.size > 0 ? `\n\n${[...definitions.values()].join('\n')}` : '';
  return pieces.map(({ lines, plain }) => ({ text: lines.join('\n') + (plain ? '' : links), plain }));
}

function blocksOf(markdown: string) {
  const definitions = new Map<string, string>();
  let block = newBlock();
  const blocks = [block];
  let fence: string | undefined;
  let afterBlank = false;
  for (const line of markdown.split(/\r\n?|\n/)) {
    // What is indented may belong to the item of a list before it.
    if (fence === undefined && afterBlank && /^\S/.test(line)) {
      block = newBlock();
      blocks.push(block);
    }
    const mark = FENCE.exec(line)?.[1];
    const inCode = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    const name = inCode ? undefined : DEFINITION.exec(line)?.[1]?.toLowerCase();
    if (name !== undefined && !definitions.has(name) && definitions.size < MAX_DEFINITIONS)
      definitions.set(name, line);
    block.lines.push(line);
    block.size += line.length + 1;
    if (!inCode) {
      block.prose += line.length;
      block.marks += countOf(/[*_~[\]<!]/g, line);
      block.depth = Math.max(block.depth, countOf(/>|[-*+](?=\s)/g, /^[\s>*+-]*/.exec(line)?.[0] ?? ''));
    }
    afterBlank = line.trim() === '';
  }
  return { blocks, definitions };
}

const countOf = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0;

const HEADING = /^ {0,3}(#{1,6})(?:\s|$)|^ {0,3}(=+|-+)\s*$/gm;

/** The levels of headings that a text has, or may have, the highest first. */
export function headingLevels(markdown: string): number[] {
  const levels = new Set<number>();
  for (const [, marks, line] of markdown.matchAll(HEADING))
    levels.add(marks?.length ?? (line?.startsWith('=') ? 1 : 2));
  return [...levels].sort();
}
