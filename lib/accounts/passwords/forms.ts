import { sha256Hex } from '../../crypto/random.ts';

/** Leading and trailing digits and signs that are ignored in total. */
const MAX_EXTRAS = 4;
/** Shorter forms are not compared. */
const MIN_LENGTH = 4;
/** The longest entry of the list. */
const MAX_LENGTH = 32;

/** Digits and signs that replace letters, each followed by its letter. */
const LOOKALIKES = ['0o', '3e', '4a', '5s', '7t', '8b', '9g', '@a', '$s', '+t'];
/** `1` and `!` replace `i` or `l`. */
const SUBSTITUTIONS = ['i', 'l'].map((one) => new Map([...LOOKALIKES, `1${one}`, `!${one}`].map(split)));

function split(pair: string): [string, string] {
  return [pair.charAt(0), pair.charAt(1)];
}

const substituted = (text: string, letters: ReadonlyMap<string, string>): string =>
  text.replace(/[^a-z]/g, (sign) => letters.get(sign) ?? sign);

/**
 * The common passwords that a password may be derived from: the lower-cased password, without up to four leading and trailing
 * digits and signs, and with letters in place of similar digits and signs.
 */
export function formsOf(password: string): Set<string> {
  const text = password.toLowerCase();
  const leading = /^\P{L}*/u.exec(text)?.[0].length ?? 0;
  const trailing = /(?<!\P{L})\P{L}*$/u.exec(text)?.[0].length ?? 0;
  const forms = new Set<string>();
  for (let before = 0; before <= Math.min(leading, MAX_EXTRAS); before++) {
    for (let after = 0; after <= Math.min(trailing, MAX_EXTRAS - before); after++) {
      const form = text.slice(before, text.length - after);
      if (form.length < MIN_LENGTH || form.length > MAX_LENGTH) continue;
      forms.add(form);
      for (const letters of SUBSTITUTIONS) forms.add(substituted(form, letters));
    }
  }
  return forms;
}

/** Whether a password that follows the rules can have this form. The rules require two letters. */
export const canBeForm = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && (text.match(/\p{L}/gu)?.length ?? 0) >= 2;

/** The 32-bit fingerprint by which the list stores a form. */
export const fingerprintOf = (form: string): number => Number.parseInt(sha256Hex(form).slice(0, 8), 16);

/** Encodes the list: differences of the sorted fingerprints, 7 bits per byte, lowest first, in base64. */
export function encodeList(forms: Iterable<string>): string {
  const sorted = Uint32Array.from(new Set([...forms].map(fingerprintOf))).sort();
  const bytes: number[] = [];
  let last = 0;
  for (const fingerprint of sorted) {
    let rest = fingerprint - last;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
    bytes.push(rest);
    last = fingerprint;
  }
  return Buffer.from(bytes).toString('base64');
}

/** @returns the fingerprints, sorted */
export function decodeList(text: string): Uint32Array {
  const bytes = Buffer.from(text, 'base64');
  let length = 0;
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) <= 0x7f) length++;
  const list = new Uint32Array(length);
  let at = 0;
  let last = 0;
  let difference = 0;
  let unit = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    difference += (byte & 0x7f) * unit;
    unit *= 0x80;
    if (byte > 0x7f) continue;
    last += difference;
    list[at++] = last;
    difference = 0;
    unit = 1;
  }
  return list;
}

/** Whether a sorted list contains a fingerprint, by binary search. */
export function includesSorted(list: Uint32Array, fingerprint: number): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < fingerprint) low = middle + 1;
    else high = middle;
  }
  return list[low] === fingerprint;
}
