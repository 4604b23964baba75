import { ReportError, type Split } from '../importer.ts';
import type { JsonHandler } from './json-scanner.ts';
import {
  type Chunks,
  CommonHandler,
  comma,
  type Hole,
  invalid,
  type Path,
  parse,
  SplitHandler,
  scan,
} from './json-split.ts';
import { Bytes, locator, type Part, type PartLimits, type PartReader } from './part.ts';

/** Members of a list that the next part contains. */
interface Slice {
  hole: Hole;
  text: Bytes;
  /** Where the members begin. */
  starts: number[];
  /** The number of the first one in the report. */
  offset: number;
}

/** Collects the members of the lists that are split. */
class MemberHandler extends SplitHandler {
  /** The slices of the parts that are complete. */
  readonly complete: Slice[][] = [];
  #slices = new Map<string, Slice>();
  #counts = new Map<string, number>();
  #limits: PartLimits;
  #current: Slice | undefined;
  #start = 0;
  #bytes = 0;

  constructor(split: Split, limits: PartLimits) {
    super(split);
    this.#limits = limits;
  }

  outside(): void {}

  begin(hole: Hole): void {
    this.#current = hole.reduce ? undefined : this.#sliceOf(hole);
  }

  #sliceOf(hole: Hole): Slice {
    const key = JSON.stringify(hole.path);
    const known = this.#slices.get(key);
    const { partBytes, maxBytes } = this.#limits;
    const slice = known ?? {
      hole,
      text: new Bytes('An entry of the report is', partBytes + maxBytes),
      starts: [],
      offset: this.#counts.get(key) ?? 0,
    };
    this.#slices.set(key, slice);
    this.#start = slice.text.length;
    return slice;
  }

  inside(_hole: Hole, chunk: Uint8Array, from: number, to: number): void {
    this.#current?.text.append(chunk, from, to);
  }

  endMember(hole: Hole, number: number, isLast: boolean): boolean {
    const slice = this.#current;
    if (!slice) return false;
    if (slice.text.isBlank(this.#start)) return true;
    slice.starts.push(this.#start);
    slice.text.append(comma);
    this.#bytes += slice.text.length - this.#start;
    this.#start = slice.text.length;
    this.#counts.set(JSON.stringify(hole.path), number + 1);
    if (this.#bytes >= this.#limits.partBytes) {
      this.flush();
      if (!isLast) this.#current = this.#sliceOf(hole);
    }
    return false;
  }

  flush(): void {
    const slices = [...this.#slices.values()].filter(({ starts }) => starts.length > 0);
    if (slices.length > 0) this.complete.push(slices);
    this.#slices = new Map();
    this.#bytes = 0;
  }
}

/** The members of a slice. */
function membersOf({ hole: { isList, path }, text, starts, offset }: Slice): unknown {
  const source = text.text(0, text.length - 1);
  try {
    return JSON.parse(isList ? `[${source}]` : `{${source}}`);
  } catch {
    const at = starts.findIndex((start, index) => {
      const member = text.text(start, (starts[index + 1] ?? text.length) - 1);
      return !isValid(isList ? member : `{${member}}`);
    });
    throw invalid(path, offset + Math.max(at, 0));
  }
}

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Splits a JSON document. */
export async function readJson(chunks: Chunks, split: Split, limits: PartLimits): Promise<PartReader> {
  const outer = new CommonHandler(split, limits);
  for await (const _ of scan(chunks, outer));
  const { holes } = outer;
  const documents = [parseDocument(outer.text.text())];
  const sizes = { ...limits, partBytes: Math.max(limits.partBytes, outer.text.length) };
  const paths = holes.map(({ path }) => JSON.stringify(path));
  const twice = holes.find((_, index) => paths.indexOf(paths[index] as string) !== index);
  if (twice) throw new ReportError('The report contains a list twice', twice.path.join('.') || undefined);
  const report = { kind: 'json' as const, documents };
  const clear = (hole: Hole) => place(documents, hole.path, hole.isList ? [] : {});
  holes.forEach(clear);

  async function* parts(): AsyncIterable<Part> {
    const handler = new MemberHandler(split, sizes);
    function* complete(): Iterable<Part> {
      for (const slices of handler.complete.splice(0)) {
        for (const slice of slices) place(documents, slice.hole.path, membersOf(slice));
        yield {
          report,
          locate: locator(new Map(slices.map(({ hole, offset }) => [hole.path.join('.'), offset]))),
        };
        for (const { hole } of slices) clear(hole);
      }
    }
    for await (const _ of scan(chunks, handler)) yield* complete();
    handler.flush();
    yield* complete();
  }
  return { common: report, parts };
}

function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ReportError('The JSON is invalid outside of its list of results');
  }
}

/** Replaces the value at a path, in documents of which there is one. */
function place(documents: unknown[], path: Path, value: unknown): void {
  let parent: unknown = documents;
  let name: string | number = 0;
  for (const next of path) {
    parent = (parent as Record<string | number, unknown>)[name];
    name = next;
    // The report contains a name twice, of which the last one counts.
    if (typeof parent !== 'object' || parent === null)
      throw new ReportError('The report contains a name twice', path.join('.'));
  }
  Object.defineProperty(parent, name, { value, configurable: true, enumerable: true, writable: true });
}

/** Splits JSON documents in a row. */
export function readDocuments(chunks: Chunks, { partBytes, maxBytes }: PartLimits): PartReader {
  async function* parts(): AsyncIterable<Part> {
    const text = new Bytes('A document of the report is', maxBytes);
    let documents: unknown[] = [];
    let [bytes, offset] = [0, 0];
    const handler: JsonHandler = {
      bytes: (chunk, from, to) => text.append(chunk, from, to),
      open: () => false,
      member: () => true,
      close() {},
      end() {
        documents.push(parse(text.text(), [], `document ${offset + documents.length + 1}`));
        bytes += text.length;
        text.clear();
      },
    };
    const take = (): Part => {
      const part = {
        report: { kind: 'json' as const, documents },
        locate: locator(new Map([['', offset]])),
      };
      offset += documents.length;
      documents = [];
      bytes = 0;
      return part;
    };
    for await (const _ of scan(chunks, handler)) if (bytes >= partBytes) yield take();
    if (!text.isBlank()) throw invalid([], `document ${offset + documents.length + 1}`);
    if (documents.length > 0) yield take();
  }
  return { common: undefined, parts };
}
