import { type Report, ReportError, type Split } from '../importer.ts';
import { addTo } from '../read/groups.ts';
import { formatSize } from '../read/source.ts';

/** Reports of at most this size are read at once, with `importReport`. */
export const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

/** A part of a report, which is a report itself. */
export interface Part {
  report: Report;
  /** How many members of a list are in earlier parts, by the position of the list in messages. */
  offsets: ReadonlyMap<string, number>;
}

/** The sizes that bound the memory. */
export interface PartLimits {
  /** The size of a part without what all parts contain, in bytes. */
  partBytes: number;
  /** The size of a single member of a list, and of everything outside of the lists. */
  maxBytes: number;
  /** The most members of a list that is split. Default: unlimited. */
  maxMembers?: number | undefined;
}

/** A report whose structure is known. */
export interface OpenReport {
  /** A small report of the same format: the first members of each list. */
  sample: Report;
  /** Splits the report. @returns undefined if the importer does not split this layout */
  split(split: Split): PartReader | undefined;
}

/** The parts of a report. Each call reads the report again. */
export interface PartReader {
  /** The content that all parts share: the report with empty lists. Undefined if there is none. */
  common: Report | undefined;
  parts(): AsyncIterable<Part>;
}

/** The members of lists that are in a part, and how many are in earlier parts. */
export type Slice<List, Member> = [members: ReadonlyMap<List, Member[]>, offsets: ReadonlyMap<List, number>];

/**
 * Collects the members of lists, and yields them when they have the size of a part.
 * @param expected the number of all members
 * @param read yields after each chunk of the report
 * @throws ReportError if the report was changed since its members were counted
 */
export async function* slicesOf<List, Member>(
  partBytes: number,
  expected: number | undefined,
  read: (add: (list: List, member: Member, bytes: number) => void) => AsyncIterable<unknown>,
): AsyncIterable<Slice<List, Member>> {
  const counts = new Map<List, number>();
  const complete: Map<List, Member[]>[] = [];
  let members = new Map<List, Member[]>();
  let bytes = 0;
  const flush = () => {
    if (members.size > 0) complete.push(members);
    members = new Map();
    bytes = 0;
  };
  function* take(): Iterable<Slice<List, Member>> {
    for (const slice of complete.splice(0)) {
      yield [slice, new Map([...slice.keys()].map((list) => [list, counts.get(list) ?? 0]))];
      for (const [list, { length }] of slice) counts.set(list, (counts.get(list) ?? 0) + length);
    }
  }
  const reading = read((list, member, size) => {
    addTo(members, list, member);
    bytes += size;
    if (bytes >= partBytes) flush();
  });
  for await (const _ of reading) yield* take();
  flush();
  yield* take();
  const sum = [...counts.values()].reduce((total, count) => total + count, 0);
  if (expected !== undefined && sum !== expected)
    throw new ReportError('The report was changed while it was read');
}

/** A sample has a member of each list, and more of them until it has this size. */
export const SAMPLE_SIZE = 1024 * 1024;

/** JSON and XML with more levels are refused, because importers recurse. */
const MAX_DEPTH = 1_000;

export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new ReportError('The report is nested too deeply');
}

/** @param held what is in memory, without the results that are already imported */
export function checkSize(held: number, { maxBytes }: PartLimits): void {
  if (held > maxBytes)
    throw new ReportError(
      `A result, or the report without its lists of results, is larger than ${formatSize(maxBytes)}. ${ADVICE}`,
    );
}

/** For reports that are too large. */
export const ADVICE = `Above ${formatSize(MAX_WHOLE_BYTES)}, reports of CycloneDX, Nessus, SARIF and Trivy and the generic CSV and JSON can be read: split the scan, for example by folder or by host, or write SARIF`;
