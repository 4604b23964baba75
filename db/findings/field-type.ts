import type { PgColumnBuilderBase } from 'drizzle-orm/pg-core';

/** A field of a finding: a column, and what the API, pushes and exports do with it. */
export type Field = PushedField | ServiceField;

/** A field that agents push. It is optional if its column is nullable. */
export interface PushedField extends CommonField {
  input: Limits;
}

/** A value that comes with each push besides its fields. The policies of the organization give the last ones. */
export type PushValue =
  | 'id'
  | 'at'
  | 'scan_id'
  | 'actor_id'
  | 'due_at'
  | 'due_dates'
  /** The triage rule that decided about a new finding. `rule_id` is the tool's rule. */
  | 'decided_by'
  | 'first_status'
  | 'first_reason'
  | 'first_assignee'
  | 'first_accepted_until'
  | 'first_resolved_at'
  /** Whether the scan is of a ref that the state of findings does not follow. */
  | 'proposed';

/** A field that the service sets. */
export interface ServiceField extends CommonField {
  /** Its value in a new finding: a constant, or a value that comes with each push, with a constant if it is absent. */
  first: string | number | boolean | null | FirstValue;
}

export interface FirstValue {
  from: PushValue;
  otherwise?: string;
  /** A proposed finding does not have it. */
  unlessProposed?: true;
}

interface CommonField {
  /** Its name is also the name in the API and in files. */
  column: PgColumnBuilderBase;
  onRepeat: OnRepeat;
  /** In the OpenAPI document. */
  example?: string | number | boolean;
  /** In the OpenAPI document, for responses. */
  description?: string;
  /** In the OpenAPI document, for responses. */
  minimum?: number;
  /** Internal: in no response and no file. */
  hidden?: true;
}

/** The limits of a pushed value, besides the type of its column. */
export type Limits =
  /** Nothing: for UUIDs and columns with an enum. */
  | 'any'
  | { characters: { min?: number; max: number } }
  /** The size of the text in UTF-8. */
  | { bytes: { min?: number; max: number } }
  | { number: { min: number; max: number } }
  /** `form` explains the pattern in the error message. */
  | { pattern: RegExp; form: string }
  | { format: 'path'; max: number }
  | { format: 'scan id' };

/**
 * The effect of a push of a known finding on a field:
 *
 * - `match`: nothing. The field is part of what identifies a finding.
 * - `keep`: keeps the stored value.
 * - `replace`: stores the value that the push would give to a new finding.
 * - `replace if given`: the same if the push has a value, otherwise keeps the stored value.
 * - A function of the name of the stored row: stores the value of this SQL expression. Only columns and operators are
 *   allowed in it (tests/support/citus/README.md).
 */
export type OnRepeat = 'match' | 'keep' | 'replace' | 'replace if given' | ((stored: string) => string);
