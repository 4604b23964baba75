import QuickLRU from 'quick-lru';

/** Tells which texts come often, among those that came lately. */
export type HotTexts = (text: string) => boolean;

/** Once for the first time, once for luck: what comes again is likely to go on. */
const COLD_USES = 2;

/**
 * Counts the uses of texts, for `maxSize` texts and no more than twice as many.
 * @returns whether a text has been used a few times before; noting this use
 */
export function createHotTexts(maxSize: number): HotTexts {
  const uses = new QuickLRU<string, number>({ maxSize });
  return (text) => {
    const used = uses.get(text) ?? 0;
    if (used >= COLD_USES) return true;
    uses.set(text, used + 1);
    return false;
  };
}
