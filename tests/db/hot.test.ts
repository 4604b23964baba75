import { describe, expect, it } from 'vitest';
import { createHotTexts } from '../../db/pool/hot.ts';
import { limit } from '../support/run/limits.ts';

describe('createHotTexts', () => {
  it('tells what comes for the third time', () => {
    const isHot = createHotTexts({ max: 10, periodMs: 60_000 });
    expect(['a', 'b', 'a', 'a', 'b', 'a'].map(isHot)).toEqual([false, false, false, true, false, true]);
  });

  it('lets no more become hot than it may, until a period is over', async () => {
    const periodMs = limit(100);
    const isHot = createHotTexts({ max: 1, periodMs });
    const thrice = (text: string) => [text, text, text].map(isHot).at(-1);
    expect([thrice('a'), thrice('b'), isHot('a'), isHot('b')]).toEqual([true, false, true, false]);
    await new Promise((over) => setTimeout(over, periodMs + 10));
    expect([isHot('b'), isHot('a')]).toEqual([true, false]);
  });
});
