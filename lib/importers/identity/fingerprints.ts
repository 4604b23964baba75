import { hash } from 'node:crypto';
import type { Identify, Result, Workspace } from '../importer.ts';
import { groupsOf } from '../read/groups.ts';

const MAX_FINGERPRINT = 256;
const MAX_PREVIOUS = 5;

export const sha256 = (text: string): string => hash('sha256', text);

/** A fingerprint that the service can store. One that it cannot is hashed. */
export const limitFingerprint = (fingerprint: string): string =>
  fingerprint !== '' && isShort(fingerprint) && isStorable(fingerprint) ? fingerprint : sha256(fingerprint);

const isShort = (fingerprint: string) =>
  fingerprint.length <= MAX_FINGERPRINT || [...fingerprint].length <= MAX_FINGERPRINT;

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

export interface Fingerprints {
  fingerprint: string;
  previous_fingerprints?: string[];
}

/** The data that tells a result apart from the others of its report. Plain objects, which can be stored. */
export interface Identified {
  /** As the importer identifies it: too long for the service, or repeated. */
  fingerprint: string;
  neighbours: string | null;
  details: readonly string[];
  /** The fingerprints by which the result was known before, in the order of `FORMER_KINDS`. */
  former: readonly (string | null)[];
  /** The fingerprints by which the report says that it was known. */
  named: readonly string[];
  file: string | undefined;
  line: number | undefined;
  repeats: boolean;
}

/** How the repeated fingerprints of a kind are told apart. */
type Kind = 'current' | 'former path' | 'former release' | 'position';

/** The kinds of former fingerprints, most recent first. The last four are used on request only. */
const FORMER_KINDS: readonly Kind[] = [
  'former path',
  'former release',
  'former release',
  'position',
  'position',
  'former path',
  'position',
  'former path',
  'position',
  'position',
];

/**
 * Creates a function that identifies results.
 * @param vague adds the fingerprints of earlier releases that could identify two problems
 */
export function createIdentifier(
  { pathPrefix, formerPathsOf }: Pick<Workspace, 'pathPrefix' | 'formerPathsOf'>,
  vague = false,
): (result: Result) => Identified {
  return (result) => {
    const { identify, identifyBefore, identifyFormerly, identifyVaguely, file, line } = result;
    const { details = [], repeats = false, formerFingerprints: named = [] } = result;
    const [formerPath, olderPath] = (file && formerPathsOf?.(file)) || [];
    // Releases before 0.3 left names decomposed, as macOS writes them.
    const decomposed = file?.normalize('NFD');
    const at = (identified: Identify | undefined, path: string | undefined) =>
      path ? (identified?.(path) ?? null) : null;
    const former = [
      at(identify, formerPath),
      identifyBefore?.(file) ?? null,
      decomposed === file ? null : at(identifyBefore ?? identify, decomposed),
      identifyFormerly?.(file) ?? null,
      at(identifyFormerly, formerPath),
      at(identify, olderPath),
    ];
    if (vague) {
      // Without the prefix, files of different directories have the same path.
      const unprefixed = withoutPrefix(file, pathPrefix);
      former.push(
        identifyVaguely?.(file) ?? null,
        at(identify, unprefixed),
        at(identifyFormerly, unprefixed),
        at(identifyVaguely, unprefixed),
      );
    }
    const neighbours = identify.neighbours?.() ?? null;
    return { fingerprint: identify(file), neighbours, details, former, named, file, line, repeats };
  };
}

/** The path in the workspace; undefined if it is elsewhere, or there is no prefix. */
const withoutPrefix = (file: string | undefined, prefix: string | undefined): string | undefined =>
  prefix && file?.startsWith(`${prefix}/`) ? file.slice(prefix.length + 1) : undefined;

/** Counts texts. */
export interface Counter {
  /** @returns how often the text was added before */
  add(text: string): number;
  countOf(text: string): number;
}

export class TextCounter implements Counter {
  #counts = new Map<string, number>();

  add(text: string): number {
    const before = this.countOf(text);
    this.#counts.set(text, before + 1);
    return before;
  }

  countOf = (text: string): number => this.#counts.get(text) ?? 0;
}

/**
 * The fingerprints of the results of a report, which depend on each other. Each step is called for all results, in their order,
 * before the next step: `count`, `collect`, `claim` and `of`. Only the results that share a fingerprint are kept meanwhile.
 *
 * Results with the same fingerprint get a suffix from their neighbours, and from their details if these are equal. If nothing tells
 * them apart, the suffix is their position, their number and the distances of their lines: when one of them changes, nothing tells
 * which of them is gone, so all of them are new findings. A decision about one must not apply to another. Results of one problem get their position only, `#2`.
 */
export class Fingerprinter {
  #current: Numbering;
  #former: readonly Numbering[];
  #taken: Counter;
  #claims: Counter;

  constructor(createCounter: () => Counter = () => new TextCounter()) {
    this.#current = new Numbering('current', createCounter());
    this.#former = FORMER_KINDS.map((kind) => new Numbering(kind, createCounter()));
    this.#taken = createCounter();
    this.#claims = createCounter();
  }

  count(one: Identified): void {
    this.#current.count(one.fingerprint, one);
    this.#forEachFormer(one, (numbering, fingerprint) => numbering.count(fingerprint, one));
  }

  collect(one: Identified, index: number): void {
    this.#current.collect(one.fingerprint, one, index);
    this.#forEachFormer(one, (numbering, fingerprint) => numbering.collect(fingerprint, one, index));
  }

  /** @returns the fingerprints that the result may have had, for `of` */
  claim(one: Identified, index: number): string[] {
    this.#taken.add(this.#current.at(index, one.fingerprint));
    const candidates = this.#candidates(one, index);
    for (const candidate of candidates) this.#claims.add(candidate);
    return candidates;
  }

  /** @param candidates as `claim` returned them. Default: computed again, which needs no memory meanwhile */
  of(one: Identified, index: number, candidates = this.#candidates(one, index)): Fingerprints {
    // A decision about another result of this report, or one that two results could take over, stays where it is.
    const previous = candidates
      .filter((found) => this.#taken.countOf(found) === 0 && this.#claims.countOf(found) === 1)
      .slice(0, MAX_PREVIOUS);
    return {
      fingerprint: this.#current.at(index, one.fingerprint),
      ...(previous.length > 0 && { previous_fingerprints: previous }),
    };
  }

  #forEachFormer({ former }: Identified, visit: (numbering: Numbering, fingerprint: string) => void): void {
    for (const [kind, numbering] of this.#former.entries()) {
      const found = former[kind];
      if (typeof found === 'string') visit(numbering, found);
    }
  }

  #candidates(one: Identified, index: number): string[] {
    const candidates = new Set(this.#beside(one, index));
    const former = this.#current.formerAt(index);
    if (former !== undefined) candidates.add(former);
    this.#forEachFormer(one, (numbering, found) => candidates.add(numbering.at(index, found)));
    for (const name of one.named) candidates.add(name);
    return [...candidates];
  }

  /** The fingerprints that it had, or will have, beside results that it has more in common with. */
  #beside(one: Identified, index: number): string[] {
    const { fingerprint, neighbours, details, repeats } = one;
    if (repeats) return [];
    const common = withNeighbours(fingerprint, neighbours);
    const suffixed = details.map((_, level) => withDetails(common, details, level));
    const possible = neighbours === null ? suffixed : [common, ...suffixed];
    if (!this.#current.isRepeated(index)) return possible;
    const at = possible.indexOf(this.#current.at(index, fingerprint));
    return at < 0 ? [] : possible.slice(at + 1);
  }
}

/** A result that shares its fingerprint with others. */
interface Member {
  index: number;
  group: string;
  fingerprint: string;
  line: number;
  /** Its fingerprint if its neighbours tell it apart; undefined if only the position is added. */
  common: string | undefined;
  details: readonly string[];
}

/** Tells the repeated fingerprints of a kind apart. */
class Numbering {
  #kind: Kind;
  #counts: Counter | undefined;
  #hasRepeated = false;
  #members: Member[] = [];
  #finals: Map<number, string> | undefined;
  /** The fingerprints of results that earlier releases told apart by their position only. */
  #formers = new Map<number, string>();

  constructor(kind: Kind, counts: Counter) {
    this.#kind = kind;
    this.#counts = counts;
  }

  count(fingerprint: string, one: Identified): void {
    if ((this.#counts?.add(this.#groupOf(fingerprint, one)) ?? 0) > 0) this.#hasRepeated = true;
  }

  collect(fingerprint: string, one: Identified, index: number): void {
    if (!this.#hasRepeated) return;
    const group = this.#groupOf(fingerprint, one);
    if ((this.#counts?.countOf(group) ?? 0) < 2) return;
    const common = this.#isByPosition(one) ? undefined : withNeighbours(fingerprint, one.neighbours);
    const details = this.#kind === 'former release' ? [] : one.details;
    this.#members.push({ index, group, fingerprint, line: one.line ?? 0, common, details });
  }

  isRepeated = (index: number): boolean => this.#numbered().has(index);

  /** The final fingerprint of a result. */
  at = (index: number, fingerprint: string): string =>
    this.#numbered().get(index) ?? limitFingerprint(fingerprint);

  formerAt(index: number): string | undefined {
    this.#numbered();
    return this.#formers.get(index);
  }

  #groupOf(fingerprint: string, one: Identified): string {
    if (this.#isByPosition(one)) return `position ${limitFingerprint(fingerprint)}`;
    // Results of two files were not equal ones of their former file: one of the files is a copy.
    return `${this.#kind} ${limitFingerprint(fingerprint)} ${this.#kind === 'current' ? '' : one.file}`;
  }

  /** Releases before 0.2 added the position to all results. */
  #isByPosition = ({ repeats }: Identified) => repeats || this.#kind === 'position';

  #numbered(): ReadonlyMap<number, string> {
    if (this.#finals) return this.#finals;
    const finals = new Map<number, string>();
    for (const group of groupsOf(this.#members, (member) => member.group)) {
      if (group[0]?.common === undefined) {
        for (const [member, final] of byPosition(group)) finals.set(member.index, final);
        continue;
      }
      for (const equal of groupsOf(group, ({ common }) => common)) {
        const common = equal[0]?.common ?? '';
        for (const [member, final] of byDetails(equal, common)) finals.set(member.index, final);
        for (const [{ index }, final] of equal.length > 1 ? byDistances(equal, common) : [])
          if (finals.get(index) !== final) this.#formers.set(index, final);
      }
    }
    this.#counts = undefined;
    this.#members = [];
    this.#finals = finals;
    return finals;
  }
}

/** The position follows all fingerprints except the first. */
const byPosition = (group: readonly Member[]): [Member, string][] =>
  group.map((member, position) => {
    const fingerprint = limitFingerprint(member.fingerprint);
    return [member, position === 0 ? fingerprint : `${sha256(fingerprint)}#${position + 1}`];
  });

/** Adds as many details as tell the results apart, and the position to those that have nothing else. */
function byDetails(equal: readonly Member[], common: string, base = common, level = 0): [Member, string][] {
  const [first] = equal;
  if (!first) return [];
  if (equal.length === 1) return [[first, base]];
  if (level >= first.details.length) return byDistances(equal, base);
  const groups = groupsOf(equal, ({ details }) => details[level]);
  if (groups.length === 1) return byDetails(equal, common, base, level + 1);
  return groups.flatMap((group) =>
    byDetails(group, common, withDetails(common, group[0]?.details ?? [], level), level + 1),
  );
}

/** Adds the position, the number and the distances of the lines. */
function byDistances(equal: readonly Member[], base: string): [Member, string][] {
  const [first] = equal;
  const distances = equal.map(({ line }) => line - (first?.line ?? 0));
  const digest = sha256(`${first?.fingerprint} ${base} ${distances}`);
  return equal.map((member, position) => [member, `${digest}#${position + 1}/${equal.length}`]);
}

/** The fingerprint that a result has beside equal ones with other neighbours. */
const withNeighbours = (fingerprint: string, neighbours: string | null): string =>
  `${sha256(`${fingerprint} ${neighbours ?? ''}`)}#`;

const withDetails = (common: string, details: readonly string[], level: number): string =>
  `${sha256(`${common} ${details.slice(0, level + 1)}`)}#`;

/** The fingerprints of all results of a report, in their order. */
export function fingerprintsOf(all: readonly Identified[]): Fingerprints[] {
  const fingerprinter = new Fingerprinter();
  for (const one of all) fingerprinter.count(one);
  for (const [index, one] of all.entries()) fingerprinter.collect(one, index);
  const candidates = all.map((one, index) => fingerprinter.claim(one, index));
  return all.map((one, index) => fingerprinter.of(one, index, candidates[index]));
}
