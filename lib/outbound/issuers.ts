import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import QuickLRU from 'quick-lru';
import { type Outbound, OutboundError } from './outbound.ts';

/** The part of an issuer's configuration that this service uses itself (OpenID Connect Discovery 1.0, 3). */
export interface IssuerMetadata {
  issuer: string;
  jwks_uri?: string;
  userinfo_endpoint?: string;
  end_session_endpoint?: string;
  token_endpoint_auth_methods_supported?: string[];
}

/** Which tokens are accepted. */
export interface TokenRules {
  /** One of these is enough. */
  audience: string | string[];
  now: Date;
  /** Claims that must be there, besides `iss` and `aud`. */
  requiredClaims: string[];
  /** Seconds since `iat`. */
  maxAge: number;
}

/** Reads what OpenID Connect issuers publish, and verifies what they sign. */
export interface Issuers {
  /** The configuration of an issuer. @throws OutboundError */
  metadata(issuer: string): Promise<IssuerMetadata>;
  /** The claims of a token. @returns undefined if the issuer did not sign it, or for something else @throws OutboundError */
  verify(issuer: string, token: string, rules: TokenRules): Promise<JWTPayload | undefined>;
}

const METADATA_MS = 10 * 60_000;
const FAILED_MS = 10_000;
export const CLOCK_TOLERANCE_S = 60;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** An issuer without the slash at its end, with which some write it. */
export const plainIssuer = (issuer: string): string => issuer.replace(/\/$/, '');

export function createIssuers(outbound: Pick<Outbound, 'fetch'>): Issuers {
  // Plain data: on the edge, requests share no promises.
  const known = new QuickLRU<string, IssuerMetadata>({ maxSize: 500, maxAge: METADATA_MS });
  /** Addresses that did not answer, with the reason: anybody may ask for them again at once. */
  const failed = new QuickLRU<string, string>({ maxSize: 500, maxAge: FAILED_MS });
  const keySets = new QuickLRU<string, KeySet>({ maxSize: 500 });

  /** Reads an address, unless that has just failed. */
  async function read<T>(url: string, check: (found: unknown) => T): Promise<T> {
    const failure = failed.get(url);
    if (failure !== undefined) throw new OutboundError(failure);
    try {
      const response = await outbound.fetch(url, { headers: { accept: 'application/json' } });
      if (response.status !== 200) throw new OutboundError(`${url} answered with status ${response.status}.`);
      return check(await response.json().catch(() => undefined));
    } catch (error) {
      if (error instanceof OutboundError) failed.set(url, error.message);
      throw error;
    }
  }

  async function metadata(issuer: string): Promise<IssuerMetadata> {
    const cached = known.get(issuer);
    if (cached) return cached;
    const url = `${plainIssuer(issuer)}/.well-known/openid-configuration`;
    const found = await read(url, (answer) => {
      const { issuer: exact } = (answer ?? {}) as Partial<IssuerMetadata>;
      if (typeof exact !== 'string') throw new OutboundError(`${url} is no OpenID Connect configuration.`);
      if (plainIssuer(exact) !== plainIssuer(issuer))
        throw new OutboundError(`${url} is the configuration of another issuer: ${exact}`);
      return answer as IssuerMetadata;
    });
    known.set(issuer, found);
    return found;
  }

  /** Reads its keys again for a token of an unknown key, at most twice a minute. */
  function keySetOf(address: string): KeySet {
    const existing = keySets.get(address);
    if (existing) return existing;
    const keySet = createRemoteJWKSet(new URL(address), {
      [customFetch]: (url) =>
        read(url, (answer) => {
          if (!Array.isArray((answer as { keys?: unknown } | undefined)?.keys))
            throw new OutboundError(`${url} has no keys.`);
          return Response.json(answer);
        }),
    });
    keySets.set(address, keySet);
    return keySet;
  }

  return {
    metadata,
    async verify(issuer, token, { audience, now, requiredClaims, maxAge }) {
      const { issuer: exact, jwks_uri: address = '' } = await metadata(issuer);
      if (!URL.canParse(address)) throw new OutboundError(`${exact} names no address of its keys.`);
      try {
        const { payload } = await jwtVerify(token, keySetOf(address), {
          ...{ issuer: exact, audience, currentDate: now, clockTolerance: CLOCK_TOLERANCE_S },
          ...{ requiredClaims: ['iat', ...requiredClaims], maxTokenAge: maxAge },
        });
        return payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
