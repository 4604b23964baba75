import { describe, expect, it } from 'vitest';
import { hostName, isAllowedOrigin, isOwnOrigin } from '../../lib/http/request/origin.ts';
import { subdomainOf } from '../../lib/orgs/slugs.ts';

describe('host names', () => {
  it.each([
    ['Example.com:8080', 'example.com'],
    ['example.com.', 'example.com'],
    ['EXAMPLE.com.:80', 'example.com'],
    ['[::1]:8080', '[::1]'],
    ['', ''],
    [undefined, ''],
  ])('%j is %j', (host, name) => expect(hostName(host)).toBe(name));

  it.each([
    ['acme.example.com', 'acme'],
    ['example.com', undefined],
    ['a.b.example.com', undefined],
    ['.example.com', undefined],
    ['acmeexample.com', undefined],
    ['acme.example.com.evil.com', undefined],
  ])('%s has the slug %s', (name, slug) => expect(subdomainOf(name, 'example.com')).toBe(slug));

  it.each([
    ['https://example.com', true],
    ['https://acme.example.com:8443', true],
    ['https://evil.com', false],
    ['https://evilexample.com', false],
    ['https://example.com.evil.com', false],
    ['https://listed.example', true],
    ['null', false],
    ['file://example.com', false],
  ])('%s is allowed: %s', (origin, allowed) => {
    const config = { baseDomain: 'example.com', allowedOrigins: ['https://listed.example'], https: false };
    expect(isAllowedOrigin(origin, config, false)).toBe(allowed);
  });

  it.each([
    ['over plain HTTP', false, false, true],
    ['over HTTPS', false, true, false],
    ['whose public address is HTTPS', true, false, false],
  ])('a page of plain HTTP on a subdomain is an origin of a service %s: %s', (_, https, secure, allowed) => {
    const config = { baseDomain: 'example.com', allowedOrigins: ['http://listed.example'], https };
    expect(isAllowedOrigin('http://acme.example.com', config, secure)).toBe(allowed);
    expect(isAllowedOrigin('https://acme.example.com', config, secure)).toBe(true);
    expect(isAllowedOrigin('http://listed.example', config, secure)).toBe(true);
  });

  it.each([
    ['http://localhost:8080', 'localhost:8080', true],
    ['http://localhost:3000', 'localhost:8080', false],
    ['https://a.example', 'a.example', true],
    ['https://a.example', undefined, false],
    ['null', 'null', false],
    ['http://a', '%%', false],
    ['ftp://a.example', 'a.example', false],
  ])('%s is %s itself: %s', (origin, host, own) =>
    expect(isOwnOrigin(origin, host, { https: false }, false)).toBe(own),
  );

  it.each([
    ['over plain HTTP', false, false, true],
    ['over HTTPS', false, true, false],
    ['whose public address is HTTPS', true, false, false],
  ])('a page of plain HTTP on the own host is an origin of a service %s: %s', (_, https, secure, own) => {
    expect(isOwnOrigin('http://a.example', 'a.example', { https }, secure)).toBe(own);
    expect(isOwnOrigin('https://a.example', 'a.example', { https }, secure)).toBe(true);
    expect(isOwnOrigin('https://b.example', 'a.example', { https }, secure)).toBe(false);
  });
});
