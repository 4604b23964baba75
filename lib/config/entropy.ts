const SHORTEST_PART = 3;
const READ = 512;

/**
 * The bits of a secret at most, for somebody who guesses repetitions. Parts of three characters or more that occurred before
 * (`changeme` again), or are a sequence (`aaaa`, `1234`), add nothing, whatever their case.
 */
export function entropyOf(secret: string): number {
  const text = secret.slice(0, READ).toLowerCase();
  let added = 0;
  for (let at = 0; at < text.length; ) {
    const length = Math.max(repeatedFrom(text, at), sequenceFrom(text, at));
    if (length < SHORTEST_PART) added++;
    at += length < SHORTEST_PART ? 1 : length;
  }
  return added * Math.log2(Math.max(1, new Set(text).size));
}

/** The length of the longest part from a position that also occurs before it. */
function repeatedFrom(text: string, at: number): number {
  const before = text.slice(0, at);
  let end = at;
  while (end < text.length && before.includes(text.slice(at, end + 1))) end++;
  return end - at;
}

/** The length of the longest part from a position whose characters are equal, ascend or descend one by one. */
function sequenceFrom(text: string, at: number): number {
  const step = (position: number) => text.charCodeAt(position) - text.charCodeAt(position - 1);
  if (!(Math.abs(step(at + 1)) <= 1)) return 1;
  let end = at + 2;
  while (step(end) === step(at + 1)) end++;
  return end - at;
}
