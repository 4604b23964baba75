import { generateCookie } from 'hono/cookie';
import type { TokenClaims } from '../auth/signed-token.ts';
import type { PublicCall } from './call.ts';
import { hostName } from './origin.ts';

export const SESSION_COOKIE = 'svc_token';

/** What the session cookies of a request say. */
export interface CookieSessions {
  /** The sessions we signed, each once. Another site of the domain can give a browser a second one. */
  claims: TokenClaims[];
  /** There is one whose time is over. */
  expired: boolean;
}

/** Reads the session cookies of a request. What we did not sign does not count: it may be another service's. */
export async function readSessionCookies({ c, services, now }: PublicCall): Promise<CookieSessions> {
  const values = valuesOf(c.req.header('cookie'));
  const read = await Promise.all(values.map((value) => services.signedTokens.verify('session', value, now)));
  const claims = new Map<string, TokenClaims>();
  for (const one of read) if (one && one !== 'expired') claims.set(one.id, one);
  return { claims: [...claims.values()], expired: read.includes('expired') };
}

function valuesOf(header: string | undefined): string[] {
  if (!header?.includes(SESSION_COOKIE)) return [];
  const values = new Set<string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== SESSION_COOKIE) continue;
    const value = pair.slice(at + 1).trim();
    values.add(value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value);
  }
  return [...values];
}

/** The answer expires all session cookies that the request can have come with, but for the place where ours is. */
export function expireStrayCookies({ c, services }: PublicCall): void {
  const { baseDomain } = services.config;
  const stray = domainsOf(hostName(c.req.header('host'))).flatMap((domain) =>
    pathsOf(new URL(c.req.url).pathname)
      .filter((path) => path !== '/' || domain !== baseDomain)
      .map((path) => generateCookie(SESSION_COOKIE, '', { path, ...(domain && { domain }), maxAge: 0 })),
  );
  c.get('request').cookies = stray.slice(0, MAX_EXPIRED);
}

/** So many fit into the head of an answer that proxies take. */
const MAX_EXPIRED = 40;

/** Whom a cookie for this host can be for: the host alone, or a domain it is in. */
function domainsOf(name: string): (string | undefined)[] {
  const labels = name.split('.');
  return [undefined, ...labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))];
}

/** What a cookie's path can be that goes with this one. */
function pathsOf(pathname: string): string[] {
  const paths = ['/'];
  let path = '';
  for (const segment of pathname.split('/').slice(1)) {
    if (segment === '' || /[;,]/.test(segment)) break;
    path += `/${segment}`;
    paths.push(path, `${path}/`);
  }
  return paths;
}
