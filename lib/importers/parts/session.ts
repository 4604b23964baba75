import { HashCounter } from '../identity/hash-counter.ts';
import {
  type ImportContext,
  MAX_LISTED,
  type Parts,
  ReportError,
  unreadable,
  type Workspace,
} from '../importer.ts';
import type { Imported } from '../index.ts';
import { addTo } from '../read/groups.ts';
import { type SecretLocation, secretsByFile } from '../text/secrets.ts';
import type { Part } from './part.ts';

/** The items and secrets that are kept because they belong to results of several parts. */
const MAX_HELD = 200_000;

/** Messages beyond this number are only counted: a report can contain millions of errors. */
const MAX_MESSAGES = 1_000;

/** The messages of the importer. */
type Remarks = Pick<Imported, 'errors' | 'warnings' | 'skipped'>;

const noRemarks = (): Remarks => ({ errors: [], warnings: [], skipped: {} });

/** The state that the passes over a report share. */
export class SharedParts {
  /** Counts the parts of each group. */
  readonly groups = new HashCounter();
  hasSpanning = false;
  /** For each call of `createMasker` in a part. */
  readonly secrets: Map<string, SecretLocation[]>[] = [];
  secretCount = 0;

  /** Whether another pass gives other results than the first one. */
  get mustRepeat(): boolean {
    return this.hasSpanning || this.secretCount > 0;
  }
}

/** One pass over the parts of a report: the context of the importer, and what the parts say together. */
export class Pass {
  readonly context: ImportContext;
  #shared: SharedParts;
  #isFirst: boolean;
  #isLast = false;
  #offsets: Part['offsets'] = new Map();
  /** The messages about the current part, about the content of all parts, and in total. */
  #own = noRemarks();
  #common = noRemarks();
  #total = noRemarks();
  #omitted = 0;
  #lists = new Map<string, { valid: number; failed: number; errors: ReportError[] }>();
  #sums = new Map<string, { describe: (sum: number) => string; sum: number }>();
  #names = new Map<string, { describe: (names: string[]) => string; names: Set<string> }>();
  /** The groups that are in the current part, and the items of those that are in several. */
  #groups = new Set<string>();
  #held: Map<string, unknown[]>[] = [];
  #heldCount = 0;
  #groupCalls = 0;
  #maskerCalls = 0;

  constructor(workspace: Workspace, shared: SharedParts, isFirst: boolean) {
    this.#shared = shared;
    this.#isFirst = isFirst;
    this.context = {
      ...workspace,
      error: (message) => this.#own.errors.push(message),
      warn: (message) => this.#own.warnings.push(message),
      skip: (reason, count = 1) => {
        if (count > 0) this.#own.skipped[reason] = (this.#own.skipped[reason] ?? 0) + count;
      },
      parts: this.#parts(),
    };
  }

  /** Imports what all parts contain, before the first part. */
  common<T>(run: () => T): T {
    const result = this.#run(run);
    this.#common = this.#own;
    this.#total = structuredClone(this.#own);
    return result;
  }

  part<T>(run: () => T, offsets: Part['offsets']): T {
    this.#offsets = offsets;
    const result = this.#run(run);
    const { errors, warnings, skipped } = this.#own;
    this.#record(this.#total.errors, without(errors, this.#common.errors));
    this.#record(this.#total.warnings, without(warnings, this.#common.warnings));
    for (const [reason, count] of Object.entries(skipped)) {
      const added = count - (this.#common.skipped[reason] ?? 0);
      if (added > 0) this.#total.skipped[reason] = (this.#total.skipped[reason] ?? 0) + added;
    }
    return result;
  }

  /** Imports the groups that several parts contain. @returns undefined if there are none */
  last<T>(run: () => T): T | undefined {
    if (this.#heldCount === 0) return undefined;
    this.#isLast = true;
    return this.part(run, new Map());
  }

  /** @throws ReportError if no member of a list can be read */
  remarks(): Remarks {
    const unread = [...this.#lists.values()].filter(({ failed }) => failed > 0);
    for (const { valid, errors } of unread) if (valid === 0 && errors[0]) throw errors[0];
    const { errors, warnings, skipped } = this.#total;
    return {
      errors: [
        ...errors,
        ...unread.flatMap(({ errors, failed }) => unreadable(errors, failed)),
        ...(this.#omitted > 0 ? [`${this.#omitted} more messages`] : []),
      ],
      warnings: [
        ...warnings,
        ...[...this.#names.values()].map(({ describe, names }) => describe([...names])),
        ...[...this.#sums.values()].flatMap(({ describe, sum }) => (sum > 0 ? [describe(sum)] : [])),
      ],
      skipped,
    };
  }

  #run<T>(run: () => T): T {
    this.#own = noRemarks();
    this.#groups.clear();
    this.#groupCalls = 0;
    this.#maskerCalls = 0;
    return run();
  }

  #record(total: string[], messages: string[]): void {
    const { errors, warnings } = this.#total;
    const room = Math.max(0, MAX_MESSAGES - errors.length - warnings.length);
    this.#omitted += Math.max(0, messages.length - room);
    total.push(...messages.slice(0, room));
  }

  #parts(): Parts {
    return {
      offsetOf: (path) => this.#offsets.get(path),
      list: (path, valid, errors) => {
        const known = this.#lists.get(path) ?? { valid: 0, failed: 0, errors: [] };
        this.#lists.set(path, known);
        known.valid += valid;
        known.failed += errors.length;
        known.errors.push(...errors.slice(0, MAX_LISTED - known.errors.length));
      },
      count: (describe, count) => {
        const known = this.#sums.get(describe(0));
        this.#sums.set(describe(0), { describe, sum: count + (known?.sum ?? 0) });
      },
      names: (describe, names) => {
        if (names.length === 0) return;
        const known = this.#names.get(describe([])) ?? { describe, names: new Set() };
        this.#names.set(describe([]), known);
        for (const name of names) if (known.names.size < MAX_MESSAGES) known.names.add(name);
      },
      groups: (items, keyOf) => this.#grouped(items, keyOf),
      secrets: (locations) => this.#secrets(locations),
    };
  }

  #grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
    const call = this.#groupCalls++;
    if (this.#isLast) return [...(this.#held[call]?.values() ?? [])] as Item[][];
    const groups = new Map<string, Item[]>();
    for (const item of items) {
      const key = keyOf(item);
      if (this.#isSpanning(`${call} ${key}`)) this.#hold(call, key, item);
      else addTo(groups, key, item);
    }
    return [...groups.values()];
  }

  /** In the first pass, records the parts of a group. In the others, whether it is in several. */
  #isSpanning(group: string): boolean {
    const { groups } = this.#shared;
    if (!this.#isFirst) return this.#shared.hasSpanning && groups.countOf(group) > 1;
    if (this.#groups.has(group)) return false;
    this.#groups.add(group);
    if (groups.add(group) > 0) this.#shared.hasSpanning = true;
    return false;
  }

  #hold(call: number, key: string, item: unknown): void {
    if (++this.#heldCount > MAX_HELD)
      throw new ReportError(
        `More than ${MAX_HELD} entries of the report repeat others far away from them, such as one host in many places: split the scan`,
      );
    this.#held[call] ??= new Map();
    addTo(this.#held[call] as Map<string, unknown[]>, key, item);
  }

  #secrets<Location extends SecretLocation>(locations: readonly Location[]): Map<string, Location[]> {
    const call = this.#maskerCalls++;
    const { secrets } = this.#shared;
    secrets[call] ??= new Map();
    const known = secrets[call] as unknown as Map<string, Location[]>;
    if (!this.#isFirst) return known;
    this.#shared.secretCount += locations.reduce((sum, { secrets: found }) => sum + found.length, 0);
    if (this.#shared.secretCount > MAX_HELD)
      throw new ReportError(
        `The report contains more than ${MAX_HELD} secrets, which cannot be masked together: split the scan`,
      );
    const compact = locations.map(({ file, line, secrets: found }) => ({ file, line, secrets: found }));
    return secretsByFile(compact as unknown as Location[], known);
  }
}

/** Removes messages, each as often as it is listed. */
function without(messages: readonly string[], removed: readonly string[]): string[] {
  const rest = [...removed];
  return messages.filter((message) => {
    const at = rest.indexOf(message);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
