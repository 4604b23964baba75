import fc from 'fast-check';

/** Surrogates, which are no characters. */
const FIRST = 0xd800;
const COUNT = 0x800;
const MAX = 0x10ffff - COUNT;

/**
 * A text of any characters, as of fast-check's unit `binary`, which makes a map of all 1.1 million of them in each process
 * and takes more than a second for it.
 */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.nat(MAX).map(
    (index) => String.fromCodePoint(index < FIRST ? index : index + COUNT),
    (character) => {
      const point = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
      return point < FIRST ? point : point - COUNT;
    },
  ),
});
