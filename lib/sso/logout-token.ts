import type { JWTPayload } from 'jose';
import { isStorable } from '../schema.ts';

/** The event of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export interface Logout {
  issuer: string;
  jti: string;
  sub: string | undefined;
  sid: string | undefined;
}

/** The sessions that a verified logout token ends; undefined if it is another kind of token, such as an ID token. */
export function readLogout(payload: JWTPayload): Logout | undefined {
  const { iss, jti, sub, sid, events, nonce } = payload as JWTPayload & { events?: unknown; nonce?: unknown };
  if (typeof iss !== 'string' || typeof jti !== 'string' || nonce !== undefined) return undefined;
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, EVENT)) return undefined;
  const text = (value: unknown) =>
    typeof value === 'string' && value !== '' && isStorable(value) ? value : undefined;
  const named = { sub: text(sub), sid: text(sid) };
  return named.sub === undefined && named.sid === undefined ? undefined : { issuer: iss, jti, ...named };
}
