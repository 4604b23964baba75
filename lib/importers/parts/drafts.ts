import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Copies, contentOf } from '../identity/copies.ts';
import { type Leaves, leavesOf } from '../identity/entries.ts';
import type { Identified } from '../identity/fingerprints.ts';
import { type Result, type Shown, shownOf } from '../importer.ts';

/** A result whose fingerprint is not known yet. */
export interface Draft {
  shown: Shown;
  identified: Identified;
  leaves: Leaves;
}

/** Keeps blocks of bytes until all of them are read, several times. */
export interface BlockStore {
  add(block: Uint8Array): void;
  blocks(): Iterable<Uint8Array>;
}

const BLOCK_CHARACTERS = 256 * 1024;
/** Texts of findings repeat each other: the fastest level makes them ten times smaller. */
const LEVEL = 1;

/** The results of a report, compressed. A result that the report contains twice is kept once. */
export class Drafts {
  #store: BlockStore;
  #copies: Copies;
  #waiting: string[] = [];
  #characters = 0;
  count = 0;
  repeated = 0;

  constructor(store: BlockStore, copies: Copies) {
    this.#store = store;
    this.#copies = copies;
  }

  /** @returns whether the result is new */
  add(result: Result, identified: Identified): boolean {
    const [shown, leaves] = [shownOf(result), leavesOf(result.entries)];
    if (!this.#copies.isNew(contentOf(shown, identified), leaves)) {
      this.repeated++;
      return false;
    }
    this.count++;
    const stored = JSON.stringify({ shown, identified, leaves } satisfies Draft);
    this.#waiting.push(stored);
    this.#characters += stored.length;
    if (this.#characters >= BLOCK_CHARACTERS) this.#compress();
    return true;
  }

  /** After the last result. */
  finish(): void {
    if (this.#waiting.length > 0) this.#compress();
  }

  #compress(): void {
    const block = deflateRawSync(`[${this.#waiting.join(',')}]`, { level: LEVEL });
    this.#waiting = [];
    this.#characters = 0;
    // A copy, because zlib returns a part of a larger buffer.
    this.#store.add(new Uint8Array(block));
  }

  /** All results, in their order, some at a time. */
  *blocks(): Generator<Draft[]> {
    for (const block of this.#store.blocks()) yield JSON.parse(inflateRawSync(block).toString()) as Draft[];
  }
}
