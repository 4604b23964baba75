import type { Field, ServiceField } from '../field-type.ts';
import { findingFieldList, pushedFindingFields, shownFindingFields } from '../fields.ts';

/*
 * The parts of a statement that name all fields of a push, one field per line. They derive from the declared fields, so
 * every statement that writes pushes has the same ones.
 */

const lines = (parts: readonly string[]): string => parts.join(',\n    ');
const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name);

/** What a push carries: the column definitions of its recordset. */
export const pushedColumns = lines(pushedFindingFields.map(({ name, sqlType }) => `${name} ${sqlType}`));

/** What the policies give a new finding: the column definitions of a push's recordset. */
export const policyColumns = lines([
  'due_at timestamptz',
  'due_dates timestamptz[]',
  'rule_id uuid',
  'first_status text',
  'first_reason text',
  'first_assignee uuid',
  'first_resolved_at timestamptz',
]);

/** The columns of a new finding. */
export const insertedColumns = lines(namesOf(findingFieldList));

/** The values of {@link insertedColumns}. `push` is a row with {@link pushedColumns}, {@link policyColumns}, `id` and `at`. */
export const insertedValues = (push: string): string =>
  lines(
    findingFieldList.map((field) => ('input' in field ? `${push}.${field.name}` : firstValue(field, push))),
  );

function firstValue({ first }: ServiceField, push: string): string {
  if (typeof first === 'string') return `'${first}'`;
  if (first === null || typeof first !== 'object') return String(first);
  const value = `${push}.${first.from}`;
  return first.otherwise === undefined ? value : `coalesce(${value}, '${first.otherwise}')`;
}

/** What DO UPDATE sets. `stored` is the row that a push found. */
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

/** These fields of `row` as arguments of json_build_object(). */
export const storedPairs = (row: string): string => lines(stored.map((name) => `'${name}', ${row}.${name}`));
