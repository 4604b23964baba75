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
  /** Whether its values are any text. Others are complete as soon as they are valid. */
  isFreeText?: true;
  /** Adds a term with at least one value to the filters. @throws InvalidValue */
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

/** Whether a value is the id of a member or project, whose name may not be known yet. */
export const isId = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/**
 * The only one whose name is a text or else starts with it. A complete name of one may be the start of another one.
 * @param namesOf the names of one, in small letters; earlier ones have precedence
 * @returns undefined if there is none
 * @throws InvalidValue if there are several
 */
export function matchOf<T>(
  all: readonly T[],
  namesOf: (one: T) => readonly string[],
  value: string,
  several: (value: string) => string,
): T | undefined {
  const wanted = value.toLowerCase();
  const ranks = Math.max(0, ...all.map((one) => namesOf(one).length));
  const steps = [
    ...Array.from({ length: ranks }, (_, rank) => (one: T) => namesOf(one)[rank] === wanted),
    (one: T) => wanted !== '' && namesOf(one).some((name) => name.startsWith(wanted)),
  ];
  for (const matches of steps) {
    const found = all.filter(matches);
    if (found.length > 1) throw new InvalidValue(several(value));
    if (found[0] !== undefined) return found[0];
  }
  return undefined;
}

/** Sets a filter that has one value. @throws InvalidValue if an earlier term has set another one */
export function setOnce<N extends Exclude<keyof Filters, ListName>>(
  filters: Filters,
  name: N,
  value: NonNullable<Filters[N]>,
): void {
  if (filters[name] !== undefined && filters[name] !== value) throw new InvalidValue(text.onlyOnce);
  filters[name] = value;
}

/** @throws InvalidValue if the term is negated */
export function requireAffirmed(isNegated: boolean): void {
  if (isNegated) throw new InvalidValue(text.cannotBeExcluded);
}
