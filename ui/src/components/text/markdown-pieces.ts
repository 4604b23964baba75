/** A part of a text that can be rendered on its own. */
export interface Piece {
  text: string;
  /** The block takes too long to render and is shown as plain text. */
  plain: boolean;
}

const TARGET = 3000;
/** The limit of a block, without its code. */
const MAX_PROSE = 20_000;
/** The limit of a block. The time to parse emphasis and links can grow with the square of their marks. */
const MAX_MARKS = 1200;
/** The limit of nested quotes and lists. */
const MAX_DEPTH = 30;
const MAX_DEFINITIONS = 50;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** The definition of a link, such as `[1]: https://…`. */
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
 * Splits Markdown between its blocks into pieces that render quickly, so that a page can show one after the other. Every
 * piece gets the definitions of links.
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
    // An indented line may belong to the list item before it.
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

/** The levels of headings that a text has or may have, the highest first. */
export function headingLevels(markdown: string): number[] {
  const levels = new Set<number>();
  for (const [, marks, line] of markdown.matchAll(HEADING))
    levels.add(marks?.length ?? (line?.startsWith('=') ? 1 : 2));
  return [...levels].sort();
}
