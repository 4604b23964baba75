/** Adds an item to the group of a key. @returns the group, if it is new */
export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): Item[] | undefined {
  const known = groups.get(key);
  if (known) {
    known.push(item);
    return undefined;
  }
  const group = [item];
  groups.set(key, group);
  return group;
}

/** Groups items by a key, in the order of the first ones. Items without a key are alone. */
export function groupsOf<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Item[][] {
  const byKey = new Map<string, Item[]>();
  return items.flatMap((item) => {
    const key = keyOf(item);
    const group = key === undefined ? [item] : addTo(byKey, key, item);
    return group ? [group] : [];
  });
}
