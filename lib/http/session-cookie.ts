import { generateCookie } from 'hono/cookie';
import type { TokenClaims } from '../accounts/sessions/signed-token.ts';
import type { PublicCall } from './call.ts';
import { hostName } from './origin.ts';

export const SESSION_COOKIE = 'svc_token';

/** What the session cookies of a request say. */
export interface CookieSessions {
  /** The sessions we signed, each once. Another site of the domain can give a browser a second one. */
  claims: TokenClaims[];
  /** There is one whose time is over. */
  expired: boolean;
  /** There are more cookies than we read: which of them is the user's own, nobody can say. */
  tooMany: boolean;
}

/** Each is verified. A browser has one of ours, and few of other services of the same name. */
const MAX_VALUES = 8;

/** Reads the session cookies of a request. What we did not sign does not count: it may be another service's. */
export async function readSessionCookies({ c, services, now }: PublicCall): Promise<CookieSessions> {
  const values = valuesOf(c.req.header('cookie'));
  const claims: TokenClaims[] = [];
  let expired = false;
  for (const value of values.slice(0, MAX_VALUES)) {
    const one = await services.signedTokens.verify('session', value, now);
    if (one === 'expired') expired = true;
    else if (one && !claims.some(({ id }) => id === one.id)) claims.push(one);
  }
  return { claims, expired, tooMany: values.length > MAX_VALUES };
}

/** A JWT with a signature of 256 bits: what is none, we cannot have signed. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]{43}$/;

/** Different ones, one more at the most than are read. */
function valuesOf(header: string | undefined): string[] {
  const values: string[] = [];
  if (!header?.includes(SESSION_COOKIE)) return values;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== SESSION_COOKIE) continue;
    const given = pair.slice(at + 1).trim();
    const value = given.startsWith('"') && given.endsWith('"') ? given.slice(1, -1) : given;
    if (SIGNED.test(value) && !values.includes(value)) values.push(value);
    if (values.length > MAX_VALUES) break;
  }
  return values;
}

/**
 * The answer expires the session cookies that the request can have come with, but for the place where ours is. Where they
 * do not fit into one answer it begins with any of them, so that a few do them all.
 */
export function expireStrayCookies({ c, services }: PublicCall): void {
  const { baseDomain } = services.config;
  const domains = domainsOf(hostName(c.req.header('host')));
  const paths = pathsOf(new URL(c.req.url).pathname);
  const places = paths.length * domains.length;
  const expire = (place: number) => {
    const path = paths[Math.floor(place / domains.length)] as string;
    const domain = domains[place % domains.length];
    if (path === '/' && domain === baseDomain) return '';
    return generateCookie(SESSION_COOKIE, '', { path, ...(domain && { domain }), maxAge: 0 });
  };
  const cookies: string[] = [];
  let bytes = 0;
  for (let place = 0; place < places && bytes <= MAX_EXPIRED; place++) bytes += add(cookies, expire(place));
  if (bytes > MAX_EXPIRED) {
    cookies.length = bytes = 0;
    const first = Math.floor(Math.random() * places);
    for (let i = 0; bytes < MAX_EXPIRED; i++) bytes += add(cookies, expire((first + i) % places));
  }
  c.get('request').cookies = cookies;
}

/** @returns how many bytes of the head it takes */
function add(cookies: string[], cookie: string): number {
  if (cookie === '') return 0;
  cookies.push(cookie);
  return cookie.length + 'set-cookie: \r\n'.length;
}

/** Bytes. Proxies take heads of 4 KB, of which the rest needs one. */
const MAX_EXPIRED = 2_560;
/** Of attributes that are longer, browsers take no notice (RFC 6265bis, 5.6). */
const MAX_PATH = 1_024;
const MAX_NAME = 253;

/** Whom a cookie for this host can be for: the host alone, or a domain it is in. */
function domainsOf(name: string): (string | undefined)[] {
  if (name.length > MAX_NAME) return [undefined];
  const labels = name.split('.');
  return [undefined, ...labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))];
}

/** What a cookie's path can be that goes with this one, the longest first, as browsers send them. */
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
