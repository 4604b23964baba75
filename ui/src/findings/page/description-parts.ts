/** The parts of a description that the page shows in places of their own. */
export interface DescriptionParts {
  /** How to fix the finding, as Markdown. */
  fix: string | undefined;
  /** The first code block before the fix: the affected code. */
  evidence: Evidence | undefined;
  /** Everything else, as Markdown. */
  rest: string;
}

export interface Evidence {
  code: string;
  /** As written after the fence. */
  language: string | undefined;
  /** The number of the first line, if it is known. */
  first: number | undefined;
}

const FENCE = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(?=[^`]*$)\s*([\w+#-]*)/;
const LABEL = /^\*\*([^*]{1,60}?):?\*\*\s*$/;
const HEADING = /^(#{1,6})\s+(\S.{0,79}?)\s*#*$/;
const FIX = /^(?:how to fix(?: it)?|fix|remediation|recommendation|solution|mitigation)s?:?$/i;
/** The definition of a link, such as `[1]: https://…`. */
const DEFINITION = /^ {0,3}\[[^\]^][^\]]{0,99}\]:\s*\S/;
/** The labels of importers, which end a part that began with a label. */
const LABELS = /^(?:where|fix|details|help|references)$/i;

interface Block {
  lines: string[];
  /** Set for a code block. */
  fence?: string;
}

/** Splits a description into its code blocks and lines, each with what belongs to it. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { block: Block; fence: string } | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const [, fence = '', language] = FENCE.exec(line) ?? [];
    if (open) {
      open.block.lines.push(line);
      if (fence.startsWith(open.fence) && language === '') open = undefined;
    } else if (fence) {
      const block = { lines: [line], fence: language ?? '' };
      open = { block, fence };
      blocks.push(block);
    } else blocks.push({ lines: [line] });
  }
  return blocks;
}

/** Finds the fix and the affected code in a description, wherever they are marked. */
export function partsOf(description: string, line: number | undefined, source?: string): DescriptionParts {
  const fix: string[] = [];
  const rest: string[] = [];
  const definitions: string[] = [];
  let evidence: Evidence | undefined;
  /** The level of the heading that began the fix; 7 for a label. */
  let inFix: number | undefined;
  let wasFix = false;
  let isLabelled = false;
  for (const { lines, fence } of blocksOf(description)) {
    const [text = ''] = lines;
    if (fence === undefined) {
      const [, marks = '', heading] = HEADING.exec(text) ?? [];
      const label = LABEL.exec(text)?.[1];
      const level = heading ? marks.length : label && LABELS.test(label) ? 7 : undefined;
      if (DEFINITION.test(text)) definitions.push(text);
      if (level !== undefined) isLabelled = true;
      if (!wasFix && FIX.test(heading ?? label ?? '')) {
        inFix = heading ? marks.length : 7;
        wasFix = true;
        continue;
      }
      if (inFix !== undefined && level !== undefined && level <= inFix) inFix = undefined;
    } else if (!evidence && inFix === undefined && !wasFix && !isAfter(isLabelled, rest)) {
      evidence = evidenceOf(lines, fence, line, source);
      continue;
    }
    (inFix === undefined ? rest : fix).push(...lines);
  }
  const fixed = fix.join('\n').trim();
  // Links of the fix may be defined anywhere.
  const links = definitions.filter((one) => !fix.includes(one)).join('\n');
  return {
    fix: (links && fixed ? `${fixed}\n\n${links}` : fixed) || undefined,
    evidence,
    rest: rest.join('\n').trim(),
  };
}

/** Whether a code block belongs to a labelled part, such as the data flow or details. */
const isAfter = (isLabelled: boolean, before: readonly string[]) =>
  isLabelled && before.some((line) => /^\*\*(?:details|help|references)\*\*\s*$/i.test(line));

const NUMBERED = /^\s*(?:>\s*)?(\d{1,7})(?:\s*[:|]\s?|\s|$)(.*)$/;
/** Scanners whose code starts at the line of the finding. */
const STARTS_AT_LINE: ReadonlySet<string> = new Set(['semgrep']);

function evidenceOf(
  block: readonly string[],
  language: string,
  line: number | undefined,
  source: string | undefined,
): Evidence {
  const isClosed = block.length > 1 && FENCE.test(block.at(-1) ?? '');
  const lines = block.slice(1, isClosed ? -1 : undefined);
  const numbered = lines.map((text) => NUMBERED.exec(text));
  const first = Number(numbered[0]?.[1]);
  const hasNumbers = lines.length > 0 && numbered.every((found, i) => Number(found?.[1]) === first + i);
  const shared = { language: language || undefined };
  if (hasNumbers) return { ...shared, code: numbered.map((found) => found?.[2] ?? '').join('\n'), first };
  const isKnown = lines.length === 1 || STARTS_AT_LINE.has(source ?? '');
  return { ...shared, code: lines.join('\n'), first: isKnown ? line : undefined };
}

/** The language of a file by the end of its name, for highlighting. */
export const languageOf = (file: string | undefined): string | undefined =>
  file === undefined ? undefined : /\.(\w{1,10})$/.exec(file)?.[1]?.toLowerCase();
