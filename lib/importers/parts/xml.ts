import { type Report, ReportError, type Split, tooManyMembers } from '../importer.ts';
import { parseXml } from '../read/parse.ts';
import { locator, type Part, type PartLimits, type PartReader } from './part.ts';
import { decoded, formatSize } from './source.ts';
import { nextToken } from './xml-tokens.ts';

type Chunks = () => AsyncIterable<Uint8Array>;

/** Size of the beginning by which the format is recognized. */
const SAMPLE_LENGTH = 256 * 1024;

/** The beginning of an XML report, as a whole document. */
export async function xmlSample(chunks: Chunks): Promise<Report> {
  let text = '';
  for await (const added of decoded(chunks())) {
    text += added;
    if (text.length >= SAMPLE_LENGTH) break;
  }
  const open: string[] = [];
  let end = 0;
  for (let at = 0; ; at = end) {
    const token = nextToken(text, at, true);
    if (typeof token === 'number') break;
    end = token.end;
    if (token.type === 'open') open.push(token.name);
    if (token.type === 'close' && open.pop() === undefined) break;
    if (token.type === 'close' && open.length === 0) break;
  }
  return parseXml(
    text.slice(0, end).trimStart() +
      open
        .toReversed()
        .map((name) => `</${name}>`)
        .join(''),
  );
}

interface Handler {
  outside(text: string): void;
  /** @param hole the number of the place: the elements of a name in one element */
  member(hole: number, text: string): void;
}

/** Separates the elements that are split from everything else. */
class XmlSplitter {
  #paths: (readonly string[])[];
  #handler: Handler;
  #maxLength: number;
  /** Markup whose end is not known yet. */
  #rest = '';
  #resume = 0;
  #open: { name: string; holes: Map<string, number> }[] = [];
  /** The number of open elements in the current member. */
  #inside = 0;
  #member: string[] = [];
  #memberLength = 0;
  #holeCount = 0;
  #hole = 0;
  #hasRoot = false;
  #isMemberOpen = false;

  constructor({ xml = [] }: Split, { maxBytes }: PartLimits, handler: Handler) {
    this.#paths = xml.map((path) => path.split('.'));
    this.#handler = handler;
    this.#maxLength = maxBytes;
  }

  push(added: string, isEnd = false): void {
    const text = this.#rest + added;
    // The whole text is searched again only when it has doubled.
    if (!isEnd && text.length < this.#resume) {
      this.#rest = text;
      return;
    }
    let at = 0;
    let flushed = 0;
    const flush = (to: number) => {
      if (to > flushed) this.#text(text.slice(flushed, to));
      flushed = to;
    };
    for (;;) {
      const token = nextToken(text, at, isEnd);
      if (typeof token === 'number') {
        flush(token);
        break;
      }
      at = token.end;
      if (token.type === 'open' || token.type === 'empty') {
        if (this.#inside > 0) this.#inside += token.type === 'open' ? 1 : 0;
        else if (this.#isMember(token.name)) {
          flush(token.start);
          this.#begin(token.name);
          if (token.type === 'open') this.#inside = 1;
          else {
            flush(at);
            this.#end();
          }
        } else if (token.type === 'open') this.#open.push({ name: token.name, holes: new Map() });
        this.#hasRoot = true;
      } else if (token.type === 'close') {
        if (this.#inside === 0) {
          if (this.#open.pop()?.name !== token.name)
            throw new ReportError(`The XML is invalid: </${token.name}> closes no element`);
        } else if (--this.#inside === 0) {
          flush(at);
          this.#end();
        }
      }
    }
    this.#rest = text.slice(flushed);
    this.#resume = this.#rest.length * 2;
    if (this.#rest.length > this.#maxLength) throw this.#tooLarge();
  }

  finish(): void {
    this.push('', true);
    if (this.#rest !== '' || this.#inside > 0 || this.#open.length > 0)
      throw new ReportError('The XML ends early: the report is truncated');
    if (!this.#hasRoot) throw new ReportError('The XML has no element');
  }

  #isMember(name: string): boolean {
    return this.#paths.some(
      (path) =>
        path.length === this.#open.length + 1 &&
        path.at(-1) === name &&
        this.#open.every((element, depth) => path[depth] === element.name),
    );
  }

  #begin(name: string): void {
    const holes = this.#open.at(-1)?.holes ?? new Map<string, number>();
    this.#hole = holes.get(name) ?? this.#holeCount++;
    holes.set(name, this.#hole);
    this.#isMemberOpen = true;
  }

  #end(): void {
    this.#isMemberOpen = false;
    this.#handler.member(this.#hole, this.#member.join(''));
    this.#member = [];
    this.#memberLength = 0;
  }

  #text(text: string): void {
    if (!this.#isMemberOpen) {
      this.#handler.outside(text);
      return;
    }
    this.#memberLength += text.length;
    if (this.#memberLength > this.#maxLength) throw this.#tooLarge();
    this.#member.push(text);
  }

  #tooLarge = () =>
    new ReportError(
      `An element of the report is larger than ${formatSize(this.#maxLength)}, which cannot be read`,
    );
}

async function* scan(chunks: Chunks, splitter: XmlSplitter): AsyncIterable<void> {
  for await (const text of decoded(chunks())) {
    splitter.push(text);
    yield;
  }
  splitter.finish();
}

/** Splits an XML document. */
export async function readXml(chunks: Chunks, split: Split, limits: PartLimits): Promise<PartReader> {
  const outside: string[] = [''];
  let length = 0;
  let count = 0;
  const { maxMembers = Infinity } = limits;
  const names = (split.xml ?? []).map((path) => path.split('.').at(-1) ?? '');
  const common = new XmlSplitter(split, limits, {
    outside(text) {
      length += text.length;
      if (length > limits.maxBytes)
        throw new ReportError(
          `The report without its list of results is larger than ${formatSize(limits.maxBytes)}, which cannot be read`,
        );
      outside[outside.length - 1] += text;
    },
    member(hole) {
      if (++count > maxMembers) throw tooManyMembers(maxMembers, names.join(', '));
      if (hole === outside.length - 1) outside.push('');
    },
  });
  for await (const _ of scan(chunks, common));
  const withMembers = (members: ReadonlyMap<number, string[]>): Report => {
    const text = outside.map((piece, hole) => piece + (members.get(hole)?.join('') ?? '')).join('');
    try {
      return parseXml(text.trim());
    } catch (error) {
      // The line is one of the part.
      if (error instanceof ReportError) throw new ReportError(error.message.replace(/ at line \d+$/, ''));
      throw error;
    }
  };
  const partBytes = Math.max(limits.partBytes, length);

  async function* parts(): AsyncIterable<Part> {
    let members = new Map<number, string[]>();
    const complete: Map<number, string[]>[] = [];
    const counts = new Map<number, number>();
    let [size, count, offset] = [0, 0, 0];
    const flush = () => {
      if (members.size > 0) complete.push(members);
      members = new Map();
      size = 0;
    };
    const splitter = new XmlSplitter(split, limits, {
      outside() {},
      member(hole, text) {
        const known = members.get(hole);
        if (known) known.push(text);
        else members.set(hole, [text]);
        size += text.length;
        if (size >= partBytes) flush();
      },
    });
    function* take(): Iterable<Part> {
      for (const slices of complete.splice(0)) {
        // Positions are those of the element in its parent, if there is only one list.
        offset = slices.size === 1 ? (counts.get([...slices.keys()][0] ?? 0) ?? 0) : 0;
        yield { report: withMembers(slices), locate: locator(new Map(names.map((name) => [name, offset]))) };
        for (const [hole, texts] of slices) {
          count = (counts.get(hole) ?? 0) + texts.length;
          counts.set(hole, count);
        }
      }
    }
    for await (const _ of scan(chunks, splitter)) yield* take();
    flush();
    yield* take();
  }
  return { common: withMembers(new Map()), parts };
}
