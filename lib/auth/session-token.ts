import { errors, jwtVerify, SignJWT } from 'jose';
import { validate } from 'uuid';

/** Lifetime of a session and its cookie (SPEC.md "Limits"). */
export const SESSION_SECONDS = 24 * 60 * 60;

/** What a session cookie says. */
export interface SessionClaims {
  userId: string;
  sessionId: string;
}

/** Signs and checks the value of the `svc_token` cookie: a JWT with `sub`, `jti`, `iat`, `exp`, HS256 only. */
export interface SessionTokens {
  sign(claims: SessionClaims, issuedAt: Date): Promise<string>;
  /** `'expired'` when the signature is ours but its time is over, undefined when it is not ours. */
  verify(token: string, now: Date): Promise<SessionClaims | 'expired' | undefined>;
}

/** Keeps session tokens apart from every other JWT signed with the same secret. */
const AUDIENCE = 'session';

const isUuid = (value: unknown): value is string => typeof value === 'string' && validate(value);

export async function createSessionTokens(secret: string): Promise<SessionTokens> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
  return {
    sign({ userId, sessionId }, issuedAt) {
      const iat = Math.floor(issuedAt.getTime() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setJti(sessionId)
        .setAudience(AUDIENCE)
        .setIssuedAt(iat)
        .setExpirationTime(iat + SESSION_SECONDS)
        .sign(key);
    },
    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          audience: AUDIENCE,
          currentDate: now,
          requiredClaims: ['sub', 'jti', 'iat', 'exp'],
        });
        const { sub, jti } = payload;
        return isUuid(sub) && isUuid(jti) ? { userId: sub, sessionId: jti } : undefined;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'expired';
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
