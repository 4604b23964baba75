import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from 'jose';
import type { Outbound } from '../../../lib/outbound/outbound.ts';
import { afterSuite } from '../run/suite.ts';

/** Changes of what an honest provider would answer. */
export interface Lies {
  discovery?: object;
  claims?: Record<string, unknown>;
  header?: Partial<JWTHeaderParameters>;
  /** Signs with another key, without one, or with the client secret. */
  sign?: 'other key' | 'none' | 'HS256';
  userInfo?: Record<string, unknown>;
  /** Answers a path in another way. */
  answer?: Partial<Record<string, (response: ServerResponse) => void>>;
}

export interface Liar {
  issuer: string;
  lies: Lies;
  /** Calls that arrived, by path. */
  calls: string[];
  /** Lets a service reach it by its public issuer. */
  serve(outbound: Outbound): void;
  /** Replaces the key that it signs with. */
  rotate(): Promise<void>;
  /** A logout token. */
  logoutToken(claims: Record<string, unknown>, lies?: Pick<Lies, 'header' | 'sign'>): Promise<string>;
  /** A token for a job of a CI system. */
  jobToken(claims: Record<string, unknown>, lies?: Pick<Lies, 'header' | 'sign'>): Promise<string>;
}

const CLIENT_ID = 'svc-findings';

const pairs = new Map<string, ReturnType<typeof generateKeyPair>>();
let started = 0;

/** The n-th pair of keys of a set. Sets are used again: an RSA key takes a tenth of a second to make. */
function pairOf(set: string, n: number): ReturnType<typeof generateKeyPair> {
  const made = pairs.get(`${set} ${n}`) ?? generateKeyPair('RS256', { extractable: true });
  pairs.set(`${set} ${n}`, made);
  return made;
}

/**
 * A provider whose every answer a test can change. It asks nobody for a password: tests call the callback themselves.
 * @param as its public issuer, for services that connect to it by `serve`
 */
export async function startLiar(as?: string): Promise<Liar> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = as ?? address;
  // Providers of one test have keys of their own.
  const set = as ?? String(started++ % 4);
  const stranger = await pairOf(set, 0);
  let key = { kid: 'first', ...(await pairOf(set, 1)) };
  let rotations = 0;
  let last: Record<string, unknown> = {};

  async function signed(claims: Record<string, unknown>, { header, sign }: Pick<Lies, 'header' | 'sign'>) {
    if (sign === 'none') return new UnsecuredJWT(claims).encode();
    const secret = new TextEncoder().encode('a client secret of the tests, long enough');
    const jwt = new SignJWT(claims).setProtectedHeader({
      alg: sign === 'HS256' ? 'HS256' : 'RS256',
      kid: key.kid,
      ...header,
    });
    return jwt.sign(sign === 'HS256' ? secret : sign === 'other key' ? stranger.privateKey : key.privateKey);
  }

  const liar: Liar = {
    issuer,
    lies: {},
    calls: [],
    serve(outbound) {
      outbound.fetch = (url, init) => fetch(url.replace(issuer, address), init);
    },
    async rotate() {
      rotations++;
      key = { kid: `key-${rotations}`, ...(await pairOf(set, 1 + rotations)) };
    },
    logoutToken(claims, lies = {}) {
      const now = Math.floor(Date.now() / 1000);
      return signed(
        {
          ...{ iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 120, jti: crypto.randomUUID() },
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
          ...claims,
        },
        lies,
      );
    },
    jobToken(claims, lies = {}) {
      const now = Math.floor(Date.now() / 1000);
      return signed(
        { iss: issuer, aud: 'http://localhost:8080', iat: now, nbf: now - 5, exp: now + 300, ...claims },
        lies,
      );
    },
  };

  const json = (response: ServerResponse, body: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  server.on('request', async (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer);
    liar.calls.push(pathname);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { lies } = liar;
    const lie = lies.answer?.[pathname];
    if (lie) return lie(response);
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return json(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
          ...lies.discovery,
        });
      case '/jwks':
        return json(response, {
          keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'RS256', use: 'sig' }],
        });
      case '/token': {
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        const now = Math.floor(Date.now() / 1000);
        // The test puts nonce and subject into the code.
        const given = JSON.parse(Buffer.from(form.get('code') ?? '', 'base64url').toString());
        const claims = { iss: issuer, aud: CLIENT_ID, iat: now, exp: now + 300, ...given, ...lies.claims };
        last = claims;
        const id_token = await signed(claims, lies);
        return json(response, { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token });
      }
      case '/userinfo':
        return json(response, { sub: last.sub, ...lies.userInfo });
      default:
        return json(response, {}, 404);
    }
  });
  afterSuite(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return liar;
}

/** The code of a person, for the callback. */
export const codeOf = (claims: Record<string, unknown>): string =>
  Buffer.from(JSON.stringify(claims)).toString('base64url');
