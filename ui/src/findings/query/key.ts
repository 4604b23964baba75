import * as text from '#strings/findings/query.ts';
import type { FindingFilter } from '../../app/search.ts';

/** The filters with several values, which an address separates by commas. */
export type ListName =
  | 'severity'
  | 'status'
  | 'project_id'
  | 'source'
  | 'not_source'
  | 'assignee'
  | 'mentions'
  | 'changed_by';

/** The filters that a query can express. */
type Expressed = Omit<FindingFilter, 'scan_id' | 'against' | 'change' | 'sort'>;

/** The filters of a query, with the names and values of `GET /findings`. */
export type Filters = Omit<Expressed, ListName> & { [Name in ListName]?: string[] };

/** The names that a query can contain. */
export interface QueryContext {
  projects: readonly {
    id: string;
    slug: string;
    name: string;
    default_ref?: string;
    tracked_refs?: string[];
  }[];
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
  if (isNegated) throw new InvalidValue(text.cannotBeExcluded);
}
