/** Seals small secrets for the database with AES-GCM, or keeps them as they are when there is no key. */
export interface SecretBox {
  seal(text: string): Promise<string>;
  /** @throws Error when it was sealed with another key, or there is none now */
  open(sealed: string): Promise<string>;
}

const SEALED = 'v1.';
const PLAIN = 'plain.';
const encoder = new TextEncoder();

/** @param password `SVC_ENCRYPTION_KEY`; the key is derived from it by HKDF (RFC 5869) */
export async function createSecretBox(password: string | undefined): Promise<SecretBox> {
  const key = password === undefined ? undefined : await deriveKey(password);
  return {
    async seal(text) {
      if (!key) return PLAIN + text;
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, encoder.encode(text));
      return SEALED + Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64url');
    },
    async open(sealed) {
      if (sealed.startsWith(PLAIN)) return sealed.slice(PLAIN.length);
      if (!key) throw new Error('SVC_ENCRYPTION_KEY is not set, and this secret was sealed with one');
      const bytes = Buffer.from(sealed.slice(SEALED.length), 'base64url');
      const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12) };
      return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12)));
    },
  };
}

async function deriveKey(password: string) {
  const material = await crypto.subtle.importKey('raw', encoder.encode(password), 'HKDF', false, [
    'deriveKey',
  ]);
  return crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(0),
      info: encoder.encode('svc-findings totp secrets'),
    },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}
