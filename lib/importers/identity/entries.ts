import { isObject } from '../read/values.ts';

/** The values in the entries of a result, by the path of their fields. Plain lists, which can be stored. */
export type Leaves = readonly (readonly [path: string, values: readonly string[]])[];

const originals = new WeakMap<object, object>();

/** Records the entry of the report that a value was read from: it has the fields that no importer reads. */
export function readFrom<T>(value: T, original: unknown): T {
  if (isReference(value) && isReference(original) && value !== original)
    originals.set(value, originals.get(original) ?? original);
  return value;
}

const isReference = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The values in the entries that a result was made from (`Result.entries`), without those that differ with each run. */
export function leavesOf(entries: readonly unknown[]): Leaves {
  const leaves = new Map<string, string[]>();
  const add = (value: unknown, path: string, isParent: boolean): void => {
    const original = isReference(value) ? (originals.get(value) ?? value) : value;
    if (Array.isArray(original)) {
      if (isParent && original.some(isReference)) return;
      for (const member of original) add(member, path, isParent);
    } else if (isObject(original)) {
      for (const [name, member] of Object.entries(original))
        if (!OF_RUN.test(wordsOf(name))) add(member, path ? `${path}.${name}` : name, isParent);
    } else if (original !== undefined && original !== null && typeof original !== 'function') {
      const text = String(original);
      if (TIME.test(text) || (UUID.test(text) && /(?:^|[@_.])(?:id|uuid|guid)$/i.test(path))) return;
      const known = leaves.get(path);
      if (known) known.push(text);
      else leaves.set(path, [text]);
    }
  };
  for (const [index, entry] of entries.entries()) add(entry, '', index < entries.length - 1);
  return [...leaves].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** `createdAt` and `created_at` as `created at`. */
const wordsOf = (name: string) =>
  name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replace(/[^a-z\d]+/gi, ' ')
    .trim()
    .toLowerCase();

/** Fields that differ with each run: times and durations, ids of the run, and what a server answered. */
const OF_RUN =
  /(?:^| )(?:time|timestamp|date|datetime|duration|elapsed|at|seen|created|updated|modified|response)$|^(?:scan|run|job|session|report) ?(?:id|uuid|guid)$/;
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.,]*(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?$/i;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
