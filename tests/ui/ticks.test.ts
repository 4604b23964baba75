import fc from 'fast-check';
import { expect, it } from 'vitest';
import { axisTicks } from '../../ui/src/metrics/ticks.ts';

it.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [896, [0, 500, 1_000]],
  [1_687, [0, 500, 1_000, 1_500, 2_000]],
  [38_000, [0, 10_000, 20_000, 30_000, 40_000]],
])('the marks of an axis up to %i are round numbers', (most, ticks) => {
  expect(axisTicks(most)).toEqual(ticks);
});

it('the marks of an axis are few, and the last one is not below the values', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), (most) => {
      const ticks = axisTicks(most);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
    }),
  );
});
