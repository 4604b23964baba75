import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Key, KeyRing } from './keys.ts';

/** Encrypts small texts for the database with AES-256-GCM. Without a key it stores them unencrypted. */
export interface SecretBox {
  /** @param context binds the text to its location, such as the id of its row: `open` with another context fails */
  seal(text: string, context?: string): Promise<string>;
  /** @throws Error when no key can decrypt the text */
  open(sealed: string, context?: string): Promise<string>;
  /** The prefix of texts that are sealed with the first key. */
  readonly current: string;
}

/** `v2.<key id>.<IV, ciphertext and tag in base64url>`. `v1.` had no key id and used only keys of `SVC_ENCRYPTION_KEY`. */
const VERSION_1 = 'v1.';
const VERSION_2 = 'v2.';
const PLAIN = 'plain.';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The cipher runs on the calling thread, about 20 µs for a mail. In the thread pool it would wait for the hashing of
 * passwords.
 */
export function createSecretBox(keys: KeyRing): SecretBox {
  const [first] = keys;
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    current: first ? `${VERSION_2}${first.id}.` : PLAIN,
    async seal(text, context) {
      if (!first) return PLAIN + text;
      return `${VERSION_2}${first.id}.${encrypt(first, text, context).toString('base64url')}`;
    },
    async open(sealed, context) {
      if (sealed.startsWith(PLAIN)) return sealed.slice(PLAIN.length);
      if (sealed.startsWith(VERSION_1)) {
        const bytes = Buffer.from(sealed.slice(VERSION_1.length), 'base64url');
        return openByAny(keys, bytes);
      }
      const [version, id = '', text = ''] = sealed.split('.');
      if (`${version}.` !== VERSION_2) throw new Error('the text was sealed in an unknown format');
      const key = byId.get(id);
      if (!key) throw new Error(`the key ${id} is not configured`);
      return decrypt(key, Buffer.from(text, 'base64url'), context);
    },
  };
}

function encrypt(key: Key, text: string, context: string | undefined): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, iv);
  if (context !== undefined) cipher.setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error when the text was sealed with another key or context, or is damaged */
function decrypt(key: Key, bytes: Buffer, context: string | undefined): string {
  const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  if (context !== undefined) decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

function openByAny(keys: KeyRing, bytes: Buffer): string {
  for (const key of keys) {
    try {
      return decrypt(key, bytes, undefined);
    } catch {
      // Try the next key.
    }
  }
  throw new Error('no configured key opens this secret');
}
