import { createHash, randomBytes, randomInt } from 'node:crypto';

/** Random bytes from the CSPRNG, as hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Six random digits from the CSPRNG. */
export const randomDigits = (): string => randomInt(1_000_000).toString().padStart(6, '0');

// 32 characters, so 5 bits each, without letters and digits that look alike.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Random letters and digits from the CSPRNG, 5 bits each. */
export const randomLetters = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** SHA-256 as hex. Only for secrets with high entropy, not for passwords. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The first half of a SHA-256 over all parts, as a UUID: 128 bits that PostgreSQL stores in 16 bytes. */
export function hashedUuid(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash.digest('hex')) ?? [];
  return groups.join('-');
}
