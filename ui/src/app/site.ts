/**
 * The addresses of organizations: `/o/<slug>` on one host, or a host for each organization (a subdomain of the base domain,
 * or a custom domain) without a prefix in paths.
 */
export interface Site {
  /** Empty if there is none. */
  baseDomain: string;
  /** The organization that the host names. */
  hostOrg: string | undefined;
  /** Whether users can sign in at this host. */
  signsIn: boolean;
  /** Whether a sign-in is valid at this host. The cookie belongs to the base domain, not to custom domains. */
  sharesSession: boolean;
  /** An address of the base domain, or of this host if there is none. */
  signInUrl(path: string): string;
  /**
   * Whether this host knows the address of an organization. Without a base domain, a custom domain shows only its own
   * organization.
   */
  reaches(slug: string): boolean;
  /** An address of an organization. */
  orgUrl(slug: string, path?: string): string;
  /** The address to return to after signing in, if it belongs to the service. */
  safeReturn(returnTo: string | undefined): string | undefined;
  /** Converts addresses between host and router: see {@link Rewrite}. */
  rewrite: Rewrite;
}

/** The router knows only `/o/<slug>/findings`. A host that names an organization shows `/findings`. */
export interface Rewrite {
  input(this: void, { url }: { url: URL }): URL;
  output(this: void, { url }: { url: URL }): URL;
}

/** The used fields of `location`. */
interface Place {
  protocol: string;
  hostname: string;
  port: string;
  origin: string;
}

/** The slug of the organization of a custom domain while nobody is signed in. */
const UNKNOWN_ORG = 'this';

/** Paths that belong to no organization. */
const GLOBAL = new Set([
  'login',
  'register',
  'forgot-password',
  'reset-password',
  'verify-email',
  'verify',
  'undo-email-change',
  'undo-org-change',
  'decline-invitation',
  'unsubscribe',
  'signed-in',
  'sso-test',
  'orgs',
  'profile',
  'o',
]);

/**
 * The addresses of the site.
 * @param place the address of the page, from `location`
 * @param baseDomain from `GET /config/auth`; empty if there is none
 * @param orgs the organizations of the signed-in user
 */
export function siteOf(
  place: Place,
  baseDomain: string,
  orgs: readonly { slug: string; custom_domain?: string | undefined }[],
): Site {
  const host = place.hostname.replace(/\.$/, '');
  // For a browser, `example.com.` is another host and does not get the cookies of `example.com`.
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
 * Allows a `return_to` only to this host, the base domain or a subdomain of it, with the protocol and port of this page. It
 * compares the parsed URL, as browsers read it, never a prefix (API contract, "Base-domain restriction").
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
