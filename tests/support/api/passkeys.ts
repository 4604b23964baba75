import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { type Api, must } from './api.ts';

/* An authenticator in software: one ES256 key with a signature counter (WebAuthn, "none" attestation). */

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

/** Encodes what an attestation has: small numbers, short texts, bytes and maps (CBOR, RFC 8949). */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number) =>
    Buffer.from(n < 24 ? [major | n] : n < 256 ? [major | 24, n] : [major | 25, n >> 8, n & 255]);
  if (typeof value === 'number') return value < 0 ? head(0x20, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(0x60, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(0x40, value.length), value]);
  const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry as number)]);
  return Buffer.concat([head(0xa0, value.size), ...entries]);
}

/** How an answer differs from that of an honest browser and authenticator. */
export interface Forgery {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** Whether the authenticator verified the user. */
  verified?: boolean;
  /** The signature counter. */
  counter?: number;
  userHandle?: string;
  crossOrigin?: boolean;
  format?: string;
}

export function createPasskeyDevice(origin = 'http://localhost') {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let counter = 0;
  let handle = '';

  const clientData = (type: string, challenge: string, forged: Forgery) =>
    Buffer.from(
      JSON.stringify({
        ...{ type, challenge: forged.challenge ?? challenge, origin: forged.origin ?? origin },
        crossOrigin: forged.crossOrigin ?? false,
      }),
    );
  const authenticatorData = (rpId: string, forged: Forgery, attested?: Buffer) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(forged.counter ?? ++counter);
    const flags = 0x01 | (forged.verified === false ? 0 : 0x04) | (attested ? 0x40 : 0);
    const parts = [sha256(forged.rpId ?? rpId), Buffer.from([flags]), count];
    return Buffer.concat(attested ? [...parts, attested] : parts);
  };
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key' };

  return {
    id: credential.id,
    /** Answers the options of a registration. */
    // biome-ignore lint/suspicious/noExplicitAny: as must()
    create(options: any, forged: Forgery = {}) {
      handle = options.user.id;
      const key = cbor(
        new Map<number, unknown>([
          ...([
            [1, 2],
            [3, -7],
            [-1, 1],
          ] as const),
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      );
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const attestation = new Map<string, unknown>([
        ['fmt', forged.format ?? 'none'],
        ['attStmt', new Map()],
        ['authData', authenticatorData(options.rp.id, forged, attested)],
      ]);
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', options.challenge, forged)),
          attestationObject: base64url(cbor(attestation)),
          transports: ['internal'],
        },
      };
    },
    /** Answers the options of a sign-in. */
    // biome-ignore lint/suspicious/noExplicitAny: as must()
    get(options: any, forged: Forgery = {}) {
      const client = clientData('webauthn.get', options.challenge, forged);
      const data = authenticatorData(options.rpId, forged);
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
          userHandle: forged.userHandle ?? handle,
        },
      };
    },
  };
}

export type PasskeyDevice = ReturnType<typeof createPasskeyDevice>;

/** Adds a passkey to an account. */
export async function addPasskey(api: Api, cookie: string, name = 'Laptop') {
  const device = createPasskeyDevice();
  const { options } = must(await api.post('/profile/passkeys/options', { cookie }));
  const body = { name, credential: device.create(options) };
  return { device, passkey: must(await api.post('/profile/passkeys', { cookie, body })) };
}

/** The options of a sign-in without a password. */
export const signInOptions = async (api: Api) =>
  must(await api.post('/auth/passkey/options', { body: {} })).options;

/** Signs in with a passkey, without a password. */
export async function signInByPasskey(api: Api, device: PasskeyDevice, forged?: Forgery) {
  const body = { credential: device.get(await signInOptions(api), forged) };
  return api.post('/auth/passkey/verify', { body });
}
