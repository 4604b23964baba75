import { sha256Hex } from '../../crypto/random.ts';

/** Digits and signs that may stand around a common password without making it a better one. */
const MAX_EXTRAS = 4;
/** A shorter rest is no word. */
const MIN_LENGTH = 4;
/** No entry of the list is longer. */
const MAX_LENGTH = 32;

/** Signs that are written for letters, and the letters. */
const LOOKALIKES = ['0o', '3e', '4a', '5s', '7t', '8b', '9g', '@a', '$s', '+t'];
/** `1` and `!` are written for either. */
const SUBSTITUTIONS = ['i', 'l'].map((one) => new Map([...LOOKALIKES, `1${one}`, `!${one}`].map(split)));

function split(pair: string): [string, string] {
  return [pair.charAt(0), pair.charAt(1)];
}

const substituted = (text: string, letters: ReadonlyMap<string, string>): string =>
  text.replace(/[^a-z]/g, (sign) => letters.get(sign) ?? sign);

/**
 * What a password may be made of: itself in lower case, without up to four digits and signs around it, and with letters
 * in place of the digits and signs that look like them. Each form once.
 */
export function formsOf(password: string): Set<string> {
  const text = password.toLowerCase();
  const leading = /^\P{L}*/u.exec(text)?.[0].length ?? 0;
  const trailing = /\P{L}*$/u.exec(text)?.[0].length ?? 0;
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

/** Whether a password that follows the rules can have this form: it has an upper-case and a lower-case letter. */
export const canBeForm = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && (text.match(/\p{L}/gu)?.length ?? 0) >= 2;

/** 32 bits that stand for a form in the list. */
export const fingerprintOf = (form: string): number => Number.parseInt(sha256Hex(form).slice(0, 8), 16);

/** The list as text: differences of the sorted fingerprints, seven bits a byte, lowest first, in base64. */
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

/** Whether a sorted list has a fingerprint. */
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
