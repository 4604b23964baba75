import { hkdfSync } from 'node:crypto';

/** The purpose of a derived key. Keys of different purposes are independent. */
export type KeyPurpose =
  | 'ci tokens'
  | 'mfa tokens'
  | 'device tokens'
  | 'e-mail codes'
  | 'mail queue'
  | 'passkey challenges'
  | 'sso sign-ins'
  | 'totp secrets'
  | 'unsubscribe links';

/** A key and its id, which is stored with everything that it signs or encrypts. */
export interface Key {
  id: string;
  bytes: Buffer;
}

/** The first key signs and encrypts; all of them verify and decrypt. */
export type KeyRing = readonly Key[];

/** HKDF with SHA-256 and no salt (RFC 5869). */
const derive = (secret: string, info: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `svc-findings ${info}`, length));

/** A public id of a secret. */
export const keyId = (secret: string): string => derive(secret, 'key id', 4).toString('hex');

/** Derives the keys of one purpose, one for each secret. */
export const deriveKeys = (secrets: readonly string[], purpose: KeyPurpose): KeyRing =>
  secrets.map((secret) => ({ id: keyId(secret), bytes: derive(secret, purpose, 32) }));
