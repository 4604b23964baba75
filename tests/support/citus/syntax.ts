import { parseSync } from 'libpg-query';

// biome-ignore lint/suspicious/noExplicitAny: a part of a syntax tree, of which we look at few of hundreds of kinds
export type Part = any;

/** A statement by its grammar: what kind it is, as PostgreSQL's parser calls it, and what stands in it. */
export interface Statement {
  kind: string;
  body: Part;
}

/** The statements of a text. `loadModule()` of libpg-query has to be called before. */
export const readStatements = (text: string): Statement[] =>
  (parseSync(text).stmts ?? []).map(({ stmt }) => {
    const [[kind, body]] = Object.entries(stmt ?? {}) as [[string, Part]];
    return { kind, body };
  });

/** Every part of this kind, at any depth. */
export function partsOf(part: Part, kind: string): Part[] {
  if (part === null || typeof part !== 'object') return [];
  return Object.entries(part).flatMap(([key, value]) => [
    ...(key === kind ? [value] : []),
    ...partsOf(value, kind),
  ]);
}

/** Every table that is named, of this statement's own names for queries (`with x as …`) none. */
export function tablesOf(part: Part): { schema: string | undefined; name: string }[] {
  const own = new Set(partsOf(part, 'CommonTableExpr').map(({ ctename }) => ctename));
  const found: { schema: string | undefined; name: string }[] = [];
  const visit = (value: Part) => {
    if (value === null || typeof value !== 'object') return;
    if (typeof value.relname === 'string' && (value.schemaname || !own.has(value.relname)))
      found.push({ schema: value.schemaname, name: value.relname });
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(part);
  return found;
}

/** The name of a function that is called, without its schema. */
export const calledName = ({ funcname }: Part): string => funcname.at(-1).String.sval;
