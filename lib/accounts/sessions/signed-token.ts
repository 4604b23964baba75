import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import QuickLRU from 'quick-lru';
import { validate } from 'uuid';
import { deriveKeys, type Key, keyId } from '../../crypto/keys.ts';

/** The purpose of a signed token. A token is valid for its own purpose only. */
export type TokenAudience = 'session' | 'mfa' | 'device';

/** Lifetimes in seconds (docs/api.md, "Limits"). */
export const TOKEN_SECONDS: Record<TokenAudience, number> = {
  session: 24 * 60 * 60,
  mfa: 5 * 60,
  device: 90 * 24 * 60 * 60,
};

/** The claims of a signed token. */
export interface TokenClaims {
  userId: string;
  /** Id of the session, of the login that waits for a code, or of the device token itself. */
  id: string;
  /** In device tokens: a digest of the password's hash, which invalidates them when the password changes. */
  password?: string;
}

/** The outcome of verifying a token. `expired`: the signature is valid. */
export type Verified = { kind: 'valid'; claims: TokenClaims } | { kind: 'expired' } | { kind: 'invalid' };

/** Signs and verifies the service's JWTs (HS256 only): `sub`, `jti`, `aud`, `iat`, `exp`, in device tokens also `pwd`. */
export interface SignedTokens {
  sign(audience: TokenAudience, claims: TokenClaims, issuedAt: Date): Promise<string>;
  verify(audience: TokenAudience, token: string, now: Date): Promise<Verified>;
}

const MAX_VERIFIED = 10_000;

const EXPIRED = { kind: 'expired' } as const;
const INVALID = { kind: 'invalid' } as const;

const isUuid = (value: unknown): value is string => typeof value === 'string' && validate(value);

interface SigningKey {
  id: string;
  key: Awaited<ReturnType<typeof importKey>>;
}

const importKey = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

const importKeys = (keys: readonly Key[]): Promise<SigningKey[]> =>
  Promise.all(keys.map(async ({ id, bytes }) => ({ id, key: await importKey(new Uint8Array(bytes)) })));

/**
 * @param secrets the first signs, all of them verify. Session tokens are signed with the secret itself (docs/cryptography.md), other
 * tokens with keys derived from it
 */
export async function createSignedTokens(secrets: readonly string[]): Promise<SignedTokens> {
  const raw = secrets.map((secret) => ({ id: keyId(secret), bytes: Buffer.from(secret) }));
  const keys: Record<TokenAudience, SigningKey[]> = {
    session: await importKeys(raw),
    mfa: await importKeys(deriveKeys(secrets, 'mfa tokens')),
    device: await importKeys(deriveKeys(secrets, 'device tokens')),
  };
  // Session tokens come with every request, so verified signatures are cached. Expiry is always checked.
  const verified = new QuickLRU<string, { outcome: Verified; expires: number }>({ maxSize: MAX_VERIFIED });
  return {
    sign(audience, { userId, id, password }, issuedAt) {
      const [first] = keys[audience];
      if (!first) throw new Error('no key to sign with');
      const iat = Math.floor(issuedAt.getTime() / 1000);
      return new SignJWT(password === undefined ? {} : { pwd: password })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: first.id })
        .setSubject(userId)
        .setJti(id)
        .setAudience(audience)
        .setIssuedAt(iat)
        .setExpirationTime(iat + TOKEN_SECONDS[audience])
        .sign(first.key);
    },
    async verify(audience, token, now) {
      const name = `${audience} ${token}`;
      const known = verified.get(name);
      if (known) return known.expires <= now.getTime() ? EXPIRED : known.outcome;
      const payload = await verifyByAny(candidates(keys[audience], token), token, audience, now);
      if (payload === 'expired') return EXPIRED;
      if (!payload) return INVALID;
      const { sub, jti, pwd, exp = 0 } = payload;
      if (!isUuid(sub) || !isUuid(jti)) return INVALID;
      const claims = { userId: sub, id: jti, ...(typeof pwd === 'string' && { password: pwd }) };
      const outcome: Verified = { kind: 'valid', claims };
      verified.set(name, { outcome, expires: exp * 1000 });
      return outcome;
    },
  };
}

/** The keys that may have signed a token: the one with its key id, or all if it has none. */
function candidates(keys: SigningKey[], token: string): SigningKey[] {
  try {
    const { kid } = decodeProtectedHeader(token);
    return kid === undefined ? keys : keys.filter(({ id }) => id === kid);
  } catch {
    return [];
  }
}

async function verifyByAny(keys: SigningKey[], token: string, audience: TokenAudience, now: Date) {
  for (const { key } of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        audience,
        currentDate: now,
        requiredClaims: ['sub', 'jti', 'iat', 'exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'expired';
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
  return undefined;
}
