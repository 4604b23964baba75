import {
  contentOf,
  type Fingerprints,
  MAX_PREVIOUS,
  neighbourKey,
  sha256,
  withoutPrefix,
} from '../identity/fingerprints.ts';
import { type Identify, ReportError, type Result, type Workspace } from '../importer.ts';
import { type Hash, HashCounter, hashOf } from './hashes.ts';
import { Groups, type Numbering, Positions } from './numbering.ts';

/** Fingerprints that a result had before. @returns undefined if it had none of this kind */
interface Former {
  numbering: Numbering;
  fingerprintOf(result: Result): string | undefined;
}

const RESULTS_PER_TURN = 20_000;

/**
 * The fingerprints of the results of a report that is imported in parts: the same as `fingerprintsOf` computes. They depend on
 * all results, so the report is imported twice. The first pass keeps hashes, about 150 bytes for each result.
 */
export class Identities {
  #contents = new HashCounter();
  /** The numbers of results that are repeated. */
  #repeated = new Set<number>();
  #current = new Groups();
  #former: Former[];
  /** For each result, the kinds of former fingerprints that it keeps, as bits. */
  #kept = new Uint16Array(0);
  #seen = 0;
  #count = 0;

  constructor(workspace: Pick<Workspace, 'pathPrefix' | 'formerPathsOf'>, vague = false) {
    const { pathPrefix, formerPathsOf } = workspace;
    const formerPath = (age: number) => (file: string) => formerPathsOf?.(file)[age];
    const unprefixed = (file: string) => withoutPrefix(file, pathPrefix);
    const now = ({ identify }: Result) => identify;
    const formerly = ({ identifyFormerly }: Result) => identifyFormerly;
    const vaguely = ({ identifyVaguely }: Result) => identifyVaguely;
    const own = (numbering: Numbering, identifyOf: IdentifyOf): Former => ({
      numbering,
      fingerprintOf: (result) => identifyOf(result)?.(result.file),
    });
    const elsewhere = (
      numbering: Numbering,
      identifyOf: IdentifyOf,
      pathOf: (file: string) => string | undefined,
    ): Former => ({
      numbering,
      fingerprintOf(result) {
        const path = result.file && pathOf(result.file);
        return path ? identifyOf(result)?.(path) : undefined;
      },
    });
    this.#former = [
      elsewhere(new Groups(true), now, formerPath(0)),
      own(new Positions(), formerly),
      elsewhere(new Positions(), formerly, formerPath(0)),
      elsewhere(new Groups(true), now, formerPath(1)),
    ];
    if (vague)
      this.#former.push(
        own(new Positions(), vaguely),
        elsewhere(new Groups(true), now, unprefixed),
        elsewhere(new Positions(), formerly, unprefixed),
        elsewhere(new Positions(), vaguely, unprefixed),
      );
  }

  /** The number of results that are not repeated. */
  get count(): number {
    return this.#count;
  }

  get repeated(): number {
    return this.#repeated.size;
  }

  /** The first pass. */
  add(result: Result, content = contentOf(result)): void {
    const number = this.#seen++;
    if (this.#contents.add(hashOf(content)) > 0) {
      this.#repeated.add(number);
      return;
    }
    const index = this.#count++;
    this.#current.add(index, result.identify(result.file), result);
    for (const { numbering, fingerprintOf } of this.#former) {
      const fingerprint = fingerprintOf(result);
      if (fingerprint !== undefined) numbering.add(index, fingerprint, result);
    }
  }

  /** Between the passes. @param pause lets other work run */
  async finish(pause: () => Promise<void>): Promise<void> {
    this.#contents = new HashCounter();
    for (const numbering of [this.#current, ...this.#former.map((one) => one.numbering)]) {
      await numbering.finish(pause);
    }
    const taken = new HashCounter();
    for (const [index, hash] of this.#current.hashes()) {
      taken.add(hash);
      if (index % RESULTS_PER_TURN === 0) await pause();
    }
    const claims = new HashCounter();
    for (const [index, candidates] of this.#candidates()) {
      for (const [, hash] of candidates) claims.add(hash);
      if (index % RESULTS_PER_TURN === 0) await pause();
    }
    // A decision about another result, or one that two results could take over, stays where it is.
    this.#kept = new Uint16Array(this.#count);
    for (const [index, candidates] of this.#candidates()) {
      const kept = candidates.filter(([, hash]) => taken.countOf(hash) === 0 && claims.countOf(hash) === 1);
      this.#kept[index] = kept.slice(0, MAX_PREVIOUS).reduce((bits, [kind]) => bits | (1 << kind), 0);
      if (index % RESULTS_PER_TURN === 0) await pause();
    }
    for (const numbering of [this.#current, ...this.#former.map((one) => one.numbering)]) numbering.release();
    this.#seen = 0;
    this.#count = 0;
  }

  /** The distinct former fingerprints of each result, by kind. */
  *#candidates(): Iterable<[index: number, candidates: [kind: number, hash: Hash][]]> {
    const lists = [this.#current.beside(), ...this.#former.map(({ numbering }) => numbering.hashes())].map(
      (list) => list[Symbol.iterator](),
    );
    const heads = lists.map((list) => list.next());
    for (let index = 0; heads.some(({ done }) => !done); index++) {
      const candidates: [number, Hash][] = [];
      heads.forEach((head, kind) => {
        if (head.done || head.value[0] !== index) return;
        const [, hash] = head.value;
        if (!candidates.some(([, known]) => isEqual(known, hash))) candidates.push([kind, hash]);
        heads[kind] = (lists[kind] as Iterator<[number, Hash]>).next();
      });
      if (candidates.length > 0) yield [index, candidates];
    }
  }

  /** The second pass, in the same order. @returns undefined if the result is repeated */
  next(result: Result): Fingerprints | undefined {
    if (this.#repeated.has(this.#seen++)) return undefined;
    const index = this.#count++;
    const fingerprint = result.identify(result.file);
    if (!this.#current.isSame(index, fingerprint)) throw new ReportError(CHANGED);
    const bits = this.#kept[index] ?? 0;
    const previous: string[] = [];
    if (bits & 1) previous.push(`${sha256(neighbourKey(fingerprint, result))}#`);
    this.#former.forEach(({ numbering, fingerprintOf }, position) => {
      const former = bits & (2 << position) ? fingerprintOf(result) : undefined;
      if (former !== undefined) previous.push(numbering.at(index, former, result));
    });
    return {
      fingerprint: this.#current.at(index, fingerprint, result),
      ...(previous.length > 0 && { previous_fingerprints: previous }),
    };
  }
}

export const CHANGED = 'The report was changed while it was read';

type IdentifyOf = (result: Result) => Identify | undefined;

const isEqual = (a: Hash, b: Hash) => a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
