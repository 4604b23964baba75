import { describe, expect, it } from 'vitest';
import { type Site, siteOf } from '../../ui/src/app/site.ts';

/** The site as a page at `address` sees it. */
const siteAt = (
  address: string,
  { baseDomain = '', orgs = [] as { slug: string; custom_domain?: string }[] } = {},
) => siteOf(new URL(address), baseDomain, orgs);

const BASE = { baseDomain: 'example.com' };

describe('return_to', () => {
  const login = siteAt('https://example.com', BASE);
  const single = siteAt('http://localhost:8080');

  it.each([
    ['a path', '/o/acme', 'https://example.com/o/acme'],
    [
      'a path with a search and a hash',
      '/findings?q=a%26b&page=2#x',
      'https://example.com/findings?q=a%26b&page=2#x',
    ],
    ['the base domain', 'https://example.com/orgs', 'https://example.com/orgs'],
    [
      'an organization',
      'https://acme.example.com/findings?severity=high',
      'https://acme.example.com/findings?severity=high',
    ],
    ['the port that goes without saying', 'https://acme.example.com:443/', 'https://acme.example.com/'],
    ['tabs and line ends around, which browsers take away', '\t/orgs\n', 'https://example.com/orgs'],
    [
      'an encoded host, which is what it is decoded',
      'https://%61cme.example.com/',
      'https://acme.example.com/',
    ],
    [
      'an address in a search, which is not gone to',
      '/orgs?next=https://evil.test',
      'https://example.com/orgs?next=https://evil.test',
    ],
    ['an encoded address, which is a path', '/%2F%2Fevil.test', 'https://example.com/%2F%2Fevil.test'],
    ['a path that climbs too high', '/../../orgs', 'https://example.com/orgs'],
    ['the own scheme with one slash, which is a path', 'https:/evil.test', 'https://example.com/evil.test'],
  ])('leads to %s', (_, returnTo, url) => {
    expect(login.safeReturn(returnTo)).toBe(url);
  });

  it.each([
    ['another host', 'https://evil.test/'],
    ['nothing', ''],
    ['two slashes', '//evil.test'],
    ['backslashes', '\\\\evil.test'],
    ['a slash and a backslash', '/\\evil.test'],
    ['a tab between the slashes', '/\t/evil.test'],
    ['a scheme with a tab in it', 'ht\ttps://evil.test'],
    ['the base domain as a user', 'https://example.com@evil.test/'],
    ['a user at the base domain', 'https://evil.test@example.com/'],
    ['a backslash before an @', 'https://evil.test\\@example.com/'],
    ['a host that begins with it', 'https://example.com.evil.test/'],
    ['a host that ends with it, without a dot', 'https://evilexample.com/'],
    ['its parent', 'https://com/'],
    ['it in the hash', 'https://evil.test#.example.com'],
    ['it behind an encoded slash', 'https://evil.test%2F.example.com/'],
    ['a dot at the end', 'https://example.com./'],
    ['only a dot before it', 'https://.example.com/'],
    ['dots of another script at the end', 'https://example.com。'],
    ['a letter that looks the same', 'https://exаmple.com/'],
    ['another scheme', 'http://acme.example.com/'],
    ['another port', 'https://acme.example.com:8443/'],
    ['no port there is', 'https://example.com:99999/'],
    ['a script', 'javascript:alert(1)'],
    ['a script with a tab in it', 'java\tscript:alert(1)'],
    ['an IPv6 address', 'https://[::1]/'],
    ['an IPv6 address with it as the zone', 'https://[::1%25.example.com]/'],
    ['an IPv4 address', 'https://127.0.0.1/'],
    ['nothing that parses', 'https://'],
  ])('does not lead to %s', (_, returnTo) => {
    expect(login.safeReturn(returnTo)).toBeUndefined();
    expect(single.safeReturn(returnTo)).toBeUndefined();
  });

  it('leads to the own host only where there is no base domain', () => {
    expect(single.safeReturn('/o/acme?x=1')).toBe('http://localhost:8080/o/acme?x=1');
    expect(single.safeReturn('http://localhost:8080/orgs')).toBe('http://localhost:8080/orgs');
    for (const url of [
      'http://localhost/',
      'http://localhost:8081/',
      'https://localhost:8080/',
      'http://acme.localhost:8080/',
      'http://127.0.0.1:8080/',
    ]) {
      expect(single.safeReturn(url), url).toBeUndefined();
    }
    expect(single.safeReturn(undefined)).toBeUndefined();
  });

  it('may be an IPv6 address where that is the own host', () => {
    const site = siteAt('http://[::1]:8080');
    expect(site.safeReturn('http://[0:0:0:0:0:0:0:1]:8080/orgs')).toBe('http://[::1]:8080/orgs');
    expect(site.safeReturn('http://[::2]:8080/orgs')).toBeUndefined();
  });

  it('keeps the port of the page at every host', () => {
    const site = siteAt('http://findings.localhost:8080', { baseDomain: 'findings.localhost' });
    expect(site.safeReturn('http://acme.findings.localhost:8080/')).toBe(
      'http://acme.findings.localhost:8080/',
    );
    expect(site.safeReturn('http://acme.findings.localhost/')).toBeUndefined();
  });
});

/** The address that a host shows for the router's address, and the reverse. */
function shown(site: Site, routed: string) {
  const url = site.rewrite.output({ url: new URL(routed, 'http://x') });
  return url.pathname + url.search;
}
function routed(site: Site, shown: string) {
  const url = site.rewrite.input({ url: new URL(shown, 'http://x') });
  return url.pathname + url.search;
}

const ACME = { slug: 'acme', custom_domain: 'findings.acme.test' };
const OTHER = { slug: 'other' };

describe('one host for all organizations', () => {
  const site = siteAt('http://localhost:8080', { orgs: [ACME, OTHER] });

  it('keeps organizations below /o', () => {
    expect(site).toMatchObject({ hostOrg: undefined, signsIn: true, sharesSession: true });
    expect(site.orgUrl('acme')).toBe('http://localhost:8080/o/acme');
    expect(site.orgUrl('acme', '/findings?q=x')).toBe('http://localhost:8080/o/acme/findings?q=x');
    expect(site.signInUrl('/login')).toBe('http://localhost:8080/login');
    for (const path of ['/', '/o/acme', '/o/acme/findings/1?page=2', '/login', '/findings']) {
      expect(routed(site, path)).toBe(path);
      expect(shown(site, path)).toBe(path);
    }
  });
});

describe('the base domain', () => {
  const site = siteAt('https://example.com', { ...BASE, orgs: [ACME, OTHER] });

  it('signs in, and leads to the hosts of organizations', () => {
    expect(site).toMatchObject({ hostOrg: undefined, signsIn: true, sharesSession: true });
    expect(site.orgUrl('acme', '/scans')).toBe('https://acme.example.com/scans');
    expect(site.signInUrl('/login')).toBe('https://example.com/login');
    expect(routed(site, '/o/acme/scans')).toBe('/o/acme/scans');
  });

  it('does not with a dot at its end, where its cookie does not go', () => {
    const dotted = siteAt('https://example.com./login', BASE);
    expect(dotted).toMatchObject({ signsIn: false, sharesSession: false });
    expect(dotted.signInUrl('/login')).toBe('https://example.com/login');
  });
});

describe.each([
  ['a subdomain', siteAt('https://acme.example.com', { ...BASE, orgs: [ACME, OTHER] })],
  [
    'a custom domain, with a base domain',
    siteAt('https://findings.acme.test', { ...BASE, orgs: [ACME, OTHER] }),
  ],
  ['a custom domain, without one', siteAt('https://findings.acme.test', { orgs: [ACME, OTHER] })],
])('%s', (_, site) => {
  it('shows the pages of its organization without a prefix', () => {
    expect(site.hostOrg).toBe('acme');
    for (const [path, route] of [
      ['/', '/o/acme'],
      ['/findings', '/o/acme/findings'],
      ['/findings/0198?severity=critical,high&at=3', '/o/acme/findings/0198?severity=critical,high&at=3'],
      ['/projects/o', '/o/acme/projects/o'],
      ['/organizations', '/o/acme/organizations'],
    ] as const) {
      expect(routed(site, path)).toBe(route);
      expect(shown(site, route)).toBe(path);
    }
    expect(site.orgUrl('acme', '/scans')).toMatch(/^https:\/\/[^/]*acme[^/]*\/scans$/);
  });

  it('has the pages that are of no organization at their own address', () => {
    for (const path of [
      '/login?return_to=%2Fx',
      '/orgs',
      '/orgs/new',
      '/profile/mfa',
      '/signed-in',
      '/verify-email?token=1',
    ]) {
      expect(routed(site, path)).toBe(path);
      expect(shown(site, path)).toBe(path);
    }
  });

  it('does not take another organization for its own', () => {
    expect(routed(site, '/o/other/findings')).toBe('/o/other/findings');
    for (const path of ['/o/other/findings', '/o/acme2', '/o/acme-x/findings']) {
      expect(shown(site, path)).toBe(path);
    }
    // An address of before is understood.
    expect(shown(site, routed(site, '/o/acme/findings'))).toBe('/findings');
  });
});

it('leads from one organization to another by the base domain, never by a custom domain', () => {
  const below = siteAt('https://acme.example.com:8443', { ...BASE, orgs: [ACME, OTHER] });
  expect(below.orgUrl('other', '/scans')).toBe('https://other.example.com:8443/scans');
  expect(below.signInUrl('/orgs')).toBe('https://example.com:8443/orgs');
  expect(below.reaches('other')).toBe(true);
  expect(siteAt('https://example.com', { ...BASE, orgs: [ACME] }).orgUrl('acme')).toBe(
    'https://acme.example.com/',
  );
});

it('knows that a session of the base domain does not reach a custom domain', () => {
  expect(siteAt('https://acme.example.com', BASE)).toMatchObject({ signsIn: false, sharesSession: true });
  for (const host of ['findings.acme.test', '127.0.0.1', 'evilexample.com', 'acme.example.com.']) {
    expect(siteAt(`https://${host}`, BASE), host).toMatchObject({ signsIn: false, sharesSession: false });
  }
});

it('knows that a custom domain without a base domain shows one organization only', () => {
  const site = siteAt('https://findings.acme.test', { orgs: [ACME, OTHER] });
  expect(site).toMatchObject({ signsIn: true, sharesSession: true });
  expect([site.reaches('acme'), site.reaches('other')]).toEqual([true, false]);
  // Nobody is signed in, or no member of it: then it is a host like any other.
  expect(siteAt('https://findings.acme.test').hostOrg).toBeUndefined();
});
