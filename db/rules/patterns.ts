/*
 * Patterns of paths and titles. All patterns of a condition are matched at once, character by character, with one bit for
 * each position in them that the text so far can have reached. The time is proportional to the length of the text times that
 * of the patterns, whatever they are. A regular expression of JavaScript would try every way to divide the text among
 * the wildcards.
 */

export const MAX_PATTERN = 256;
/** The maximum for one pattern. PostgreSQL tries every way to divide a text among the wildcards, so few are allowed. */
export const MAX_WILDCARDS = 10;

export const WILDCARD = /\*\*\/|\*+|\?/g;

export const countWildcards = (pattern: string): number => pattern.match(WILDCARD)?.length ?? 0;

/** Tells whether one of the patterns matches a whole text. */
export interface Matcher {
  matches(text: string): boolean;
  /** Steps for each character of the text. A step takes about 5 ns. */
  steps: number;
}

/** Matches paths: `*` and `?` do not match `/`, `**` does, and `**` with `/` also matches no folder at all. */
export const pathMatcher = (patterns: readonly string[]): Matcher => {
  const positions = patterns.map((pattern) => parse(pattern, WILDCARD, pathWildcard));
  return createMatcher(positions);
};

const TITLE_WILDCARD = /\*+|\?/g;

/** Matches titles, ignoring the case of A to Z: `*` matches any text, `?` any character. */
export const titleMatcher = (patterns: readonly string[]): Matcher => {
  const parsed = patterns.map((pattern) => parse(foldCase(pattern), TITLE_WILDCARD, titleWildcard));
  const { matches, steps } = createMatcher(parsed);
  return { matches: (title) => matches(foldCase(title)), steps };
};

/** Only A to Z, as `lower()` with the collation "C" of PostgreSQL: other letters depend on its version and locale. */
const foldCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Characters that a position takes: all, all but `/`, or one, by its code point. */
type Taken = 'any' | 'no slash' | number;

/** A position in a pattern: what comes next. */
interface Position {
  /** The character that leads to the next position. The last position of a pattern has none. */
  step?: Taken;
  /** The characters after which the text is still at this position. */
  loop?: Taken;
  /** A text that reaches this position is also at the next one. */
  skips?: boolean;
}

const SLASH = 0x2f;

function pathWildcard(wildcard: string): Position[] {
  if (wildcard === '?') return [{ step: 'no slash' }];
  if (wildcard === '**/') return [{ loop: 'any', step: SLASH, skips: true }];
  return [{ loop: wildcard === '*' ? 'no slash' : 'any' }];
}

const titleWildcard = (wildcard: string): Position[] =>
  wildcard === '?' ? [{ step: 'any' }] : [{ loop: 'any' }];

function parse(pattern: string, wildcard: RegExp, positionsOf: (wildcard: string) => Position[]): Position[] {
  const wildcards = pattern.match(wildcard) ?? [];
  const parts = pattern
    .split(wildcard)
    .flatMap((text, i): Position[] => [
      ...[...text].map((character) => ({ step: character.codePointAt(0) as number })),
      ...(wildcards[i] === undefined ? [] : positionsOf(wildcards[i])),
    ]);
  // A position that only loops is the same as the one after it.
  const positions: Position[] = [];
  let loop: Taken | undefined;
  for (const part of [...parts, {}]) {
    if (part.step === undefined && part.loop !== undefined) loop = part.loop;
    else {
      positions.push(loop === undefined ? part : { ...part, loop });
      loop = undefined;
    }
  }
  return positions;
}

const ASCII = 128;

/** A bit of 32-bit words for each position of all patterns. */
function createMatcher(patterns: readonly (readonly Position[])[]): Matcher {
  const positions = patterns.flat();
  const words = Math.ceil(positions.length / 32);
  const bitsWhere = (holds: (position: Position, i: number) => boolean): Int32Array => {
    const bits = new Int32Array(words);
    for (const [i, position] of positions.entries())
      if (holds(position, i)) bits[i >> 5] = (bits[i >> 5] as number) | (1 << (i & 31));
    return bits;
  };
  const takes = (taken: Taken | undefined, code: number) =>
    taken === 'any' || taken === code || (taken === 'no slash' && code !== SLASH);

  /** Characters that no pattern has are the same. */
  const OTHER = -1;
  const codes = new Set(positions.flatMap(({ step }) => (typeof step === 'number' ? step : [])));
  const known = new Map([...codes, SLASH].map((code) => [code, maskOf(code)]));
  const others = maskOf(OTHER);
  const ascii = Array.from({ length: ASCII }, (_, code) => known.get(code) ?? others);
  function maskOf(code: number) {
    return {
      steps: bitsWhere(({ step }) => takes(step, code)),
      loops: bitsWhere(({ loop }) => takes(loop, code)),
    };
  }

  const starts = new Set<number>();
  const last = new Set<number>();
  let start = 0;
  for (const { length } of patterns) {
    starts.add(start);
    start += length;
    last.add(start - 1);
  }
  const skips = bitsWhere(({ skips }) => skips === true);
  const first = bitsWhere((_, i) => starts.has(i));
  const accepting = bitsWhere((_, i) => last.has(i));
  /** Whatever comes then, the pattern matches. */
  const settled = bitsWhere(({ loop }, i) => last.has(i) && loop === 'any');
  for (let i = 0; i < positions.length; i++) {
    const isReached = ((first[i >> 5] as number) >>> (i & 31)) & 1;
    if (isReached && positions[i]?.skips) {
      const next = i + 1;
      first[next >> 5] = (first[next >> 5] as number) | (1 << (next & 31));
    }
  }

  return {
    steps: words,
    matches(text) {
      const reached = first.slice();
      for (let at = 0; at < text.length; at++) {
        const code = text.codePointAt(at) as number;
        if (code > 0xffff) at++;
        const mask = (code < ASCII ? ascii[code] : known.get(code)) ?? others;
        let carried = 0;
        let isAlive = 0;
        for (let w = 0; w < words; w++) {
          const here = reached[w] as number;
          const stepping = here & (mask.steps[w] as number);
          let entered = (stepping << 1) | carried;
          carried = stepping >>> 31;
          let skipping = entered & (skips[w] as number);
          while (skipping !== 0) {
            carried |= skipping >>> 31;
            const added = (skipping << 1) & ~entered;
            entered |= added;
            skipping = added & (skips[w] as number);
          }
          const now = entered | (here & (mask.loops[w] as number));
          if ((now & (settled[w] as number)) !== 0) return true;
          reached[w] = now;
          isAlive |= now;
        }
        if (isAlive === 0) return false;
      }
      return reached.some((bits, w) => (bits & (accepting[w] as number)) !== 0);
    },
  };
}
