/**
 * Where organizations are found: below `/o/<slug>` of one host, or each at a host of its own (a subdomain of the base
 * domain, or a custom domain), whose paths then need no prefix.
 */
export interface Site {
  /** Empty when there is none. */
  baseDomain: string;
  /** The organization that the host names. */
  hostOrg: string | undefined;
  /** Whether people can sign in at this host. */
  signsIn: boolean;
  /** Whether who signs in is signed in at this host: the cookie is the base domain's, and no custom domain's. */
  sharesSession: boolean;
  /** An address of the base domain, or of this host where there is none. */
  signInUrl(path: string): string;
  /**
   * Whether an organization has an address that is known here: without a base domain a custom domain shows its own
   * organization only.
   */
  reaches(slug: string): boolean;
  /** An address of an organization. */
  orgUrl(slug: string, path?: string): string;
  /** The address to return to after signing in, if it is one of ours. */
  safeReturn(returnTo: string | undefined): string | undefined;
  /** What the host shows and what the router knows: see {@link Rewrite}. */
  rewrite: Rewrite;
}

/** The router knows `/o/<slug>/findings` only; a host that names an organization shows `/findings`. */
export interface Rewrite {
  input(this: void, { url }: { url: URL }): URL;
  output(this: void, { url }: { url: URL }): URL;
}

/** Of `location`. */
interface Place {
  protocol: string;
  hostname: string;
  port: string;
  origin: string;
}

/** Stands for the slug of the organization of a custom domain while nobody is signed in. */
const UNKNOWN_ORG = 'this';

/** Paths that are nobody's organization. */
const GLOBAL = new Set([
  'login',
  'register',
  'forgot-password',
  'reset-password',
  'verify-email',
  'verify',
  'undo-email-change',
  'signed-in',
  'orgs',
  'profile',
  'o',
]);

/**
 * Tells how the site is laid out.
 * @param place where the page is, as `location` has it
 * @param baseDomain of `GET /config/auth`; empty when there is none
 * @param orgs of the signed-in user
 */
export function siteOf(
  place: Place,
  baseDomain: string,
  orgs: readonly { slug: string; custom_domain?: string | undefined }[],
): Site {
  const host = place.hostname.replace(/\.$/, '');
  // To a browser `example.com.` is another host, which does not get the cookies of `example.com`.
  const isDotted = host !== place.hostname;
  const port = place.port ? `:${place.port}` : '';
  const custom = orgs.find((org) => org.custom_domain === host)?.slug;
  const isBase = baseDomain !== '' && host === baseDomain;
  const hostOrg =
    custom ??
    (baseDomain === '' || isBase
      ? undefined
      : isBelow(host, baseDomain)
        ? host.slice(0, -baseDomain.length - 1)
        : UNKNOWN_ORG);
  const base = baseDomain === '' ? place.origin : `${place.protocol}//${baseDomain}${port}`;
  const prefix = `/o/${hostOrg}`;
  return {
    baseDomain,
    hostOrg,
    signsIn: baseDomain === '' || (isBase && !isDotted),
    sharesSession: baseDomain === '' || ((isBase || isBelow(host, baseDomain)) && !isDotted),
    reaches: (slug) => baseDomain !== '' || hostOrg === undefined || slug === hostOrg,
    signInUrl: (path) => base + path,
    orgUrl(slug, path = '/') {
      if (slug === hostOrg) return place.origin + path;
      if (baseDomain !== '') return `${place.protocol}//${slug}.${baseDomain}${port}${path}`;
      return `${place.origin}/o/${slug}${path === '/' ? '' : path}`;
    },
    safeReturn: (returnTo) => safeReturn(returnTo, place, baseDomain),
    rewrite: {
      input({ url }) {
        if (hostOrg !== undefined && !GLOBAL.has(url.pathname.split('/')[1] ?? '')) {
          url.pathname = prefix + (url.pathname === '/' ? '' : url.pathname);
        }
        return url;
      },
      output({ url }) {
        if (hostOrg !== undefined && `${url.pathname}/`.startsWith(`${prefix}/`)) {
          url.pathname = url.pathname.slice(prefix.length) || '/';
        }
        return url;
      },
    },
  };
}

const isBelow = (host: string, domain: string) =>
  host.endsWith(`.${domain}`) && !host.split('.').includes('');

/**
 * Checks where a `return_to` leads: to this host, or to the base domain and what is below it, by the protocol and the
 * port of this page. Compared as a parsed URL, as browsers read it, never by how it begins (API contract, "Base-domain
 * restriction").
 */
function safeReturn(returnTo: string | undefined, place: Place, baseDomain: string): string | undefined {
  if (!returnTo) return undefined;
  let url: URL;
  try {
    url = new URL(returnTo, place.origin);
  } catch {
    return undefined;
  }
  const { protocol, port, hostname, username, password } = url;
  if (protocol !== place.protocol || !/^https?:$/.test(protocol) || port !== place.port) return undefined;
  if (username !== '' || password !== '') return undefined;
  const ours =
    hostname === place.hostname ||
    (baseDomain !== '' && (hostname === baseDomain || isBelow(hostname, baseDomain)));
  return ours ? url.href : undefined;
}
