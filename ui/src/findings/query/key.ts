/** The filters that a query can express, with the names and values of `GET /findings`. */
export interface Filters {
  severity?: string[];
  status?: string[];
  project_id?: string[];
  source?: string[];
  not_source?: string[];
  /** `me`, `none` or user ids. */
  assignee?: string[];
  /** `me` or user ids. */
  mentions?: string[];
  attention?: boolean;
  regressed?: boolean;
  overdue?: boolean;
  missing?: boolean;
  has_exploit?: boolean;
  cwe?: string;
  cve?: string;
  rule?: string;
  file?: string;
  path?: string;
  not_path?: string;
  /** RFC 3339, or a date; inclusive. */
  found_after?: string;
  /** RFC 3339, or a date; exclusive. */
  found_before?: string;
  seen_after?: string;
  seen_before?: string;
  /** Words. */
  q?: string;
}

/** The names that a query can contain. */
export interface QueryContext {
  projects: readonly { id: string; slug: string; name: string }[];
  members: readonly { id: string; name: string; email: string }[];
  now: Date;
}

/** A term whose value is invalid. The message completes “severity: …”. */
export class InvalidValue extends Error {}

export interface Key {
  /** A short explanation, for suggestions. */
  description: string;
  /** Adds a term to the filters. @throws InvalidValue */
  read(values: string[], isNegated: boolean, filters: Filters, context: QueryContext): void;
  /** The terms of this key, without the ones of other keys. */
  write(filters: Filters, context: QueryContext): string[];
  /** Values to choose from. */
  options(context: QueryContext): Option[];
}

export interface Option {
  value: string;
  label?: string;
}

/** @throws InvalidValue if the term is negated */
export function requireAffirmed(isNegated: boolean): void {
  if (isNegated) throw new InvalidValue('cannot be excluded with “-”');
}
