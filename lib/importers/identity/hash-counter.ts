import { hash as digestOf } from 'node:crypto';
import type { Counter } from './fingerprints.ts';

/** The words of a key: 128 bits of a SHA-256, so that nobody can make two texts that have the same. */
const KEY_WORDS = 4;

function keyOf(text: string): Uint32Array {
  const digest = digestOf('sha256', text, 'buffer');
  return Uint32Array.from({ length: KEY_WORDS }, (_, word) => digest.readUInt32BE(word * 4));
}

/** Counts texts without keeping them. A hash table in 30 to 60 bytes for each distinct text. */
export class HashCounter implements Counter {
  #keys = new Uint32Array(1024 * KEY_WORDS);
  #counts = new Uint32Array(1024);
  #size = 0;

  add(text: string): number {
    if (this.#size * 3 >= this.#counts.length * 2) this.#grow();
    const key = keyOf(text);
    const slot = this.#slotOf(key);
    const before = this.#counts[slot] ?? 0;
    if (before === 0) {
      this.#size++;
      this.#keys.set(key, slot * KEY_WORDS);
    }
    this.#counts[slot] = before + 1;
    return before;
  }

  countOf = (text: string): number => (this.#size === 0 ? 0 : (this.#counts[this.#slotOf(keyOf(text))] ?? 0));

  /** The slot of a key, or the free slot for it. */
  #slotOf(key: Uint32Array): number {
    const mask = this.#counts.length - 1;
    for (let slot = (key[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      if (this.#counts[slot] === 0) return slot;
      let word = 0;
      while (word < KEY_WORDS && this.#keys[slot * KEY_WORDS + word] === key[word]) word++;
      if (word === KEY_WORDS) return slot;
    }
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    this.#keys = new Uint32Array(keys.length * 2);
    this.#counts = new Uint32Array(counts.length * 2);
    for (const [slot, count] of counts.entries()) {
      if (count === 0) continue;
      const key = keys.subarray(slot * KEY_WORDS, (slot + 1) * KEY_WORDS);
      const to = this.#slotOf(key);
      this.#keys.set(key, to * KEY_WORDS);
      this.#counts[to] = count;
    }
  }
}
