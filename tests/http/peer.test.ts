import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/parse.ts';
import { createPeers, type Peer } from '../../lib/http/request/peer.ts';
import { networkOf } from '../../lib/network.ts';

/** The peer of a request that comes from `direct` with these headers. */
async function peer(trust: string, headers: Record<string, string>, direct = '10.0.0.1'): Promise<Peer> {
  const peerOf = createPeers(parseConfig({ SVC_TRUST_PROXY: trust }).trustProxy, () => direct);
  const app = new Hono().get('/', (c) => {
    const { ip, secure } = peerOf(c);
    return c.json({ ip, secure });
  });
  return (await app.request('/', { headers })).json() as Promise<Peer>;
}

const ipOf = async (trust: string, forwarded: string, direct?: string) =>
  (await peer(trust, { 'x-forwarded-for': forwarded }, direct)).ip;

describe('the address of a client', () => {
  it.each([
    // Nobody is believed.
    ['off', '198.51.100.9', '10.0.0.1'],
    ['', '198.51.100.9', '10.0.0.1'],
    // One proxy.
    ['on', '198.51.100.9', '198.51.100.9'],
    ['1', '8.8.8.8, 198.51.100.9', '198.51.100.9'],
    ['on', '10.1.1.1, 192.168.1.5', '192.168.1.5'],
    ['true', '8.8.8.8,192.168.1.5', '192.168.1.5'],
    ['on', '198.51.100.9:4711', '198.51.100.9'],
    ['on', '[2001:db8::7]:4711', '2001:db8::7'],
    // A value that is no address hides the values before it.
    ['on', '198.51.100.9, unknown', '10.0.0.1'],
    ['on', '198.51.100.9, ', '10.0.0.1'],
    ['on', '', '10.0.0.1'],
    ['on', '1.2.3', '10.0.0.1'],
    ['on', '198.51.100.09', '10.0.0.1'],
    ['on', '198.51.100.256', '10.0.0.1'],
    ['2', '198.51.100.9, nonsense, 10.0.0.2', '10.0.0.2'],
    // Several proxies.
    ['2', '8.8.8.8, 198.51.100.9, 10.0.0.2', '198.51.100.9'],
    ['3', '8.8.8.8, 198.51.100.9, 10.0.0.3, 10.0.0.2', '198.51.100.9'],
    // A request that came through fewer of them.
    ['3', '198.51.100.9', '198.51.100.9'],
  ])('with %s and %j is %s', async (trust, forwarded, ip) => {
    expect(await ipOf(trust, forwarded)).toBe(ip);
  });

  it.each([
    ['10.0.0.0/8', '8.8.8.8, 198.51.100.9, 10.7.7.7', '10.0.0.1', '198.51.100.9'],
    ['10.0.0.0/8', '8.8.8.8, 198.51.100.9', '::ffff:10.0.0.1', '198.51.100.9'],
    ['10.0.0.1', '8.8.8.8, 198.51.100.9', '10.0.0.1', '198.51.100.9'],
    ['fd00::/8, 10.0.0.0/8', '8.8.8.8, 198.51.100.9, 10.0.0.5', 'fd00::1', '198.51.100.9'],
    // All of them are trusted: the one that is furthest away.
    ['10.0.0.0/8', '10.1.1.1, 10.2.2.2', '10.0.0.1', '10.1.1.1'],
    // The request does not come from a proxy.
    ['10.0.0.0/8', '198.51.100.9', '203.0.113.5', '203.0.113.5'],
    ['10.0.0.1', '198.51.100.9', '10.0.0.2', '10.0.0.2'],
    ['10.0.0.0/8', '198.51.100.9', '', ''],
    ['10.0.0.0/8', '198.51.100.9, nonsense', '10.0.0.1', '10.0.0.1'],
  ])('with %s and %j from %s is %s', async (trust, forwarded, direct, ip) => {
    expect(await ipOf(trust, forwarded, direct)).toBe(ip);
  });
});

it('the scheme is believed of trusted proxies only', async () => {
  const https = { 'x-forwarded-proto': 'https' };
  expect((await peer('off', https)).secure).toBe(false);
  expect((await peer('on', https)).secure).toBe(true);
  expect((await peer('10.0.0.0/8', https)).secure).toBe(true);
  expect((await peer('10.0.0.0/8', https, '203.0.113.5')).secure).toBe(false);
});

describe('the scheme behind proxies that append to X-Forwarded-Proto', () => {
  const secure = async (trust: string, proto: string, forwarded = '198.51.100.9') =>
    (await peer(trust, { 'x-forwarded-proto': proto, 'x-forwarded-for': forwarded })).secure;

  it.each([
    // The attack: a client without TLS puts `https` in front.
    ['1', 'https, http', false],
    ['1', 'https,https,http', false],
    ['2', 'https, http, http', false],
    ['1', 'http, https', true],
    // The outer proxy ends TLS and speaks plain HTTP to the inner one.
    ['2', 'https, http', true],
    ['2', 'http, https, http', true],
    ['2', 'http, https', false],
    // Fewer values than proxies: one overwrites, or the request came through fewer of them.
    ['3', 'https', true],
    ['3', 'https, http', false],
    ['1', ' HTTPS ', true],
    ['1', 'https, ', false],
    ['off', 'https, https', false],
  ])('with %s and %j is secure: %s', async (trust, proto, expected) => {
    expect(await secure(trust, proto)).toBe(expected);
  });

  it.each([
    ['https, http', '198.51.100.9', false],
    ['https, http', '', false],
    // Addresses that a client makes up add no proxies.
    ['https, http', '10.0.0.7, 198.51.100.9', false],
    ['https, http', '10.0.0.7, nonsense', false],
    ['https, http', '198.51.100.9, 10.0.0.2', true],
    ['https, http, http', '198.51.100.9, 10.0.0.2', false],
    ['http, https, http', '8.8.8.8, 198.51.100.9, 10.0.0.2', true],
    ['https', '198.51.100.9, 10.0.0.2', true],
  ])('with CIDR blocks, %j and the addresses %j is secure: %s', async (proto, forwarded, expected) => {
    expect(await secure('10.0.0.0/8', proto, forwarded)).toBe(expected);
  });
});

it.each([
  ['192.0.2.44', '192.0.2.44'],
  ['::ffff:192.0.2.44', '192.0.2.44'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('the network of %j is %j', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

it('has wider networks of IPv6 only', () => {
  const networks = (ip: string) => ([56, 48] as const).map((bits) => networkOf(ip, bits));
  expect(networks('2001:db8:1:23ff::5')).toEqual(['2001:db8:1:2300::/56', '2001:db8:1:0::/48']);
  expect(networks('192.0.2.44')).toEqual(['192.0.2.44', '192.0.2.44']);
});
