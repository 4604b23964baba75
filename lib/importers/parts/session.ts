import {
  type ImportContext,
  MAX_LISTED,
  type Parts,
  type RecordMessage,
  ReportError,
  unreadable,
  type Workspace,
} from '../importer.ts';
import { type SecretLocation, secretsByFile } from '../text/secrets.ts';
import { HashCounter, hashOf } from './hashes.ts';
import { Distinct, type ListCount, LocatedError, MAX_MESSAGES, type Remarks, without } from './remarks.ts';

/** The items and secrets that are kept because they belong to results of several parts. */
const MAX_HELD = 200_000;

type Groups = Map<string, unknown[]>;

/** The state that several parts of a report share. Passes over the report share it, too. */
export class SharedParts {
  /** Group keys by the number of the part that contains them; `SPANNING` if several do. */
  readonly keys = new HashCounter();
  spanning = 0;
  /** For each call of `createMasker` in a part. */
  readonly secrets: Map<string, SecretLocation[]>[] = [];
  secretCount = 0;

  /** Whether another pass gives other results than the first one. */
  get mustRepeat(): boolean {
    return this.spanning > 0 || this.secretCount > 0;
  }
}

const SPANNING = 0xffff_ffff;

/** One pass over the parts of a report: the context of the importer, and what the parts say together. */
export class Pass {
  #shared: SharedParts;
  #isFirst: boolean;
  #part = 0;
  #isLast = false;
  #held: Groups[] = [];
  #heldCount = 0;
  #groupCalls = 0;
  #maskerCalls = 0;
  #errors: string[] = [];
  #warnings: string[] = [];
  #omitted = 0;
  #skipped: Record<string, number> = {};
  #allErrors = new Distinct();
  #allWarnings = new Distinct();
  #lists = new Map<string, ListCount>();
  #counts = new Map<string, { describe: (sum: number) => string; sum: number }>();
  #names = new Map<string, { describe: (names: string[]) => string; names: Set<string> }>();
  /** The remarks about what all parts contain. */
  #common: Remarks & { lists: Set<string> } = { errors: [], warnings: [], skipped: {}, lists: new Set() };
  #own: Remarks = { errors: [], warnings: [], skipped: {} };
  readonly context: ImportContext;

  constructor(workspace: Workspace, shared: SharedParts, isFirst: boolean) {
    this.#shared = shared;
    this.#isFirst = isFirst;
    const record = (list: 'errors' | 'warnings', all: Distinct): RecordMessage =>
      Object.assign((message: string) => void this.#own[list].push(message), {
        all: (messages: readonly string[]) => all.add(messages),
      });
    this.context = {
      ...workspace,
      error: record('errors', this.#allErrors),
      warn: record('warnings', this.#allWarnings),
      skip: (reason, count = 1) => {
        if (count > 0) this.#own.skipped[reason] = (this.#own.skipped[reason] ?? 0) + count;
      },
      parts: this.#parts(),
    };
  }

  /** Imports what all parts contain, before the first part. */
  common<T>(run: () => T): T {
    const result = this.#run(run);
    this.#common = { ...this.#own, lists: new Set(this.#failedLists()) };
    this.#errors.push(...this.#own.errors);
    this.#warnings.push(...this.#own.warnings);
    this.#skipped = { ...this.#own.skipped };
    return result;
  }

  /** Imports a part. @param locate corrects positions in messages */
  part<T>(run: () => T, locate: (message: string) => string): T {
    this.#part++;
    const result = this.#run(run);
    this.#errors.push(...this.#limit(without(this.#own.errors, this.#common.errors).map(locate)));
    this.#warnings.push(...this.#limit(without(this.#own.warnings, this.#common.warnings).map(locate)));
    for (const [reason, count] of Object.entries(this.#own.skipped)) {
      const added = count - (this.#common.skipped[reason] ?? 0);
      if (added > 0) this.#skipped[reason] = (this.#skipped[reason] ?? 0) + added;
    }
    for (const list of this.#lists.values())
      list.errors = list.errors.map((error) =>
        error instanceof LocatedError ? error : new LocatedError(locate(error.message)),
      );
    return result;
  }

  /** Imports the groups that several parts contain. @returns undefined if there are none */
  last<T>(run: () => T): T | undefined {
    if (this.#isFirst || this.#heldCount === 0) return undefined;
    this.#isLast = true;
    return this.part(run, (message) => message);
  }

  /** @throws ReportError if no member of a list can be read */
  remarks(): Remarks {
    const unread = [...this.#lists.values()].filter(({ failed }) => failed > 0);
    for (const {
      valid,
      errors: [first],
    } of unread)
      if (valid === 0 && first) throw first;
    return {
      errors: [
        ...this.#errors,
        ...this.#allErrors.messages,
        ...unread.flatMap(({ errors, failed }) => unreadable(errors, failed)),
        ...(this.#omitted > 0 ? [`${this.#omitted} more messages`] : []),
      ],
      warnings: [
        ...this.#warnings,
        ...this.#allWarnings.messages,
        ...[...this.#names.values()].map(({ describe, names }) => describe([...names])),
        ...[...this.#counts.values()].map(({ describe, sum }) => describe(sum)),
      ],
      skipped: this.#skipped,
    };
  }

  #run<T>(run: () => T): T {
    this.#own.errors = [];
    this.#own.warnings = [];
    this.#own.skipped = {};
    this.#groupCalls = 0;
    this.#maskerCalls = 0;
    return run();
  }

  #limit(messages: string[]): string[] {
    const room = Math.max(0, MAX_MESSAGES - this.#errors.length - this.#warnings.length);
    this.#omitted += Math.max(0, messages.length - room);
    return messages.slice(0, room);
  }

  #failedLists = () => [...this.#lists].filter(([, { failed }]) => failed > 0).map(([path]) => path);

  #parts(): Parts {
    return {
      list: (path, valid, errors) => {
        const known = this.#lists.get(path) ?? { valid: 0, errors: [], failed: 0 };
        this.#lists.set(path, known);
        known.valid += valid;
        if (this.#common.lists.has(path)) return;
        known.failed += errors.length;
        known.errors.push(...errors.slice(0, MAX_LISTED - known.errors.length));
      },
      count: (describe, count) => {
        if (count === 0) return;
        const key = describe(0);
        const known = this.#counts.get(key) ?? { describe, sum: 0 };
        this.#counts.set(key, known);
        known.sum += count;
      },
      names: (describe, names) => {
        if (names.length === 0) return;
        const key = describe([]);
        const known = this.#names.get(key) ?? { describe, names: new Set() };
        this.#names.set(key, known);
        for (const name of names) if (known.names.size < MAX_MESSAGES) known.names.add(name);
      },
      groups: (items, keyOf) => this.#groups(items, keyOf),
      secrets: (locations) => this.#secrets(locations),
    };
  }

  #groups<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Item[][] {
    const call = this.#groupCalls++;
    if (this.#isLast) return [...(this.#held[call]?.values() ?? [])] as Item[][];
    const byKey = new Map<string, Item[]>();
    const groups: Item[][] = [];
    for (const item of items) {
      const key = keyOf(item);
      if (key === undefined) {
        groups.push([item]);
        continue;
      }
      const group = this.#isSpanning(call, key) ? this.#hold(call, key) : byKey.get(key);
      if (group) group.push(item as never);
      else {
        const added = [item];
        byKey.set(key, added);
        groups.push(added);
      }
    }
    return groups;
  }

  /** In the first pass, records in which part a key is. In the others, whether it is in several. */
  #isSpanning(call: number, key: string): boolean {
    const { keys } = this.#shared;
    const hash = hashOf(`${call} ${key}`);
    if (!this.#isFirst) return this.#shared.spanning > 0 && keys.countOf(hash) === SPANNING;
    const part = this.#part + 1;
    const known = keys.countOf(hash);
    if (known === 0) {
      keys.add(hash);
      keys.set(hash, part);
    } else if (known !== part && known !== SPANNING) {
      keys.set(hash, SPANNING);
      this.#shared.spanning++;
    }
    return false;
  }

  #hold(call: number, key: string): unknown[] {
    if (++this.#heldCount > MAX_HELD)
      throw new ReportError(
        `More than ${MAX_HELD} entries of the report repeat others far away from them, such as one secret in many commits: split the scan`,
      );
    this.#held[call] ??= new Map();
    const held = this.#held[call];
    const group = held.get(key);
    if (group) return group;
    const added: unknown[] = [];
    held.set(key, added);
    return added;
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
