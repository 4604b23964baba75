import { and, type SQL } from 'drizzle-orm';
import { isStorable } from '../../schema.ts';
import { ScimError } from '../../scim/error.ts';
import { plainName } from './attributes.ts';
import type { Filters } from './handler.ts';

const CLAUSE =
  /\s*([\w$:.-]{1,200})(?:\[ *type +eq +"work" *\](\.value))? +eq +("(?:[^"\\]|\\.){0,500}"|true|false)\s*(and(?= )|$)/iy;

const refused = () =>
  new ScimError(
    'invalidFilter',
    'Only comparisons with eq are supported, combined with and: of id, userName, externalId, emails, displayName and active of users, and of id, displayName, externalId and members of groups.',
  );

/**
 * The condition of a filter (RFC 7644, 3.4.2.2).
 * @param known the conditions by attribute
 * @throws ScimError `invalidFilter`
 */
export function filterOf(filter: string | undefined, known: Filters): SQL | undefined {
  if (filter === undefined || filter.trim() === '') return undefined;
  const conditions: (SQL | undefined)[] = [];
  const clause = new RegExp(CLAUSE);
  for (let more = true; more; ) {
    const [, name = '', sub = '', value = '', next] = clause.exec(filter) ?? [];
    const attribute = plainName(name) + sub.toLowerCase();
    if (!Object.hasOwn(known, attribute)) throw refused();
    conditions.push(known[attribute]?.(textOf(value)));
    more = next !== '';
  }
  return and(...conditions);
}

function textOf(value: string): string {
  try {
    const parsed = String(JSON.parse(value.startsWith('"') ? value : value.toLowerCase()));
    if (isStorable(parsed)) return parsed;
  } catch {
    // The text has an escape that JSON does not have.
  }
  throw refused();
}
