import { PLACEHOLDER_WORDS } from './entropy-words.ts';

/** Shorter parts occur twice in a random secret by chance. */
const SHORTEST_PART = 4;
const READ = 512;

/** Characters that stand for letters. */
const LOOKALIKES: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
};

/**
 * The bits of a secret at most, for somebody who guesses placeholders and repetitions. Words of placeholders (`change`, also
 * `ch4ng3`), parts of four characters or more that occurred before (`abcd` again), sequences (`aaaa`, `1234`) and signs that occurred
 * before add nothing, whatever their case.
 */
export function entropyOf(secret: string): number {
  const text = secret.slice(0, READ).toLowerCase();
  const isKnown = knownCharacters(text);
  let added = 0;
  for (let at = 0; at < text.length; ) {
    const length = Math.max(repeatedFrom(text, at), sequenceFrom(text, at));
    const isPart = length >= SHORTEST_PART;
    if (!isPart && !isKnown[at] && !isRepeatedSign(text, at)) added++;
    at += isPart ? length : 1;
  }
  return added * Math.log2(Math.max(1, new Set(text).size));
}

/** Marks the characters of known words. */
function knownCharacters(text: string): boolean[] {
  const marks = Array<boolean>(text.length).fill(false);
  const readable = text.replace(/[013457@$]/g, (sign) => LOOKALIKES[sign] ?? sign);
  for (const form of [text, readable])
    for (const { 0: word, index } of form.matchAll(PLACEHOLDER_WORDS))
      marks.fill(true, index, index + word.length);
  return marks;
}

/** A separator of words. */
const isRepeatedSign = (text: string, at: number): boolean =>
  /[^\p{L}\p{M}\p{N}]/u.test(text.charAt(at)) && text.indexOf(text.charAt(at)) < at;

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
