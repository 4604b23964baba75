import {
  createLocalJWKSet,
  type JSONWebKeySet,
  type JWTPayload,
  errors as joseErrors,
  jwtVerify,
} from 'jose';
import * as oidc from 'openid-client';
import QuickLRU from 'quick-lru';
import { type Outbound, OutboundError } from '../outbound/outbound.ts';
import { type Claims, groupsOf } from './claims.ts';
import type { SsoConnection } from './connections.ts';
import { SsoRefusal } from './refusal.ts';

const METADATA_MS = 10 * 60_000;
/** Keys are read again for a token of an unknown key, at most this often. */
const KEYS_MS = 60_000;
const CLOCK_TOLERANCE_S = 60;

/** The configuration of a provider, as it was read last. Plain data: on the edge, requests share no promises. */
interface Known {
  metadata: oidc.ServerMetadata;
  at: number;
}

type KeyCache = Parameters<typeof oidc.setJwksCache>[1];

/** A sign-in that the provider has confirmed. */
export interface Confirmed {
  issuer: string;
  claims: Claims;
  /** The claims of the ID token alone. */
  idClaims: Claims;
  idToken: string;
  endSession: string | undefined;
}

export interface Begun {
  state: string;
  nonce: string;
  verifier: string;
}

/** The client of OpenID Connect providers. */
export interface SsoProviders {
  /** The address of the provider's sign-in page. @throws SsoRefusal */
  authorizationUrl(connection: SsoConnection, begun: Begun, redirectUri: string): Promise<string>;
  /** Exchanges the code of a callback. @param callback its address with its query @throws SsoRefusal */
  exchange(connection: SsoConnection, begun: Begun, callback: URL): Promise<Confirmed>;
  /** Verifies a token that the issuer signed. @returns undefined if it did not */
  verify(
    issuer: string,
    token: string,
    options: { audience: string; now: Date },
  ): Promise<JWTPayload | undefined>;
}

export function createSsoProviders(
  outbound: Pick<Outbound, 'fetch'>,
  { allowHttp }: { allowHttp: boolean },
): SsoProviders {
  const known = new QuickLRU<string, Known>({ maxSize: 500 });
  const keys = new QuickLRU<string, KeyCache>({ maxSize: 500 });

  const customFetch = (url: string, init: object) => outbound.fetch(url, init as RequestInit);

  async function metadataOf(issuer: string): Promise<oidc.ServerMetadata> {
    const cached = known.get(issuer);
    if (cached && Date.now() - cached.at < METADATA_MS) return cached.metadata;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await outbound.fetch(url, { headers: { accept: 'application/json' } });
    if (response.status !== 200)
      throw new SsoRefusal('unreachable', `${url} answered with status ${response.status}.`);
    const metadata = (await response.json().catch(() => undefined)) as oidc.ServerMetadata | undefined;
    if (typeof metadata !== 'object' || metadata === null || typeof metadata.issuer !== 'string')
      throw new SsoRefusal('invalid', `${url} is no OpenID Connect configuration.`);
    if (metadata.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw new SsoRefusal('invalid', `${url} is the configuration of another issuer: ${metadata.issuer}`);
    known.set(issuer, { metadata, at: Date.now() });
    return metadata;
  }

  function configure(connection: SsoConnection, metadata: oidc.ServerMetadata): oidc.Configuration {
    const { clientId, clientSecret } = connection;
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth =
      clientSecret === undefined
        ? oidc.None()
        : methods.includes('client_secret_basic')
          ? oidc.ClientSecretBasic(clientSecret)
          : oidc.ClientSecretPost(clientSecret);
    const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_S };
    const config = new oidc.Configuration(metadata, clientId, client, auth);
    config[oidc.customFetch] = customFetch as unknown as NonNullable<
      (typeof config)[typeof oidc.customFetch]
    >;
    // The signature of an ID token is verified, although it comes over TLS.
    oidc.enableNonRepudiationChecks(config);
    // Outbound requests over http go to loopback only.
    if (allowHttp) oidc.allowInsecureRequests(config);
    const cached = keys.get(connection.issuer);
    if (cached) oidc.setJwksCache(config, cached);
    return config;
  }

  async function withProvider<T>(
    connection: SsoConnection,
    run: (config: oidc.Configuration, metadata: oidc.ServerMetadata) => Promise<T>,
  ): Promise<T> {
    try {
      const metadata = await metadataOf(connection.issuer);
      const config = configure(connection, metadata);
      try {
        return await run(config, metadata);
      } finally {
        const cache = oidc.getJwksCache(config);
        if (cache) keys.set(connection.issuer, cache);
      }
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async function keySet(
    metadata: oidc.ServerMetadata,
    issuer: string,
    isStale: boolean,
  ): Promise<JSONWebKeySet> {
    const cached = keys.get(issuer);
    const now = Math.floor(Date.now() / 1000);
    if (cached && (!isStale || now - cached.uat < KEYS_MS / 1000)) return cached.jwks as JSONWebKeySet;
    const response = await outbound.fetch(metadata.jwks_uri ?? '');
    const jwks = (await response.json()) as JSONWebKeySet;
    keys.set(issuer, { jwks: jwks as KeyCache['jwks'], uat: now });
    return jwks;
  }

  return {
    authorizationUrl: (connection, { state, nonce, verifier }, redirectUri) =>
      withProvider(connection, async (config) => {
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: connection.scopes,
          ...{ state, nonce, response_type: 'code' },
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        return url.href;
      }),

    exchange: (connection, { state, nonce, verifier }, callback) =>
      withProvider(connection, async (config, metadata) => {
        const tokens = await oidc.authorizationCodeGrant(config, callback, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const idClaims = tokens.claims() as Claims | undefined;
        if (!idClaims || tokens.id_token === undefined)
          throw new SsoRefusal('invalid', 'The provider sent no ID token.');
        let claims = idClaims;
        // Some providers put groups and addresses there only.
        const isMissing =
          claims[connection.claims.email] === undefined || groupsOf(claims, connection.claims) === undefined;
        if (isMissing && metadata.userinfo_endpoint) {
          const more = await oidc.fetchUserInfo(config, tokens.access_token, String(idClaims.sub));
          // Signed claims take precedence.
          claims = { ...more, ...idClaims };
        }
        return {
          issuer: metadata.issuer,
          ...{ claims, idClaims, idToken: tokens.id_token },
          endSession: metadata.end_session_endpoint,
        };
      }),

    async verify(issuer, token, { audience, now }) {
      const metadata = await metadataOf(issuer);
      for (const isStale of [false, true]) {
        const jwks = await keySet(metadata, issuer, isStale);
        try {
          const { payload } = await jwtVerify(token, createLocalJWKSet(jwks), {
            ...{ issuer: metadata.issuer, audience, currentDate: now, clockTolerance: CLOCK_TOLERANCE_S },
            algorithms: [
              'RS256',
              'RS384',
              'RS512',
              'PS256',
              'PS384',
              'PS512',
              'ES256',
              'ES384',
              'ES512',
              'EdDSA',
              'Ed25519',
            ],
            requiredClaims: ['iat', 'jti'],
            maxTokenAge: '10 minutes',
          });
          return payload;
        } catch (error) {
          const isUnknown = error instanceof joseErrors.JWKSNoMatchingKey;
          const isOther = error instanceof joseErrors.JWSSignatureVerificationFailed;
          if (!isUnknown && !isOther) return undefined;
        }
      }
      return undefined;
    },
  };
}

/** The refusal of a failed request to a provider, for the person who signs in. */
function refusalOf(error: unknown): unknown {
  if (error instanceof SsoRefusal) return error;
  const outbound = outboundIn(error);
  if (outbound) return new SsoRefusal('unreachable', outbound.message, error);
  if (error instanceof oidc.AuthorizationResponseError)
    return new SsoRefusal('denied', `The provider refused the sign-in: ${short(error.error)}.`, error);
  if (error instanceof oidc.ResponseBodyError)
    return new SsoRefusal('invalid', `The provider refused the request: ${short(error.error)}.`, error);
  if (error instanceof oidc.ClientError || error instanceof Error)
    return new SsoRefusal(
      'invalid',
      `The answer of the provider is not valid: ${short(error.message)}.`,
      error,
    );
  return error;
}

const short = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200);

function outboundIn(error: unknown): OutboundError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof OutboundError) return at;
  return undefined;
}
