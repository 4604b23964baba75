import { atPosition, limitFingerprint, neighbourKey, sha256, withSuffix } from '../identity/fingerprints.ts';
import type { Result } from '../importer.ts';
import { type Hash, HashCounter, hashOf, hexOf, KEY_WORDS, Rows } from './hashes.ts';

/** The fingerprints of one kind, of which the first pass keeps hashes only. */
export interface Numbering {
  /** The first pass. */
  add(index: number, fingerprint: string, result: Result): void;
  /** Between the passes. @param pause lets other work run */
  finish(pause: () => Promise<void>): Promise<void>;
  /** The final fingerprint, in the second pass. */
  at(index: number, fingerprint: string, result: Result): string;
  /** The hashes of the final fingerprints, in the order of their indexes. */
  hashes(): Iterable<[index: number, hash: Hash]>;
  /** Frees the memory that the second pass does not need. */
  release(): void;
}

/** Adds the position to repeated fingerprints except the first, as `withPosition` in fingerprints.ts. */
export class Positions implements Numbering {
  #counter = new HashCounter();
  #later = new Map<number, number>();
  #rows = new Rows(1 + KEY_WORDS);

  add(index: number, fingerprint: string): void {
    const limited = limitFingerprint(fingerprint);
    const hash = hashOf(limited);
    const position = this.#counter.add(hash) + 1;
    if (position > 1) this.#later.set(index, position);
    const final = position > 1 ? hashOf(atPosition(limited, position)) : hash;
    this.#rows.push([index, ...final.subarray(0, KEY_WORDS)]);
  }

  async finish(): Promise<void> {}

  release(): void {
    this.#counter = new HashCounter();
    this.#rows = new Rows(1);
  }

  at = (index: number, fingerprint: string): string =>
    atPosition(limitFingerprint(fingerprint), this.#later.get(index) ?? 1);

  *hashes(): Iterable<[number, Hash]> {
    for (let row = 0; row < this.#rows.length; row++) {
      const words = this.#rows.at(row);
      yield [words[0] ?? 0, words.subarray(1)];
    }
  }
}

/** The words of a row: the index, the key of the group, the plain fingerprint, its neighbours, the line, and flags. */
const [KEY, PLAIN, NEIGHBOUR, LINE, FLAGS, WIDTH] = [1, 5, 9, 17, 19, 20];
const [REPEATS, HAS_NEIGHBOURS] = [1, 2];

const ROWS_PER_TURN = 20_000;

/** Tells repeated fingerprints apart, as `distinguished` in fingerprints.ts. */
export class Groups implements Numbering {
  #counter = new HashCounter();
  #positions = new Positions();
  #rows = new Rows(WIDTH);
  /** The fingerprints of groups of several results, by their key. */
  #repeated = new Map<string, string>();
  #plain = new Rows(KEY_WORDS);
  #finals = new Map<number, string>();
  #isFormer: boolean;
  #line = new Float64Array(1);
  #lineWords = new Uint32Array(this.#line.buffer);

  /** @param isFormer whether the results are identified by former paths */
  constructor(isFormer = false) {
    this.#isFormer = isFormer;
  }

  add(index: number, fingerprint: string, result: Result): void {
    const plain = hashOf(limitFingerprint(fingerprint));
    if (result.repeats) {
      this.#positions.add(index, fingerprint);
      this.#rows.push([index, ...plain.subarray(0, 4), ...plain.subarray(0, 4), ...NONE, 0, 0, REPEATS]);
      return;
    }
    const key = this.#isFormer ? hashOf(`${fingerprint} ${result.file}`) : plain;
    if (this.#counter.add(key) > 0) this.#repeated.set(hexOf(key.subarray(0, KEY_WORDS)), fingerprint);
    const { neighbours } = result.identify;
    const neighbour = neighbours ? hashOf(neighbourKey(fingerprint, result)) : NONE;
    this.#line[0] = result.line ?? 0;
    this.#rows.push(
      [index, ...key.subarray(0, 4), ...plain.subarray(0, 4), ...neighbour].concat([
        ...this.#lineWords,
        neighbours ? HAS_NEIGHBOURS : 0,
      ]),
    );
  }

  async finish(pause: () => Promise<void>): Promise<void> {
    const groups = new Map<string, number[]>();
    for (let row = 0; row < this.#rows.length; row++) {
      if (row % ROWS_PER_TURN === 0) await pause();
      if (this.#isAlone(row)) continue;
      const key = hexOf(this.#rows.at(row).subarray(KEY, KEY + KEY_WORDS));
      const group = groups.get(key);
      if (group) group.push(row);
      else groups.set(key, [row]);
    }
    for (const [key, rows] of groups) this.#distinguish(this.#repeated.get(key) ?? '', rows);
    this.#repeated.clear();
  }

  #isAlone(row: number): boolean {
    const words = this.#rows.at(row);
    return ((words[FLAGS] ?? 0) & REPEATS) !== 0 || this.#counter.countOf(words, KEY) < 2;
  }

  #distinguish(fingerprint: string, rows: readonly number[]): void {
    const byNeighbours = new Map<string, number[]>();
    for (const row of rows) {
      const words = this.#rows.at(row);
      const common = (words[FLAGS] ?? 0) & HAS_NEIGHBOURS ? neighbourIn(words) : sha256(`${fingerprint} `);
      const equal = byNeighbours.get(common);
      if (equal) equal.push(row);
      else byNeighbours.set(common, [row]);
    }
    for (const [digest, equal] of byNeighbours) {
      const common = `${digest}#`;
      const [first = 0] = equal;
      const lines = equal.map((row) => this.#lineOf(row) - this.#lineOf(first));
      const finals = equal.length > 1 ? withSuffix(fingerprint, common, lines) : [common];
      equal.forEach((row, position) => {
        this.#finals.set(this.#rows.at(row)[0] ?? 0, finals[position] ?? common);
      });
    }
  }

  release(): void {
    this.#counter = new HashCounter();
    this.#positions.release();
    this.#plain = new Rows(KEY_WORDS);
    if (!this.#isFormer)
      for (let row = 0; row < this.#rows.length; row++)
        this.#plain.push(this.#rows.at(row).subarray(PLAIN, PLAIN + KEY_WORDS));
    this.#rows = new Rows(WIDTH);
  }

  #lineOf(row: number): number {
    this.#lineWords.set(this.#rows.at(row).subarray(LINE, LINE + 2));
    return this.#line[0] ?? 0;
  }

  at(index: number, fingerprint: string, result?: Result): string {
    if (result?.repeats) return this.#positions.at(index, fingerprint);
    return this.#finals.get(index) ?? limitFingerprint(fingerprint);
  }

  /** Whether a result is the one that the first pass has seen. For current fingerprints, which all results have. */
  isSame = (index: number, fingerprint: string): boolean => {
    const hash = hashOf(limitFingerprint(fingerprint));
    const words = index < this.#plain.length ? this.#plain.at(index) : undefined;
    for (let word = 0; word < KEY_WORDS; word++) if (words?.[word] !== hash[word]) return false;
    return true;
  };

  *hashes(): Iterable<[number, Hash]> {
    const positions = this.#positions.hashes()[Symbol.iterator]();
    for (let row = 0; row < this.#rows.length; row++) {
      const words = this.#rows.at(row);
      const index = words[0] ?? 0;
      const final = this.#finals.get(index);
      if ((words[FLAGS] ?? 0) & REPEATS) yield positions.next().value as [number, Hash];
      else yield [index, final === undefined ? words.subarray(PLAIN, PLAIN + KEY_WORDS) : hashOf(final)];
    }
  }

  /** The fingerprints that results have beside equal ones, of those that are alone. */
  *beside(): Iterable<[number, Hash]> {
    for (let row = 0; row < this.#rows.length; row++) {
      const words = this.#rows.at(row);
      if ((words[FLAGS] ?? 0) & HAS_NEIGHBOURS && this.#isAlone(row))
        yield [words[0] ?? 0, hashOf(`${neighbourIn(words)}#`)];
    }
  }
}

const NONE = new Uint32Array(8);

const neighbourIn = (words: Uint32Array) => hexOf(words.subarray(NEIGHBOUR, NEIGHBOUR + 8));
