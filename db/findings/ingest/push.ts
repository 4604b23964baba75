import type { FindingRow, Resource } from '../../resources.ts';
import type { RuledFields } from '../../rules/rules.ts';
import type { FindingStatus } from '../../schema/values.ts';
import type { FirstValue } from '../field-type.ts';
import { type PushedName, shownFindingFields } from '../fields.ts';

export const MAX_PREVIOUS_FINGERPRINTS = 5;

/** A finding as an agent pushes it, already validated. */
export type Push = Resource<Pick<FindingRow, PushedName>> & {
  /** Fingerprints that identified the finding before. The first one that a finding has counts. */
  previous_fingerprints?: readonly string[] | undefined;
};

/** The key under which the outcome of a push is recorded, so that a repeated request writes the push once. */
export interface PushRecord {
  key: string;
  /** The position of the push in the request. */
  position: number;
  claimed_at: string;
}

/** A push as a statement writes it, with all that a new finding gets. */
export type PushRow = Push &
  RuledFields &
  Partial<PushRecord> & {
    /** The position in the batch. */
    ord: number;
    id: string;
    at: string;
    /** The position of the token or user in the batch, from 1. */
    actor: number;
    due_dates?: readonly (string | null)[];
    /** Known after the push only. */
    proposed?: boolean | undefined;
  };

/** Pushes that one transaction writes. */
export interface Batch {
  rows: readonly PushRow[];
  /** The tokens and users whose pushes these are. */
  actorIds: readonly string[];
  /** The time of the batch (RFC 3339). */
  now: string;
  /** The version of the policies that the pushes follow. If another one is stored, nothing is written. Null: any. */
  version: number | null;
}

/** A push as a statement returns it. */
export interface WrittenRow {
  ord: number;
  /** Null when the scan is not registered. */
  scan_status: string | null;
  /** Whether the scan is of a ref that the state of findings does not follow. Null when the scan is not registered. */
  proposed: boolean | null;
  /** Null when the scan is another project's. */
  deduplicated: boolean | null;
  /** The fields that do not follow from the push; null for a new finding. */
  known: Known | null;
}

/** The stored fields of a known finding that do not follow from the push alone; times as PostgreSQL writes them. */
export type Known = Pick<FindingRow, 'id' | 'regressed' | 'status'> & {
  [Name in keyof FindingRow]?: string | number | boolean | null;
};

/** The outcome of a push. */
export type PushOutcome =
  | {
      kind: 'written';
      deduplicated: boolean;
      id: string;
      regressed: boolean;
      status: FindingStatus;
      /** The whole finding after the push. Not recorded under an idempotency key. */
      finding(): Resource<FindingRow>;
    }
  /** No such scan is registered. */
  | { kind: 'no_scan' }
  /** The scan belongs to another project. */
  | { kind: 'other_project' }
  /** PostgreSQL refused it, or the summary of its scan could not be renewed. */
  | { kind: 'failed'; error: unknown };

/** Derives the outcome of a push from the row that a statement returned. */
export function outcomeOf(
  { scan_status, proposed, deduplicated, known }: WrittenRow,
  push: PushRow,
): PushOutcome {
  if (scan_status === null) return { kind: 'no_scan' };
  if (deduplicated === null) return { kind: 'other_project' };
  return {
    kind: 'written',
    deduplicated,
    id: known?.id ?? push.id,
    regressed: known?.regressed ?? false,
    status: known?.status ?? push.first_status ?? 'open',
    finding: () => findingAfter({ ...push, proposed: proposed || undefined }, known),
  };
}

/** How each field of the answer follows from a push. */
const FIELDS = shownFindingFields.map((field) => {
  const { name, onRepeat, sqlType } = field;
  const first = 'input' in field ? { from: name, otherwise: undefined } : field.first;
  const value: Partial<FirstValue> = first && typeof first === 'object' ? (first as FirstValue) : {};
  return {
    name: name as keyof FindingRow,
    from: value.from as keyof PushRow | undefined,
    constant: value.from ? value.otherwise : first,
    unlessProposed: value.unlessProposed,
    /** Whether the push's value, if any, goes before the stored one. */
    overwrites: onRepeat === 'match' || onRepeat === 'replace' || onRepeat === 'replace if given',
    isTime: sqlType.startsWith('timestamp'),
  };
});

/**
 * The finding after a push, as a read of it shows it.
 * @param known what was stored; null for a new finding
 */
function findingAfter(push: PushRow, known: Known | null): Resource<FindingRow> {
  const finding: Record<string, unknown> = {};
  for (const { name, from, constant, overwrites, isTime, unlessProposed } of FIELDS) {
    let value: unknown = (from && push[from]) ?? constant;
    if (unlessProposed && push.proposed) value = undefined;
    if (known && !(overwrites && value !== undefined)) {
      const stored = known[name];
      value = isTime && stored ? new Date(String(stored)).toISOString() : stored;
    }
    if (value !== undefined && value !== null) finding[name] = value;
  }
  return finding as Resource<FindingRow>;
}
