import { type Result, type Shown, shownOf } from '../importer.ts';
import { groupsOf } from '../read/groups.ts';
import { inlineCode } from '../text/markdown.ts';
import { type Leaves, leavesOf } from './entries.ts';
import { type Counter, type Identified, sha256, TextCounter } from './fingerprints.ts';

interface Copy {
  index: number;
  content: string;
  leaves: Leaves;
}

/** Tells a result apart from others that show the same. */
interface Distinction {
  suffix: string;
  paths: readonly string[];
}

/**
 * Results of a report that have the same identity and show the same. If their entries in the report are equal too, they are one
 * result. Otherwise they differ in something that the importer does not read, and all of them are kept: each adds the values that
 * differ to its fingerprint. One that remains alone is a new finding, because a decision about another must not apply to it.
 */
export class Copies {
  #seen: Counter;
  #counts: Counter;
  #copies: Copy[] = [];
  #distinctions: Map<number, Distinction> | undefined;
  /** Whether any results must be collected. */
  hasAny = false;

  constructor(createCounter: () => Counter = () => new TextCounter()) {
    this.#seen = createCounter();
    this.#counts = createCounter();
  }

  /** Whether no earlier result is the same. Call it for each result, then `collect`. */
  isNew(content: string, leaves: Leaves): boolean {
    if (this.#seen.add(`${content} ${JSON.stringify(leaves)}`) > 0) return false;
    if (this.#counts.add(content) > 0) this.hasAny = true;
    return true;
  }

  collect(content: string, leaves: Leaves, index: number): void {
    if (this.#counts.countOf(content) > 1) this.#copies.push({ content, leaves, index });
  }

  identified(one: Identified, index: number): Identified {
    const distinction = this.#distinction(index);
    if (!distinction) return one;
    const fingerprint = `${sha256(`${one.fingerprint} ${distinction.suffix}`)}#`;
    return { ...one, fingerprint, neighbours: null, former: [], named: [] };
  }

  described<S extends Pick<Shown, 'description'>>(shown: S, index: number): S {
    const paths = this.#distinction(index)?.paths;
    if (!paths) return shown;
    const names = paths.slice(0, MAX_PATHS).map((path) => inlineCode(path.replaceAll('@_', '')));
    const note = `The report has another result that differs from this one only in ${names.join(', ')}.`;
    return { ...shown, description: `${shown.description}\n\n${note}` };
  }

  #distinction(index: number): Distinction | undefined {
    this.#distinctions ??= new Map(
      groupsOf(this.#copies, ({ content }) => content).flatMap((group) => distinctionsOf(group)),
    );
    return this.#distinctions.get(index);
  }
}

const MAX_PATHS = 5;

/** The identity of a result, and everything that a finding shows. Fingerprints depend on it, so it lacks fields of later releases. */
export const contentOf = (
  { rule_id: _, ...shown }: Shown,
  { fingerprint }: Pick<Identified, 'fingerprint'>,
): string => `${fingerprint} ${JSON.stringify(shown)}`;

interface IdentifiedResult {
  result: Result;
  identified: Identified;
}

/** The results without those that the report contains twice, and what tells apart those that show the same. */
export function withoutRepeated(results: readonly IdentifiedResult[]) {
  const identities = new TextCounter();
  for (const { identified } of results) identities.add(identified.fingerprint);
  const copies = new Copies();
  const unique: IdentifiedResult[] = [];
  const repeated: Copy[] = [];
  for (const one of results) {
    // Most results have an identity of their own.
    if (identities.countOf(one.identified.fingerprint) > 1) {
      const content = contentOf(shownOf(one.result), one.identified);
      const leaves = leavesOf(one.result.entries);
      if (!copies.isNew(content, leaves)) continue;
      repeated.push({ index: unique.length, content, leaves });
    }
    unique.push(one);
  }
  for (const { content, leaves, index } of repeated) copies.collect(content, leaves, index);
  return { unique, copies };
}

function distinctionsOf(group: readonly Copy[]): [index: number, Distinction][] {
  const members = group.map(({ index, leaves }) => ({ index, values: new Map(leaves) }));
  const valueAt = ({ values }: (typeof members)[number], path: string) => values.get(path)?.join('\n') ?? '';
  const all = [...new Set(members.flatMap(({ values }) => [...values.keys()]))].sort();
  const paths = all.filter((path) => new Set(members.map((one) => valueAt(one, path))).size > 1);
  const isAll = (path: string, pattern: RegExp) => members.every((one) => pattern.test(valueAt(one, path)));
  const texts = paths.filter((path) => !isAll(path, NUMBER));
  const names = texts.filter((path) => !/id$/i.test(path) && isAll(path, NAME));
  const keyOf = (one: (typeof members)[number], chosen: readonly string[]) =>
    JSON.stringify(chosen.map((path) => valueAt(one, path)));
  // One name is more stable than all values.
  const chosen =
    [...names, ...texts]
      .map((path) => [path])
      .find((candidate) => new Set(members.map((one) => keyOf(one, candidate))).size === members.length) ??
    texts;
  // Numbers, such as lines, only order results, because they change with each edit of the code. With how many there are, the order
  // makes all of them new findings when one is gone.
  const sorted = members
    .map((one) => ({ index: one.index, key: keyOf(one, chosen), order: keyOf(one, paths) }))
    .toSorted((a, b) => compare(a.key, b.key) || a.order.localeCompare(b.order, 'en', { numeric: true }));
  const shown = chosen.length > 0 ? chosen : paths;
  const [ranks, numbers] = [new TextCounter(), new TextCounter()];
  for (const { key } of sorted) numbers.add(key);
  return sorted.map(({ index, key }) => [
    index,
    { suffix: `${key} ${ranks.add(key)}/${numbers.countOf(key)}`, paths: shown },
  ]);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const NUMBER = /^[\d.,\n-]*$/;
/** A short text on one line, not a digest. */
const NAME = /^(?![\s\S]*[\da-f]{16})[^\n]{0,200}$/i;
