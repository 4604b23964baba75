import { describe, expect, it } from 'vitest';
import { createFrequentTexts } from '../../db/pool/frequent.ts';
import { limit } from '../support/run/limits.ts';

describe('createFrequentTexts', () => {
  it('counts a text as frequent from its third use', () => {
    const isFrequent = createFrequentTexts({ max: 10, periodMs: 60_000 });
    expect(['a', 'b', 'a', 'a', 'b', 'a'].map(isFrequent)).toEqual([false, false, false, true, false, true]);
  });

  it('lets no more than the maximum become frequent in a period', async () => {
    const periodMs = limit(100);
    const isFrequent = createFrequentTexts({ max: 1, periodMs });
    const thrice = (text: string) => [text, text, text].map(isFrequent).at(-1);
    expect([thrice('a'), thrice('b'), isFrequent('a'), isFrequent('b')]).toEqual([true, false, true, false]);
    await new Promise((over) => setTimeout(over, periodMs + 10));
    expect([isFrequent('b'), isFrequent('a')]).toEqual([true, false]);
  });
});
