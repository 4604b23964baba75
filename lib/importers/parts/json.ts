import { Tokenizer, TokenParser, TokenType } from '@streamparser/json';
import { ReportError, type Split, tooManyMembers } from '../importer.ts';
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

/** A list whose members are split. */
interface List {
  path: readonly (string | number)[];
  /** The path as a text. */
  name: string;
  /** The path in `Split` that names the list. */
  pattern: string;
  members: unknown[];
  count: number;
}

type Lists = Map<string, List>;

const OPENING = [TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET];
const CLOSING = [TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET];

interface Handler {
  /** A member of a list. @returns what remains of it in the document; undefined for nothing */
  member(list: List, value: unknown, bytes: number): unknown;
  /** @param bytes the size without the members of which nothing remains */
  document(value: unknown, lists: Lists, bytes: number): void;
}

/** Parses JSON documents in a row. Yields after each chunk, so that the handler's results can be processed. */
async function* parse(
  texts: Texts,
  patterns: readonly string[],
  limits: PartLimits,
  handler: Handler,
): AsyncIterable<void> {
  const encoder = new TextEncoder();
  const tokenizer = new Tokenizer({ separator: '', stringBufferSize: 64 * 1024 });
  const paths = patterns.map((pattern) => (pattern === '' ? '$.*' : `$.${pattern}.*`));
  const parser = new TokenParser({ separator: '', paths: ['$', ...paths] });
  /** Where the open brackets are. */
  const starts: number[] = [];
  let lists: Lists = new Map();
  let list: List | undefined;
  let documents = 0;
  let [written, released, start, end, memberEnd] = [0, 0, 0, 0, 0];
  tokenizer.onToken = (token) => {
    if (OPENING.includes(token.token)) checkDepth(starts.push(token.offset));
    start = CLOSING.includes(token.token) ? (starts.pop() ?? 0) : token.offset;
    end = token.offset + 1;
    parser.write(token);
  };
  parser.onValue = ({ value, parent, stack }) => {
    if (stack.length === 0) {
      documents++;
      handler.document(value, lists, end - released);
      released = end;
      lists = new Map();
      list = undefined;
    } else if (Array.isArray(parent)) {
      if (list?.members !== parent) {
        const path = stack.slice(1).map(({ key }) => key as string | number);
        list = listAt(path, parent, patterns, lists);
        memberEnd = start;
      }
      list.count++;
      // The separators in front of the member belong to it.
      const bytes = end - memberEnd;
      memberEnd = end;
      const kept = handler.member(list, value, bytes);
      if (kept === undefined) {
        parent.pop();
        released += bytes;
      } else parent[parent.length - 1] = kept as never;
    }
  };
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      if (error instanceof ReportError) throw error;
      const document = documents > 0 ? `document ${documents + 1}` : undefined;
      throw new ReportError('The JSON is invalid', list ? [...list.path, list.count].join('.') : document);
    }
  };
  for await (const text of texts()) {
    const bytes = encoder.encode(text);
    written += bytes.length;
    attempt(() => tokenizer.write(bytes));
    checkSize(written - released, limits);
    yield;
  }
  if (starts.length > 0) throw new ReportError('The JSON ends early: the report is truncated');
  attempt(() => tokenizer.end());
}

function listAt(path: List['path'], members: unknown[], patterns: readonly string[], lists: Lists): List {
  const name = path.join('.');
  const known = lists.get(name);
  if (known?.members === members) return known;
  if (known) throw new ReportError('The report contains a list twice', name || undefined);
  const pattern = patterns.find((one) => {
    const names = one === '' ? [] : one.split('.');
    return names.length === path.length && names.every((key, at) => key === '*' || key === String(path[at]));
  });
  const list = { path, name, pattern: pattern ?? '', members, count: 0 };
  lists.set(name, list);
  return list;
}

const SAMPLE_MEMBERS = 20;

/** @param splits of all importers: which of them reads the report is not known yet */
export async function openJson(
  texts: Texts,
  splits: readonly Split[],
  limits: PartLimits,
): Promise<OpenReport> {
  const { maxMembers = Infinity } = limits;
  const reductions = new Map(splits.flatMap(({ reduced = {} }) => Object.entries(reduced)));
  const patterns = [...splits.flatMap(({ json = [] }) => json), ...reductions.keys()];
  const documents: unknown[] = [];
  let lists: Lists = new Map();
  let [count, sampled, commonBytes] = [0, 0, 0];
  const isInSample = (position: number, bytes: number) => {
    sampled += bytes;
    return position === 1 || (position <= SAMPLE_MEMBERS && sampled <= SAMPLE_SIZE);
  };
  const survey = parse(texts, patterns, limits, {
    member({ count: position, pattern, name }, value, bytes) {
      if (position > maxMembers) throw tooManyMembers(maxMembers, name);
      const reduce = reductions.get(pattern);
      if (reduce) return reduce(value);
      return isInSample(position, bytes) ? value : undefined;
    },
    document(value, found, bytes) {
      if (++count > maxMembers) throw tooManyMembers(maxMembers, '');
      if (isInSample(count, bytes)) documents.push(value);
      if (count > 1) return;
      lists = found;
      commonBytes = bytes;
    },
  });
  for await (const _ of survey);

  function split({ json, reduced = {}, documents: isSplit }: Split): PartReader | undefined {
    if (count > 1) return isSplit ? { common: undefined, parts: documentsIn } : undefined;
    const all = [...lists.values()];
    const isOwn = ({ pattern }: List) => json?.includes(pattern) || pattern in reduced;
    if (!json || !all.every(isOwn)) return undefined;
    for (const { path, name, members } of all) {
      // The last one of a name counts. The members may be those of another one.
      if (valueAt(documents[0], path) !== members)
        throw new ReportError('The report contains a name twice', name || undefined);
    }
    const split = all.filter(({ pattern }) => json.includes(pattern));
    for (const { members } of split) members.length = 0;
    return { common: { kind: 'json', documents }, parts: () => partsIn(split) };
  }

  /** The report with some members of its lists at a time. */
  async function* partsIn(split: readonly List[]): AsyncIterable<Part> {
    const names = new Set(split.map(({ name }) => name));
    const expected = split.reduce((sum, list) => sum + list.count, 0);
    const partBytes = Math.max(limits.partBytes, commonBytes);
    const slices = slicesOf<string, unknown>(partBytes, expected, (add) =>
      parse(texts, patterns, limits, {
        member({ name }, value, bytes) {
          if (names.has(name)) add(name, value, bytes);
        },
        document() {},
      }),
    );
    for await (const [slice, offsets] of slices) {
      for (const { name, members } of split) for (const member of slice.get(name) ?? []) members.push(member);
      yield { report: { kind: 'json', documents }, offsets };
      for (const { members } of split) members.length = 0;
    }
  }

  async function* documentsIn(): AsyncIterable<Part> {
    const slices = slicesOf<string, unknown>(limits.partBytes, count, (add) =>
      parse(texts, [], limits, {
        member() {},
        document: (value, _lists, bytes) => add('', value, bytes),
      }),
    );
    for await (const [slice, offsets] of slices)
      yield { report: { kind: 'json', documents: slice.get('') ?? [] }, offsets };
  }
  return { sample: { kind: 'json', documents }, split };
}

const valueAt = (document: unknown, path: List['path']): unknown =>
  path.reduce(
    (value: unknown, key) => (value as Record<string | number, unknown> | undefined)?.[key],
    document,
  );
