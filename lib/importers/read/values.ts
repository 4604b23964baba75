/* Access to values whose types are not known. */

/** The element of an XML document at a path of names: the first of each. */
export function elementAt(document: unknown, ...path: string[]): Record<string, unknown> | undefined {
  let at = document;
  for (const name of path) {
    at = [(at as Record<string, unknown> | null | undefined)?.[name]].flat()[0];
  }
  return typeof at === 'object' && at !== null ? (at as Record<string, unknown>) : undefined;
}

/**
 * The elements at a path of names in an XML element: the first of each name, and all of the last one. Empty elements, which the
 * parser returns as empty texts, become objects.
 */
export function elements(parent: unknown, ...path: string[]): Record<string, unknown>[] {
  const [last = '', ...names] = path.toReversed();
  const direct = names.length > 0 ? elementAt(parent, ...names.reverse()) : parent;
  return [(direct as Record<string, unknown> | null | undefined)?.[last] ?? []]
    .flat()
    .map((element) => (isObject(element) ? element : { '#text': element }));
}

/** The property at a path of names; undefined where a value on the way is not an object. */
export const property = (value: unknown, ...names: string[]): unknown =>
  names.reduce((at, name) => (isObject(at) ? at[name] : undefined), value);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
