import { errors, jwtVerify, SignJWT } from 'jose';
import QuickLRU from 'quick-lru';
import { validate } from 'uuid';

/** What a signed token is for; one of a kind never passes for another. */
export type TokenAudience = 'session' | 'mfa' | 'device';

/** Lifetimes in seconds (SPEC.md "Limits"). */
export const TOKEN_SECONDS: Record<TokenAudience, number> = {
  session: 24 * 60 * 60,
  mfa: 5 * 60,
  device: 90 * 24 * 60 * 60,
};

/** What a signed token says. */
export interface TokenClaims {
  userId: string;
  /** Of the session, of the sign-in that waits for a code, or of the token itself. */
  id: string;
}

/** Signs and checks the JWTs we hand out: `sub`, `jti`, `aud`, `iat`, `exp`, HS256 only. */
export interface SignedTokens {
  sign(audience: TokenAudience, claims: TokenClaims, issuedAt: Date): Promise<string>;
  /** `'expired'` when the signature is ours but its time is over, undefined when it is not ours. */
  verify(audience: TokenAudience, token: string, now: Date): Promise<TokenClaims | 'expired' | undefined>;
}

const MAX_VERIFIED = 10_000;

const isUuid = (value: unknown): value is string => typeof value === 'string' && validate(value);

export async function createSignedTokens(secret: string): Promise<SignedTokens> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
  // A session's token comes with every request: its signature is checked once, its time always.
  const verified = new QuickLRU<string, { claims: TokenClaims; expires: number }>({ maxSize: MAX_VERIFIED });
  return {
    sign(audience, { userId, id }, issuedAt) {
      const iat = Math.floor(issuedAt.getTime() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setJti(id)
        .setAudience(audience)
        .setIssuedAt(iat)
        .setExpirationTime(iat + TOKEN_SECONDS[audience])
        .sign(key);
    },
    async verify(audience, token, now) {
      const name = `${audience} ${token}`;
      const known = verified.get(name);
      if (known) return known.expires <= now.getTime() ? 'expired' : known.claims;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          audience,
          currentDate: now,
          requiredClaims: ['sub', 'jti', 'iat', 'exp'],
        });
        const { sub, jti, exp = 0 } = payload;
        if (!isUuid(sub) || !isUuid(jti)) return undefined;
        const claims = { userId: sub, id: jti };
        verified.set(name, { claims, expires: exp * 1000 });
        return claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'expired';
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
