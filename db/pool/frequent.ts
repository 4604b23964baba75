import QuickLRU from 'quick-lru';

/** A text that was used more often is expected to be used again. */
const RARE_USES = 2;
const MAX_COUNTED = 1_000;

/**
 * Counts the uses of statement texts.
 * @param options.max how many texts can become frequent in a period
 * @returns a function that counts a use and tells whether the text is frequent
 */
export function createFrequentTexts({ max, periodMs }: { max: number; periodMs: number }) {
  const uses = new QuickLRU<string, number>({ maxSize: MAX_COUNTED });
  const frequent = new Set<string>();
  let periodEnd = performance.now() + periodMs;
  return (text: string): boolean => {
    if (performance.now() >= periodEnd) {
      frequent.clear();
      periodEnd = performance.now() + periodMs;
    }
    if (frequent.has(text)) return true;
    const count = (uses.get(text) ?? 0) + 1;
    uses.set(text, count);
    if (count <= RARE_USES || frequent.size >= max) return false;
    frequent.add(text);
    return true;
  };
}
