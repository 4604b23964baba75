import QuickLRU from 'quick-lru';

/** Tells which texts come often. */
export type HotTexts = (text: string) => boolean;

/** Once for the first time, once for luck: what comes again is likely to go on. */
const COLD_USES = 2;
/** Texts whose uses are counted, and no more than twice as many. */
const COUNTED = 1_000;

/**
 * Counts the uses of texts.
 * @param options.max how many can be hot in a period; what comes after them stays cold until the next
 * @param options.periodMs after which nothing is hot any more
 * @returns whether a text has been used a few times before; noting this use
 */
export function createHotTexts({ max, periodMs }: { max: number; periodMs: number }): HotTexts {
  const uses = new QuickLRU<string, number>({ maxSize: COUNTED });
  const hot = new Set<string>();
  let ends = performance.now() + periodMs;
  return (text) => {
    if (performance.now() >= ends) {
      hot.clear();
      ends = performance.now() + periodMs;
    }
    if (hot.has(text)) return true;
    const used = (uses.get(text) ?? 0) + 1;
    uses.set(text, used);
    if (used <= COLD_USES || hot.size >= max) return false;
    hot.add(text);
    return true;
  };
}
