import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import QuickLRU from 'quick-lru';
import { ApiError } from '../errors.ts';
import { z } from '../schema.ts';
import { OutboundError } from './error.ts';
import type { Outbound } from './outbound.ts';

/** A field that may be left out. Some providers write `null` then. */
const optional = <T extends z.ZodType>(shape: T) =>
  z.preprocess((value) => value ?? undefined, shape.optional());
const text = () => optional(z.string().max(2_000));
const names = () => optional(z.array(z.string().max(100)).max(100));

/** The part of an issuer's configuration that is used (OpenID Connect Discovery 1.0, 3; RFC 9207). The rest is not kept. */
const Metadata = z.object({
  issuer: z.string().max(2_000),
  ...{ jwks_uri: text(), authorization_endpoint: text(), token_endpoint: text(), userinfo_endpoint: text() },
  end_session_endpoint: text().catch(undefined),
  token_endpoint_auth_methods_supported: names(),
  id_token_signing_alg_values_supported: names(),
  userinfo_signing_alg_values_supported: names(),
  authorization_response_iss_parameter_supported: optional(z.boolean()),
});

export type IssuerMetadata = z.output<typeof Metadata>;

/** A public key (RFC 7517), without certificates. */
const Key = z
  .object({
    kty: z.string().max(2_000),
    ...{ kid: text(), alg: text(), use: text(), key_ops: names() },
    ...{ n: text(), e: text(), crv: text(), x: text(), y: text() },
    // A private key, which nobody should publish.
    d: z.never().optional(),
  })
  .transform(({ d: _, ...key }) => key);

/** The keys of an issuer that can be used. */
const Keys = z.object({
  keys: z
    .array(z.unknown())
    .max(100)
    .transform((all) => all.flatMap((key) => Key.safeParse(key).data ?? [])),
});

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
/** The largest answer, and the number of issuers that are remembered: users name issuers, and share this memory. */
const MAX_LENGTH = 64 * 1024;
const MAX_ISSUERS = 200;
const FAILED_MS = 10_000;
export const CLOCK_TOLERANCE_S = 60;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** An issuer without the slash at its end, with which some write it. */
export const plainIssuer = (issuer: string): string => issuer.replace(/\/$/, '');

export function createIssuers(outbound: Pick<Outbound, 'fetch'>): Issuers {
  // Plain data: on the edge, requests share no promises.
  const known = new QuickLRU<string, IssuerMetadata>({ maxSize: MAX_ISSUERS, maxAge: METADATA_MS });
  /** Addresses that did not answer, with the reason: anybody may ask for them again at once. */
  const failed = new QuickLRU<string, string>({ maxSize: MAX_ISSUERS, maxAge: FAILED_MS });
  const keySets = new QuickLRU<string, KeySet>({ maxSize: MAX_ISSUERS });

  /** Reads an address, unless that has just failed. */
  async function read<T extends z.ZodType>(url: string, shape: T, what: string): Promise<z.output<T>> {
    const failure = failed.get(url);
    if (failure !== undefined) throw new OutboundError(failure);
    try {
      const response = await outbound.fetch(url, { headers: { accept: 'application/json' } });
      if (response.status !== 200) throw new OutboundError(`${url} answered with status ${response.status}.`);
      const answer = await response.text();
      const { success, data } = shape.safeParse(answer.length > MAX_LENGTH ? undefined : parsed(answer));
      if (!success) throw new OutboundError(`${url} is no ${what}, or has more than 64 KiB.`);
      return data;
    } catch (error) {
      if (error instanceof OutboundError) failed.set(url, error.message);
      throw error;
    }
  }

  async function metadata(issuer: string): Promise<IssuerMetadata> {
    const cached = known.get(issuer);
    if (cached) return cached;
    const url = `${plainIssuer(issuer)}/.well-known/openid-configuration`;
    const found = await read(url, Metadata, 'OpenID Connect configuration');
    if (plainIssuer(found.issuer) !== plainIssuer(issuer)) {
      const error = new OutboundError(`${url} is the configuration of another issuer: ${found.issuer}`);
      failed.set(url, error.message);
      throw error;
    }
    known.set(issuer, found);
    return found;
  }

  /** Reads its keys again for a token of an unknown key, at most twice a minute. */
  function keySetOf(address: string): KeySet {
    const existing = keySets.get(address);
    if (existing) return existing;
    const keySet = createRemoteJWKSet(new URL(address), {
      [customFetch]: async (url) => Response.json(await read(url, Keys, 'set of keys')),
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
        // Keys that are none make the last two.
        const isInvalid =
          error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException;
        if (isInvalid) return undefined;
        throw error;
      }
    },
  };
}

/** Issuers whose tokens say nothing about who runs the organization: they name one tenant, or nobody. */
const SHARED_TENANTS =
  /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers|\{tenantid\})(?:\/|$)/;

/** @throws ApiError `validation_error/field_invalid` if the service does not connect to an issuer */
export function requireIssuer(refusal: string | undefined, issuer: string): void {
  const isShared = SHARED_TENANTS.test(issuer);
  const { search, hash } = URL.canParse(issuer) ? new URL(issuer) : { search: '', hash: '' };
  const message = isShared
    ? 'must name one tenant: https://login.microsoftonline.com/<tenant id>/v2.0'
    : (refusal ?? (search || hash ? 'must have no query and no fragment' : undefined));
  if (message !== undefined)
    throw new ApiError('validation_error/field_invalid', { details: [{ field: 'issuer', message }] });
}
