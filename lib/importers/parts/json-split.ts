import { ReportError, type Split, tooManyMembers } from '../importer.ts';
import { type Frame, type JsonHandler, JsonScanner } from './json-scanner.ts';
import { Bytes, type PartLimits } from './part.ts';

export type Chunks = () => AsyncIterable<Uint8Array>;
export type Path = readonly (string | number)[];

/** Passes a report through a handler. After each chunk, what the handler has collected can be taken. */
export async function* scan(chunks: Chunks, handler: JsonHandler): AsyncIterable<void> {
  const scanner = new JsonScanner(handler);
  for await (const chunk of chunks()) {
    scanner.push(chunk);
    yield;
  }
  scanner.finish();
}

export const comma = new Uint8Array([0x2c]);

/** The path of the list or object that begins. */
const pathOf = (frames: readonly Frame[]): Path =>
  frames.slice(0, -1).map(({ isList, index, key }) => (isList ? index : key));

interface Pattern {
  names: readonly string[];
  reduce?: (member: unknown) => unknown;
}

const matches = ({ names }: Pattern, path: Path): boolean =>
  path.every((name, at) => names[at] === '*' || names[at] === String(name));

/** A list or map whose members are split. */
export interface Hole {
  path: Path;
  isList: boolean;
  reduce?: Pattern['reduce'];
}

/** Tells the members of the lists that are split from everything else. */
export abstract class SplitHandler implements JsonHandler {
  #patterns: Pattern[];
  #hole: Hole | undefined;
  #members = 0;

  constructor({ json = [], reduced = {} }: Split) {
    const namesOf = (path: string) => (path === '' ? [] : path.split('.'));
    this.#patterns = [
      ...json.map((path) => ({ names: namesOf(path) })),
      ...Object.entries(reduced).map(([path, reduce]) => ({ names: namesOf(path), reduce })),
    ];
  }

  /** Bytes outside of the lists. */
  abstract outside(chunk: Uint8Array, from: number, to: number): void;
  abstract begin(hole: Hole): void;
  /** Bytes of a member. */
  abstract inside(hole: Hole, chunk: Uint8Array, from: number, to: number): void;
  /** The end of a member. @returns whether it was blank */
  abstract endMember(hole: Hole, number: number, isLast: boolean): boolean;

  bytes(chunk: Uint8Array, from: number, to: number): void {
    if (this.#hole) this.inside(this.#hole, chunk, from, to);
    else this.outside(chunk, from, to);
  }

  open(frames: readonly Frame[]): boolean {
    if (this.#hole) return false;
    const path = pathOf(frames);
    const isList = frames.at(-1)?.isList ?? false;
    const around = this.#patterns.filter((pattern) => matches(pattern, path));
    const found = around.find(
      ({ names, reduce }) => names.length === path.length && (isList || (!reduce && path.length > 0)),
    );
    if (found) {
      this.#hole = { path, isList, ...(found.reduce && { reduce: found.reduce }) };
      this.#members = 0;
      this.begin(this.#hole);
    }
    return found !== undefined || around.some(({ names }) => names.length > path.length);
  }

  member(): boolean {
    if (!this.#hole) return true;
    if (this.endMember(this.#hole, this.#members++, false)) throw invalid(this.#hole.path, this.#members - 1);
    return false;
  }

  close(): void {
    if (!this.#hole) return;
    const isBlank = this.endMember(this.#hole, this.#members, true);
    if (isBlank && this.#members > 0) throw invalid(this.#hole.path, this.#members);
    this.#hole = undefined;
  }

  end(): void {}
}

export const invalid = (path: Path, index: number | string) =>
  new ReportError('The JSON is invalid', [...path, index].join('.'));

/** Collects everything outside of the lists that are split, and the reduced lists. */
export class CommonHandler extends SplitHandler {
  readonly text: Bytes;
  readonly holes: Hole[] = [];
  #member: Bytes;
  #added = 0;
  #maxMembers: number;

  constructor(split: Split, { maxBytes, maxMembers = Infinity }: PartLimits) {
    super(split);
    this.#maxMembers = maxMembers;
    this.text = new Bytes('The report without its list of results is', maxBytes);
    this.#member = new Bytes('An entry of the report is', maxBytes);
  }

  outside(chunk: Uint8Array, from: number, to: number): void {
    this.text.append(chunk, from, to);
  }

  begin(hole: Hole): void {
    this.#added = 0;
    if (!hole.reduce) this.holes.push(hole);
  }

  inside({ reduce }: Hole, chunk: Uint8Array, from: number, to: number): void {
    if (reduce) this.#member.append(chunk, from, to);
  }

  endMember({ reduce, path }: Hole, number: number, isLast: boolean): boolean {
    if (number >= this.#maxMembers) throw tooManyMembers(this.#maxMembers, path.join('.'));
    if (!reduce) return false;
    const isBlank = this.#member.isBlank();
    if (!isBlank) {
      const reduced = reduce(parse(this.#member.text(), path, number));
      this.#member.clear();
      if (reduced !== undefined) {
        if (this.#added++ > 0) this.text.append(comma);
        this.text.append(new TextEncoder().encode(JSON.stringify(reduced)));
      }
    }
    return isBlank && !isLast;
  }
}

export function parse(text: string, path: Path, index: number | string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(path, index);
  }
}
