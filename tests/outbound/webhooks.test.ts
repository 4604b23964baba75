import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/parse.ts';
import { createNodeOutbound, type LookUp } from '../../lib/node/outbound.ts';
import { OutboundError } from '../../lib/outbound/error.ts';
import { createOutbound } from '../../lib/outbound/outbound.ts';
import { afterSuite } from '../support/run/suite.ts';

/** The addresses of names, one list for each look-up of the name; the last one stays. */
const names: Record<string, string[][]> = {};
let connections = 0;
let port = 0;
/** A server on a loopback address that the operator allows. */
let allowed: { url: string; requests: number };
let redirectTo = '';

const look: LookUp = (host, _, done) => {
  const [found = []] = names[host] ?? [];
  if ((names[host]?.length ?? 0) > 1) names[host]?.shift();
  if (found.length === 0) return done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  done(
    null,
    found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
};

const outboundOf = (allow?: string) =>
  createNodeOutbound(parseConfig(allow ? { SVC_OUTBOUND_ALLOW: allow } : {}), look);

async function listen(server: Server, host: string, port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  afterSuite(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const inside = () =>
    createServer((_, response) => response.end('inside')).on('connection', () => connections++);
  port = await listen(inside(), '0.0.0.0');
  await listen(inside(), '::1', port).catch(() => {});
  allowed = { url: '', requests: 0 };
  const outside = createServer((_, response) => {
    allowed.requests++;
    response.writeHead(302, { location: redirectTo }).end();
  });
  allowed.url = `http://127.0.0.2:${await listen(outside, '127.0.0.2')}/`;
});

beforeEach(() => {
  connections = 0;
});

/** Refused by its text, or by the addresses that its name has. */
const REFUSED = /private address|must begin with https|must be an address/;

const asked = { method: 'GET', headers: {} };
const posted = { headers: { 'content-type': 'application/json' }, body: '{}' };

/** Hosts that name an address inside. */
const HOSTS = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '2130706433.'],
  ...['0x7f000001', '0x7f.0.0.1', '0x7F.1', '017700000001', '0177.0.0.1', '0177.0x0.1', '127.0.0.0x1'],
  ...['0', '0.0.0.0', '0x0', '00.0', '0.0.0.1'],
  ...[
    '%31%32%37.0.0.1',
    '%6c%6f%63alhost',
    '127%2e0%2e0%2e1',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    'ｌｏｃａｌｈｏｓｔ',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'a.localhost',
    'a.b.localhost.',
    'localhost.localdomain',
  ],
  ...[
    'ip6-localhost',
    'localtest.me',
    '127.0.0.1.nip.io',
    '7f000001.nip.io',
    'app.127-0-0-1.sslip.io',
    'www.both.example',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
  ],
  ...[
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
  ],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '167772161', '0xa.1'],
  ...[
    '169.254.169.254',
    '169.254.0.1',
    '2852039166',
    '0xa9fea9fe',
    '[::ffff:169.254.169.254]',
    '168.63.129.16',
  ],
  ...[
    'metadata.google.internal',
    'metadata',
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
  ],
  ...[
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '4294967295',
  ],
];

/** Addresses of names that anybody can register. */
const RESOLVED: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'localhost..': ['127.0.0.1'],
  'a.localhost': ['127.0.0.1'],
  'a.b.localhost.': ['::1'],
  'localhost.localdomain': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  'localtest.me': ['127.0.0.1'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '7f000001.nip.io': ['127.0.0.1'],
  'app.127-0-0-1.sslip.io': ['127.0.0.1'],
  'www.both.example': ['93.184.215.14', '127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  metadata: ['169.254.169.254'],
};

describe('an address inside', () => {
  it('has many names', () => expect(new Set(HOSTS).size).toBeGreaterThan(60));

  it.each(HOSTS)('such as %s is not connected to', async (host) => {
    for (const [name, found] of Object.entries(RESOLVED)) names[name] = [found];
    const outbound = outboundOf();
    for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`, `https://${host}/`]) {
      await expect(outbound.post(url, posted), url).rejects.toThrow(REFUSED);
      await expect(outbound.request(url, asked), url).rejects.toThrow(REFUSED);
      await expect(outbound.fetch(url), url).rejects.toThrow(REFUSED);
    }
    expect(connections).toBe(0);
  });

  it.each([
    ['user@127.0.0.1', 'a user name'],
    ['example.com@127.0.0.1', 'a host before the host'],
    [':secret@example.com', 'a password'],
    ['example.com:443@localhost', 'a port before the host'],
  ])('as in https://%s is not connected to', async (text) => {
    const url = `https://${text}:${port}/`;
    expect(outboundOf('127.0.0.0/8').webhookRefusal(url)).toBe('must not contain a user name or password');
    await expect(outboundOf('127.0.0.0/8').post(url, posted)).rejects.toThrow(OutboundError);
    expect(connections).toBe(0);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1/',
    'data:,x',
    'blob:x',
    '//127.0.0.1',
    '',
  ])('with another scheme, %s, is refused', async (url) => {
    expect(outboundOf('0.0.0.0/0').webhookRefusal(url)).toBeDefined();
    await expect(outboundOf('0.0.0.0/0').post(url, posted)).rejects.toThrow(OutboundError);
  });

  it.each([
    `http://127.0.0.1:PORT/`,
    `https://127.0.0.1:PORT/`,
    `//127.0.0.1:PORT/`,
    `http://localhost:PORT/`,
    `http://[::1]:PORT/`,
    'file:///etc/passwd',
  ])('that a redirect names, %s, is not connected to', async (location) => {
    redirectTo = location.replace('PORT', String(port));
    const { requests } = allowed;
    expect(await outboundOf('127.0.0.2/32').post(allowed.url, posted)).toMatchObject({ status: 302 });
    expect(await outboundOf('127.0.0.2/32').request(allowed.url, asked)).toMatchObject({ status: 302 });
    expect(allowed.requests).toBe(requests + 2);
    expect(connections).toBe(0);
  });

  it('that a name has only with the second look-up is not connected to', async () => {
    for (const scheme of ['http', 'https']) {
      names['rebound.example'] = [['127.0.0.2'], ['127.0.0.1']];
      const outbound = outboundOf('127.0.0.2/32');
      await outbound.post(`${scheme}://rebound.example:${port}/`, posted).catch(() => {});
      const before = connections;
      await expect(outbound.post(`${scheme}://rebound.example:${port}/`, posted)).rejects.toThrow(
        /private address/,
      );
      expect(connections).toBe(before);
    }
  });

  it('is not connected to because of another that a name has', async () => {
    names['mixed.example'] = [['127.0.0.2', '127.0.0.1']];
    await expect(outboundOf('127.0.0.2/32').post(`http://mixed.example:${port}/`, posted)).rejects.toThrow(
      /private address/,
    );
    expect(connections).toBe(0);
  });
});

describe('plain http', () => {
  it('is for addresses that the operator allows', async () => {
    names['hooks.internal'] = [['127.0.0.2']];
    const url = allowed.url.replace('127.0.0.2', 'hooks.internal');
    expect(await outboundOf('127.0.0.2/32').post(url, posted)).toMatchObject({ status: 302 });
    expect(await outboundOf('127.0.0.0/8').post(allowed.url, posted)).toMatchObject({ status: 302 });
    await expect(outboundOf('127.0.0.1/32').post(url, posted)).rejects.toThrow(/private address/);
    await expect(outboundOf('127.0.0.1/32').post(allowed.url, posted)).rejects.toThrow(
      /must begin with https/,
    );
    await expect(outboundOf().post(url, posted)).rejects.toThrow(/must begin with https/);
  });

  it('is not for public addresses', async () => {
    names['hooks.example'] = [['93.184.215.14']];
    const outbound = outboundOf('127.0.0.0/8');
    await expect(outbound.post('http://hooks.example/', posted)).rejects.toThrow(/private address/);
    expect(outbound.webhookRefusal('http://93.184.215.14/')).toBe('must begin with https://');
    expect(outbound.webhookRefusal('http://hooks.example/'), 'known with the request only').toBeUndefined();
  });

  it('is not for providers, and a trial over http is not for webhooks', async () => {
    const outbound = createNodeOutbound(parseConfig({ SVC_SSO_ALLOW_HTTP: 'on' }), look);
    expect(outbound.refusal(`http://127.0.0.1:${port}/`)).toBeUndefined();
    expect(outbound.webhookRefusal(`http://127.0.0.1:${port}/`)).toBe('must begin with https://');
    expect(outboundOf('127.0.0.0/8').refusal(`http://127.0.0.1:${port}/`)).toBe('must begin with https://');
  });

  it('is not for names where they are not resolved first', () => {
    const runtime = { send: fetch, resolveTxt: async () => [] };
    const edge = createOutbound(parseConfig({ SVC_OUTBOUND_ALLOW: '10.0.0.0/8' }), runtime);
    expect(edge.webhookRefusal('http://hooks.internal/')).toBe('must begin with https://');
    expect(edge.webhookRefusal('http://10.0.0.1/')).toBeUndefined();
    expect(edge.webhookRefusal('https://hooks.example/')).toBeUndefined();
  });
});

describe('a request', () => {
  it('ends with the reason of its signal', async () => {
    const reason = new Error('the process is stopping');
    const signal = AbortSignal.abort(reason);
    await expect(outboundOf('127.0.0.0/8').post(allowed.url, { ...posted, signal })).rejects.toBe(reason);
    await expect(outboundOf('127.0.0.0/8').request(allowed.url, { ...asked, signal })).rejects.toBe(reason);
  });

  it('to a port without a server says so', async () => {
    await expect(outboundOf('127.0.0.0/8').post('http://127.0.0.9:1/', posted)).rejects.toThrow(
      'http://127.0.0.9:1 cannot be reached.',
    );
  });
});
