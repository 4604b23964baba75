import sax from 'sax';
import { type Report, ReportError, type Split, tooManyMembers } from '../importer.ts';
import { addTo } from '../read/groups.ts';
import { checkAttributes, parseXml } from '../read/parse.ts';
import type { Texts } from '../read/source.ts';
import {
  checkDepth,
  checkSize,
  type OpenReport,
  type Part,
  type PartLimits,
  type PartReader,
  SAMPLE_SIZE,
  slicesOf,
} from './part.ts';

interface Handler {
  outside(text: string): void;
  /** @param path of the element @param parent counts the elements that contain members */
  member(text: string, path: string, parent: number): void;
}

/**
 * Finds the elements that are split. Their text is parsed later, with what is outside of them. Yields after each chunk.
 * @param paths of the elements
 */
async function* parse(
  texts: Texts,
  paths: readonly string[],
  limits: PartLimits,
  { outside, member }: Handler,
): AsyncIterable<void> {
  const parser = sax.parser(true);
  const open: { name: string; number: number }[] = [];
  let hasRoot = false;
  let parents = 0;
  /** The path of the current member, and the number of elements around it. */
  let current: { path: string; depth: number } | undefined;
  /** Text from a position on. */
  let text = '';
  let position = 0;
  let outsideLength = 0;
  /** Where the tag starts whose attributes are being read. */
  let tagStart: number | undefined;
  const takeTo = (end: number): string => {
    const taken = text.slice(0, end - position);
    text = text.slice(end - position);
    position = end;
    return taken;
  };
  const takeOutside = (end: number) => {
    const taken = takeTo(end);
    outsideLength += taken.length;
    outside(taken);
  };
  // The parsed parts tell what is invalid. Undeclared entities are valid there.
  parser.onerror = () => {
    parser.error = null as never;
  };
  parser.onopentagstart = ({ name }) => {
    hasRoot = true;
    tagStart = parser.startTagPosition;
    const path = [...open.map((element) => element.name), name].join('.');
    if (!current && paths.includes(path)) {
      takeOutside(parser.startTagPosition - 1);
      current = { path, depth: open.length };
    }
    checkDepth(open.push({ name, number: ++parents }));
  };
  parser.onopentag = () => {
    tagStart = undefined;
  };
  parser.onclosetag = () => {
    open.pop();
    if (current?.depth !== open.length) return;
    member(takeTo(parser.position), current.path, open.at(-1)?.number ?? 0);
    current = undefined;
  };
  for await (const chunk of texts()) {
    text += chunk;
    parser.write(chunk);
    if (tagStart !== undefined) checkAttributes(parser.position - tagStart);
    // An open tag may become a member. The text before the chunk has none but at its start.
    const tag = chunk.lastIndexOf('<');
    if (!current && tag >= 0) takeOutside(position + Math.max(0, text.length - chunk.length + tag));
    checkSize(outsideLength + text.length, limits);
    yield;
  }
  parser.close();
  if (open.length > 0 || current) throw new ReportError('The XML ends early: the report is truncated');
  if (!hasRoot) throw new ReportError('The XML has no element');
  takeOutside(position + text.length);
}

/** @param splits of all importers: which of them reads the report is not known yet */
export async function openXml(
  texts: Texts,
  splits: readonly Split[],
  limits: PartLimits,
): Promise<OpenReport> {
  const { maxMembers = Infinity, partBytes } = limits;
  const paths = splits.flatMap(({ xml = {} }) => Object.keys(xml));
  const found = new Set<string>();
  const first = new Map<number, string[]>();
  /** The text outside of the members: a piece in front of each list, and the rest. */
  const pieces = [''];
  /** The number of its list, by the number of the element that contains it. */
  const listOf = new Map<number, number>();
  let [count, sampled] = [0, 0];
  const survey = parse(texts, paths, limits, {
    outside(text) {
      pieces[pieces.length - 1] += text;
    },
    member(text, path, parent) {
      if (++count > maxMembers) throw tooManyMembers(maxMembers, path);
      found.add(path);
      const list = listOf.get(parent);
      if (list === undefined) listOf.set(parent, pieces.push('') - 2);
      if (list !== undefined && sampled + text.length > SAMPLE_SIZE) return;
      sampled += text.length;
      addTo(first, listOf.get(parent) ?? 0, text);
    },
  });
  for await (const _ of survey);
  const withMembers = (members: ReadonlyMap<number, readonly string[]>): Report =>
    parsePart(pieces.map((piece, list) => piece + (members.get(list)?.join('') ?? '')).join(''));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);

  async function* parts(xml: NonNullable<Split['xml']>): AsyncIterable<Part> {
    const names = Object.values(xml);
    const slices = slicesOf<number, string>(Math.max(partBytes, length), count, (add) =>
      parse(texts, Object.keys(xml), limits, {
        outside() {},
        member: (text, _path, parent) => add(listOf.get(parent) ?? 0, text, text.length),
      }),
    );
    for await (const [slice, offsets] of slices) {
      const [offset = 0] = offsets.values();
      yield { report: withMembers(slice), offsets: new Map(names.map((name) => [name, offset])) };
    }
  }

  function split({ xml }: Split): PartReader | undefined {
    if (!xml || [...found].some((path) => !(path in xml))) return undefined;
    return { common: withMembers(new Map()), parts: () => parts(xml) };
  }
  return { sample: withMembers(first), split };
}

function parsePart(text: string): Report {
  try {
    return parseXml(text.trim());
  } catch (error) {
    // The line is one of the part.
    if (error instanceof ReportError) throw new ReportError(error.message.replace(/ at line \d+$/, ''));
    throw error;
  }
}
