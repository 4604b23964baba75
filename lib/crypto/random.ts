import { createHash, randomBytes, randomInt } from 'node:crypto';

/** Random bytes of the CSPRNG, as hex. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Six digits of the CSPRNG. */
export const randomDigits = (): string => randomInt(1_000_000).toString().padStart(6, '0');

// Without letters and digits that look alike; 32 of them, so each is worth five bits.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Letters and digits of the CSPRNG, five bits each. */
export const randomLetters = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** SHA-256 as hex: for secrets with enough bits of their own. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');
