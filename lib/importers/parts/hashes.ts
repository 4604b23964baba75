import { hash as digestOf } from 'node:crypto';

/** A SHA-256 in eight words. */
export type Hash = Uint32Array;

export function hashOf(text: string): Hash {
  const digest = digestOf('sha256', text, 'buffer');
  const hash = new Uint32Array(8);
  for (let i = 0; i < 8; i++) hash[i] = digest.readUInt32BE(i * 4);
  return hash;
}

/** The words of a table's key: 128 bits, so that nobody can make two texts that have the same. */
export const KEY_WORDS = 4;

export const hexOf = (words: Uint32Array): string =>
  [...words].map((word) => word.toString(16).padStart(8, '0')).join('');

/** Counts how often it was given a text. A hash table in 20 to 60 bytes for each distinct text. */
export class HashCounter {
  #keys = new Uint32Array(1024 * KEY_WORDS);
  #counts = new Uint32Array(1024);
  size = 0;

  /** @returns how often the hash was added before, and `slot` for further data */
  add(hash: Hash): number {
    if (this.size * 3 >= this.#counts.length * 2) this.#grow();
    const slot = this.#slotOf(hash, 0);
    const before = this.#counts[slot] ?? 0;
    if (before === 0) {
      this.size++;
      for (let word = 0; word < KEY_WORDS; word++) this.#keys[slot * KEY_WORDS + word] = hash[word] ?? 0;
    }
    this.#counts[slot] = before + 1;
    return before;
  }

  countOf = (hash: Hash, at = 0): number => this.#counts[this.#slotOf(hash, at)] ?? 0;

  /** Replaces the count of a hash that was added. */
  set(hash: Hash, count: number): void {
    this.#counts[this.#slotOf(hash, 0)] = count;
  }

  /** The slot of a hash, whose words start at an index of an array; or the free slot for it. */
  #slotOf(words: Uint32Array, at: number): number {
    const mask = this.#counts.length - 1;
    for (let slot = (words[at] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      if (this.#counts[slot] === 0) return slot;
      let word = 0;
      while (word < KEY_WORDS && this.#keys[slot * KEY_WORDS + word] === words[at + word]) word++;
      if (word === KEY_WORDS) return slot;
    }
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    this.#keys = new Uint32Array(keys.length * 2);
    this.#counts = new Uint32Array(counts.length * 2);
    for (let slot = 0; slot < counts.length; slot++) {
      if (counts[slot] === 0) continue;
      const to = this.#slotOf(keys, slot * KEY_WORDS);
      this.#keys.set(keys.subarray(slot * KEY_WORDS, (slot + 1) * KEY_WORDS), to * KEY_WORDS);
      this.#counts[to] = counts[slot] ?? 0;
    }
  }
}

const BLOCK_ROWS = 4096;

/** A list of rows of words that grows, without copying what it contains. */
export class Rows {
  readonly width: number;
  #blocks: Uint32Array[] = [];
  length = 0;

  constructor(width: number) {
    this.width = width;
  }

  push(words: Iterable<number>): void {
    const row = this.length++ % BLOCK_ROWS;
    if (row === 0) this.#blocks.push(new Uint32Array(BLOCK_ROWS * this.width));
    const block = this.#blocks.at(-1) as Uint32Array;
    let at = row * this.width;
    for (const word of words) block[at++] = word;
  }

  /** A row, which must not be changed. */
  at(index: number): Uint32Array {
    const row = index % BLOCK_ROWS;
    const block = this.#blocks[(index - row) / BLOCK_ROWS] as Uint32Array;
    return block.subarray(row * this.width, (row + 1) * this.width);
  }
}
