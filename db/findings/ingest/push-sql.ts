import type { Field, ServiceField } from '../field-type.ts';
import { findingFieldList, pushedFindingFields, shownFindingFields } from '../fields.ts';
import type { Known } from './push.ts';

/*
 * The parts of a statement that name all fields of a push, one field per line. They derive from the declared fields, so
 * every statement that writes pushes has the same ones.
 */

const lines = (parts: readonly string[]): string => parts.join(',\n    ');
const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name);

/** Whether the scans of a project `p` accept no pushes, because it is deleted or moves to another organization. */
export const takesNoPushes = '(p.deleted_at is not null or p.transfer is not null)';

/** A column of the rows that a statement is given. */
export interface InputColumn {
  name: string;
  sqlType: string;
}

/** The input columns of a push. */
export const pushedInput: readonly InputColumn[] = pushedFindingFields.map(({ name, sqlType }) => ({
  name,
  sqlType,
}));

/** The input columns of a new finding that the policies determine. */
export const policyInput: readonly InputColumn[] = [
  { name: 'due_at', sqlType: 'timestamptz' },
  { name: 'due_dates', sqlType: 'timestamptz[]' },
  { name: 'decided_by', sqlType: 'uuid' },
  { name: 'first_status', sqlType: 'text' },
  { name: 'first_reason', sqlType: 'text' },
  { name: 'first_assignee', sqlType: 'uuid' },
  { name: 'first_accepted_until', sqlType: 'timestamptz' },
  { name: 'first_resolved_at', sqlType: 'timestamptz' },
];

/** The column definitions of a recordset. */
export const definitionsOf = (columns: readonly InputColumn[]): string =>
  lines(columns.map(({ name, sqlType }) => `${name} ${sqlType}`));

/** The columns of a new finding. */
export const insertedColumns = lines(namesOf(findingFieldList));

/**
 * The values of {@link insertedColumns}. `push` is a row with {@link pushedInput}, {@link policyInput}, `id`, `at`, `actor_id` and
 * `proposed`.
 */
export const insertedValues = (push: string): string =>
  lines(
    findingFieldList.map((field) => ('input' in field ? `${push}.${field.name}` : firstValue(field, push))),
  );

function firstValue({ first }: ServiceField, push: string): string {
  if (typeof first === 'string') return `'${first}'`;
  if (first === null || typeof first !== 'object') return String(first);
  const value = `${push}.${first.from}`;
  if (first.unlessProposed) return `case when ${push}.proposed is null then ${value} end`;
  return first.otherwise === undefined ? value : `coalesce(${value}, '${first.otherwise}')`;
}

/** The assignments of DO UPDATE. `stored` is the row that a push found. */
export const updates = (stored: string): string =>
  lines(findingFieldList.flatMap((field) => newValue(field, stored) ?? []));

function newValue({ name, onRepeat }: Field & { name: string }, stored: string): string | undefined {
  if (onRepeat === 'match' || onRepeat === 'keep') return undefined;
  if (onRepeat === 'replace') return `${name} = excluded.${name}`;
  if (onRepeat === 'replace if given') return `${name} = coalesce(excluded.${name}, ${stored}.${name})`;
  return `${name} = ${onRepeat(stored)}`;
}

/** The fields of a known finding that do not follow from the push alone. */
const stored = namesOf(
  shownFindingFields.filter(({ onRepeat }) => onRepeat !== 'match' && onRepeat !== 'replace'),
);

/** These fields of `row` as columns. */
export const storedColumns = (row: string): string => lines(stored.map((name) => `${row}.${name}`));

/** These fields of a row as JSON values. */
export const storedOf = (row: Record<string, unknown>): Known =>
  Object.fromEntries(stored.map((name) => [name, row[name]])) as Known;

/** The columns of `row` that a statement with pushes returns: {@link storedColumns}, and those to count and record the pushes. */
export const returnedColumns = (row: string): string =>
  `${storedColumns(row)},
    ${[
      ...['project_id', 'fingerprint', 'severity', 'severity_before', 'regressed_before', 'due_before'],
      ...['proposed_before', 'last_scan_id', 'last_seen_at'],
    ]
      .map((name) => `${row}.${name}`)
      .join(', ')}, (xmax <> 0) as deduplicated`;

/** These fields of `row` as arguments of json_build_object(). */
export const storedPairs = (row: string): string => lines(stored.map((name) => `'${name}', ${row}.${name}`));
