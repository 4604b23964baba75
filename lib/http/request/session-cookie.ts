import { generateCookie } from 'hono/cookie';
import type { TokenClaims } from '../../accounts/sessions/signed-token.ts';
import type { PublicCall } from '../call.ts';
import type { Headers } from '../respond.ts';
import { hostName } from './origin.ts';

export const SESSION_COOKIE = 'svc_token';

/** Whether cookies are `Secure`: over HTTPS, and in strict mode also if the public URL is https. */
export const isSecure = ({ peer, services: { config } }: PublicCall): boolean =>
  peer.secure || (config.strict && config.https);

/** The header that sets the session cookie, or clears it when `maxAge` is 0. */
export function sessionCookie(call: PublicCall, value: string, maxAge: number): Headers {
  const { baseDomain } = call.services.config;
  return {
    'set-cookie': generateCookie(SESSION_COOKIE, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      maxAge,
      ...(isSecure(call) && { secure: true }),
      ...(baseDomain && { domain: `.${baseDomain}` }),
    }),
  };
}

/** The result of reading a request's session cookies. */
export interface CookieSessions {
  /** The distinct valid tokens. Usually one; another site of the domain can set a second cookie. */
  claims: TokenClaims[];
  /** At least one token has expired. */
  expired: boolean;
  /** The request has more cookies than are read, so the user's own cannot be determined. */
  tooMany: boolean;
}

/** Limits the signatures that one request can make the server verify. A browser usually has one such cookie. */
const MAX_VALUES = 8;

/** Reads the session cookies of a request. Tokens with another signature are ignored: they may belong to another service. */
export async function readSessionCookies({ c, services, now }: PublicCall): Promise<CookieSessions> {
  const values = valuesOf(c.req.header('cookie'));
  const claims: TokenClaims[] = [];
  let expired = false;
  for (const value of values.slice(0, MAX_VALUES)) {
    const verified = await services.signedTokens.verify('session', value, now);
    if (verified.kind === 'expired') expired = true;
    if (verified.kind === 'valid' && !claims.some(({ id }) => id === verified.claims.id))
      claims.push(verified.claims);
  }
  return { claims, expired, tooMany: values.length > MAX_VALUES };
}

/** A JWT with a 256-bit signature. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]{43}$/;

/** The distinct values of the session cookie, at most `MAX_VALUES` + 1. */
function valuesOf(header: string | undefined): string[] {
  const values: string[] = [];
  if (!header?.includes(SESSION_COOKIE)) return values;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== SESSION_COOKIE) continue;
    const raw = pair.slice(at + 1).trim();
    const value = raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
    if (SIGNED.test(value) && !values.includes(value)) values.push(value);
    if (values.length > MAX_VALUES) break;
  }
  return values;
}

/**
 * Expires the session cookies of other scopes: every domain and path that the request's cookies can have, except the scope of
 * this service. If they do not fit into one response, it starts at a random scope, so that a few responses expire all.
 */
export function expireStrayCookies({ c, services }: PublicCall): void {
  const { baseDomain } = services.config;
  const domains = domainsOf(hostName(c.req.header('host')));
  const paths = pathsOf(new URL(c.req.url).pathname);
  const scopes = paths.length * domains.length;
  const expire = (scope: number) => {
    const path = paths[Math.floor(scope / domains.length)] as string;
    const domain = domains[scope % domains.length];
    if (path === '/' && domain === baseDomain) return '';
    return generateCookie(SESSION_COOKIE, '', { path, ...(domain && { domain }), maxAge: 0 });
  };
  const cookies: string[] = [];
  let bytes = 0;
  for (let scope = 0; scope < scopes && bytes <= MAX_BYTES; scope++) bytes += add(cookies, expire(scope));
  if (bytes > MAX_BYTES) {
    cookies.length = bytes = 0;
    const first = Math.floor(Math.random() * scopes);
    for (let i = 0; bytes < MAX_BYTES; i++) bytes += add(cookies, expire((first + i) % scopes));
  }
  c.get('request').cookies = cookies;
}

/** @returns the cookie's bytes in the response head */
function add(cookies: string[], cookie: string): number {
  if (cookie === '') return 0;
  cookies.push(cookie);
  return cookie.length + 'set-cookie: \r\n'.length;
}

/** Proxies accept heads of 4 KB, and the other headers need about 1 KB. */
const MAX_BYTES = 2_560;
/** Browsers ignore longer attributes (RFC 6265bis, 5.6). */
const MAX_PATH = 1_024;
const MAX_NAME = 253;

/** The domains that a cookie sent to this host can have. Undefined is a cookie for the host only. */
function domainsOf(name: string): (string | undefined)[] {
  if (name.length > MAX_NAME) return [undefined];
  const labels = name.split('.');
  return [undefined, ...labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))];
}

/** The paths that a cookie sent to this path can have, longest first, as browsers send them. */
function pathsOf(pathname: string): string[] {
  const paths = ['/'];
  const segments = pathname.split('/').slice(1);
  let path = '';
  for (const [i, segment] of segments.entries()) {
    path += `/${segment}`;
    if (segment === '' || /[;,]/.test(segment) || path.length >= MAX_PATH) break;
    paths.unshift(path);
    if (i < segments.length - 1) paths.unshift(`${path}/`);
  }
  return paths;
}
