import type { FindingRow, Resource } from '../../resources.ts';
import type { RuledFields } from '../../rules/rules.ts';
import { type PushedName, shownFindingFields } from '../fields.ts';

export const MAX_PREVIOUS_FINGERPRINTS = 5;

/** A finding as an agent pushes it, already validated. */
export type Push = Resource<Pick<FindingRow, PushedName>> & {
  /** Fingerprints that identified the finding before. The first one that a finding has counts. */
  previous_fingerprints?: readonly string[] | undefined;
};

/** A push with the id and the time that a new finding gets. */
export type PushRow = Push & {
  id: string;
  at: string;
  actor: number;
  due_dates?: readonly (string | null)[];
} & RuledFields;

/** A push with its position in a batch, and how it is recorded. */
export type BatchRow = PushRow & { ord: number; key?: string; claimed_at?: string; position?: number };

/** Pushes that one transaction writes. */
export interface Batch {
  rows: readonly BatchRow[];
  /** The tokens and users whose pushes these are; `actor` is the position of one, from 1. */
  actorIds: readonly string[];
  /** The time of the batch (RFC 3339). */
  now: string;
  /** The version of the policies that the pushes follow. If another one is stored, nothing is written. Null: any. */
  version: number | null;
}

/** The result for a push. */
export interface WrittenRow {
  ord: number;
  /** Null when the scan is not registered. */
  scan_status: string | null;
  /** Null when the scan is another project's. */
  deduplicated: boolean | null;
  /** The fields that do not follow from the push; null for a new finding. */
  known: Known | null;
}

/** The stored fields of a known finding that do not follow from the push alone; times as PostgreSQL writes them. */
export type Known = { [Name in keyof FindingRow]?: string | number | boolean | null };

/** How each field of the answer follows from a push. */
const FIELDS = shownFindingFields.map((field) => {
  const { name, onRepeat, sqlType } = field;
  const first = 'input' in field ? { from: name, otherwise: undefined } : field.first;
  const { from, otherwise = undefined } = first && typeof first === 'object' ? first : { from: undefined };
  return {
    name: name as keyof FindingRow,
    from: from as keyof PushRow | undefined,
    constant: from ? otherwise : first,
    /** Whether the push's value, if any, goes before the stored one. */
    overwrites: onRepeat === 'match' || onRepeat === 'replace' || onRepeat === 'replace if given',
    isTime: sqlType.startsWith('timestamp'),
  };
});

/**
 * The finding after a push, as a read of it shows it.
 * @param known what was stored; null for a new finding
 */
export function findingAfter(push: PushRow, known: Known | null): Resource<FindingRow> {
  const finding: Record<string, unknown> = {};
  for (const { name, from, constant, overwrites, isTime } of FIELDS) {
    let value: unknown = (from && push[from]) ?? constant;
    if (known && !(overwrites && value !== undefined)) {
      const stored = known[name];
      value = isTime && stored ? new Date(String(stored)).toISOString() : stored;
    }
    if (value !== undefined && value !== null) finding[name] = value;
  }
  return finding as Resource<FindingRow>;
}
