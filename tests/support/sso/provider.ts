import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterSuite } from '../run/suite.ts';

export const CLIENT = { client_id: 'svc-findings', client_secret: 'a client secret of the tests' };

/** A person at the provider: the claims beside `sub`. */
export type PersonClaims = Record<string, unknown> & { email?: string };

export interface TestProvider {
  issuer: string;
  /** By `sub`. */
  people: Map<string, PersonClaims>;
  /** The person who signs in next, and the methods. */
  next: { sub: string; amr?: string[]; acr?: string };
  close(): Promise<void>;
}

/** @param options.inIdToken the claims are in the ID token, not in UserInfo only */
export async function startProvider({
  site = 'http://localhost:8080',
  inIdToken = true,
}: {
  site?: string;
  inIdToken?: boolean;
} = {}): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, PersonClaims>();
  const made: TestProvider = { issuer, people, next: { sub: '' }, close };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        require_auth_time: true,
        redirect_uris: [`${site}/api/v1/auth/sso/callback`],
        post_logout_redirect_uris: [`${site}/login`],
        backchannel_logout_uri: `${site}/api/v1/auth/sso/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: {
      openid: ['sub', 'sid', 'acr', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['name', 'groups', 'groups_direct', 'realm_access', 'oid', 'tid', '_claim_names', 'hasgroups'],
    },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...people.get(sub) }),
    }),
    interactions: { url: () => '/sign-in' },
    // Everybody consents.
    async loadExistingGrant(ctx: {
      oidc: { client: { clientId: string }; session: { accountId: string }; params: { scope: string } };
    }) {
      const { client, session } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, IdToken: 600 },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/sign-in')) return handle(request, response);
    const { sub, amr, acr } = made.next;
    const login = { accountId: sub, ...(amr && { amr }), ...(acr && { acr }) };
    provider.interactionFinished(request, response, { login }).catch((error) => response.end(String(error)));
  });
  async function close() {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
  afterSuite(close);
  return made;
}
