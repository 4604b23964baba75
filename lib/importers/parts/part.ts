import { type Report, ReportError } from '../importer.ts';
import { formatSize } from './source.ts';

/** A part of a report, which is a report itself. */
export interface Part {
  report: Report;
  /** Corrects positions in a message: the lists of a part begin in the middle of those of the report. */
  locate(message: string): string;
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

/** The parts of a report. Each call reads the report again. */
export interface PartReader {
  /** The content that all parts share: the report with empty lists. Undefined if there is none. */
  common: Report | undefined;
  parts(): AsyncIterable<Part>;
}

const decoder = new TextDecoder();

/** Bytes that are collected from chunks. */
export class Bytes {
  #buffer = new Uint8Array(64 * 1024);
  #what: string;
  #max: number;
  length = 0;

  /** @param what is in the error if there are more than `max` bytes */
  constructor(what: string, max: number) {
    this.#what = what;
    this.#max = max;
  }

  append(chunk: Uint8Array, from = 0, to = chunk.length): void {
    if (from >= to) return;
    const length = this.length + to - from;
    if (length > this.#max)
      throw new ReportError(`${this.#what} larger than ${formatSize(this.#max)}, which cannot be read`);
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(this.#buffer.length * 2, this.#max)));
      larger.set(this.#buffer.subarray(0, this.length));
      this.#buffer = larger;
    }
    this.#buffer.set(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to), this.length);
    this.length = length;
  }

  text(from = 0, to = this.length): string {
    return decoder.decode(this.#buffer.subarray(from, to));
  }

  /** Whether there is nothing but white space. */
  isBlank(from = 0): boolean {
    for (let i = from; i < this.length; i++) if ((this.#buffer[i] ?? 0) > 0x20) return false;
    return true;
  }

  clear(): void {
    this.length = 0;
    // A single large member must not keep its memory.
    if (this.#buffer.length > 16 * 1024 * 1024) this.#buffer = new Uint8Array(64 * 1024);
  }
}

/** Adds offsets to the positions of list members in a message. @param offsets by the path of the list */
export function locator(offsets: ReadonlyMap<string, number>): (message: string) => string {
  const moved = [...offsets].filter(([, offset]) => offset > 0);
  return (message) =>
    moved.reduce((text, [path, offset]) => {
      const place = new RegExp(
        `(?<=(?:^|[\\s(])${path === '' ? 'at ' : `${escapePattern(path)}\\.`})\\d+(?=\\.|\\s|$)`,
        'g',
      );
      return text.replace(place, (index) => String(Number(index) + offset));
    }, message);
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
