import { readSync } from 'node:fs';
import type { Finding } from '../../lib/importers/finding.ts';
import { type Entry, type Place, parseLine, type Receipt } from './lines.ts';

/** An entry whose finding is on disk, for scans with more findings than fit into memory. */
export class StoredEntry implements Entry {
  readonly n: number;
  receipt?: Receipt;
  refused?: string;
  #finding: Finding | undefined;
  #file: number;
  #offset: number;
  #length: number;

  /** @param place the line of the finding in the journal */
  constructor(n: number, file: number, place: Place, finding?: Finding) {
    this.n = n;
    this.#file = file;
    this.#offset = place.offset;
    this.#length = place.length;
    this.#finding = finding;
  }

  get finding(): Finding {
    if (this.#finding) return this.#finding;
    const bytes = Buffer.alloc(this.#length);
    const length = readSync(this.#file, bytes, 0, this.#length, this.#offset);
    const line = parseLine(bytes.toString('utf8', 0, length));
    if (line?.type !== 'finding' || line.n !== this.n)
      throw new Error('The journal was changed while it was in use');
    return line.finding;
  }

  /** Frees the memory of the finding. */
  unload(): void {
    this.#finding = undefined;
  }
}
