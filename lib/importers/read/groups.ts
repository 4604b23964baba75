import type { ImportContext } from '../importer.ts';

/** Groups items by a key, in the order of the first ones. Items without a key are alone. */
export function groupsOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  { parts }: Pick<ImportContext, 'parts'>,
): Item[][] {
  if (parts) return parts.groups(items, keyOf);
  const byKey = new Map<string, Item[]>();
  const groups: Item[][] = [];
  for (const item of items) {
    const key = keyOf(item);
    const group = key === undefined ? undefined : byKey.get(key);
    if (group) group.push(item);
    else {
      const added = [item];
      groups.push(added);
      if (key !== undefined) byKey.set(key, added);
    }
  }
  return groups;
}
