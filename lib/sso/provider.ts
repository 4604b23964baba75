import * as oidc from 'openid-client';
import QuickLRU from 'quick-lru';
import { OutboundError } from '../outbound/error.ts';
import { CLOCK_TOLERANCE_S, type Issuers } from '../outbound/issuers.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { isStorable } from '../schema.ts';
import { type Claims, claimAt, groupsOf } from './claims.ts';
import type { SsoConnection } from './connections.ts';
import { SsoRefusal } from './refusal.ts';

const MAX_KEYS = 64 * 1024;

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
  authorizationUrl(
    connection: SsoConnection,
    begun: Begun,
    options: { redirectUri: string; isFresh: boolean },
  ): Promise<string>;
  /** Exchanges the code of a callback. @param callback its address with its query @throws SsoRefusal */
  exchange(connection: SsoConnection, begun: Begun, callback: URL): Promise<Confirmed>;
}

export function createSsoProviders(
  { issuers, outbound }: { issuers: Issuers; outbound: Pick<Outbound, 'fetch'> },
  { allowHttp }: { allowHttp: boolean },
): SsoProviders {
  const keys = new QuickLRU<string, KeyCache>({ maxSize: 200 });

  const customFetch = (url: string, init: object) => outbound.fetch(url, init as RequestInit);

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
      const metadata = (await issuers.metadata(connection.issuer)) as oidc.ServerMetadata;
      const config = configure(connection, metadata);
      try {
        return await run(config, metadata);
      } finally {
        const cache = oidc.getJwksCache(config);
        // Users name issuers, and share this memory.
        if (cache && JSON.stringify(cache.jwks).length <= MAX_KEYS) keys.set(connection.issuer, cache);
      }
    } catch (error) {
      throw refusalOf(error);
    }
  }

  return {
    authorizationUrl: (connection, { state, nonce, verifier }, { redirectUri, isFresh }) =>
      withProvider(connection, async (config, { authorization_endpoint: page = '' }) => {
        if (!URL.canParse(page))
          throw new SsoRefusal('unreachable', `${connection.issuer} names no page to sign in.`);
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: connection.scopes,
          ...{ state, nonce, response_type: 'code' },
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          // With `max_age` the provider must say when the person signed in (`auth_time`).
          ...(isFresh && { prompt: 'login', max_age: '0' }),
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
          claimAt(claims, connection.claims.email) === undefined ||
          (connection.roleMapping.length > 0 && groupsOf(claims, connection.claims) === undefined);
        if (isMissing && metadata.userinfo_endpoint) {
          const more = await oidc.fetchUserInfo(config, tokens.access_token, String(idClaims.sub));
          // Signed claims take precedence.
          claims = { ...more, ...idClaims };
        }
        return {
          issuer: metadata.issuer,
          ...{ claims, idClaims, idToken: tokens.id_token },
          endSession: addressOf(metadata.end_session_endpoint),
        };
      }),
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
  if (error instanceof oidc.WWWAuthenticateChallengeError)
    return new SsoRefusal('invalid', 'The provider refused the client: check its id and secret.', error);
  // A key that is none makes a TypeError.
  if (error instanceof oidc.ClientError || error instanceof TypeError)
    return new SsoRefusal(
      'invalid',
      `The answer of the provider is not valid: ${short(error.message)}.`,
      error,
    );
  return error;
}

/** An address that can be stored, as the provider writes it. */
const addressOf = (text: unknown): string | undefined =>
  typeof text === 'string' && text.length <= 2_000 && isStorable(text) && URL.canParse(text)
    ? text
    : undefined;

const short = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200);

function outboundIn(error: unknown): OutboundError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof OutboundError) return at;
  return undefined;
}
