import { beforeAll, describe, expect, it } from 'vitest';
import { hostName } from '../../../lib/http/request/origin.ts';
import {
  CUSTOM,
  FINDINGS,
  FORWARDED,
  openTenants,
  PROJECTS,
  type Tenants,
} from '../../support/hostile/tenants.ts';

let tenants: Tenants;

beforeAll(async () => {
  tenants = await openTenants();
});

const reached: Tenants['reached'] = (...asked) => tenants.reached(...asked);
const asAgent: Tenants['asAgent'] = (...asked) => tenants.asAgent(...asked);

describe.each(['svc.test', 'findings.own.example'])('a Host at or about %s', (domain) => {
  const host = domain === 'svc.test' ? 'own.svc.test' : domain;

  it.each([
    host,
    `${host}:8443`,
    `${host}:0`,
    `${host}.`,
    `${host}.:8443`,
    host.toUpperCase(),
    ` \t${host} `,
    `${host[0]?.toUpperCase()}${host.slice(1)}.:1`,
  ])('names the organization: %j', async (written) => {
    expect(await reached('based', PROJECTS, [`Host: ${written}`])).toBe('Of own');
    expect(await asAgent('based', FINDINGS, [`Host: ${written}`])).toBe(200);
  });

  it.each([
    ...['', `${host}:`, `${host}:x`, `${host}:99999`, `${host}:80:80`, `${host}..`, `.${host}`],
    ...[`victim.svc.test@${host}`, `${host}@victim.svc.test`, `victim.svc.test:80@${host}`],
    ...[`${host}/victim.svc.test`, `${host}#victim.svc.test`, `${host}\\victim.svc.test`],
    ...[`${host},victim.svc.test`, `${host} victim.svc.test`, `${host};victim`],
    ...[`"${host}"`, `[${host}]`, `[::1].${host}`, '[::1', '[::1%25lo]', '127.0.0.1', '2130706433', '*'],
    ...[`${host}%00`, `${host}%2e`, `ow%6e.svc.test`, `${host}\xa0`, `\xef\xbb\xbf${host}`],
    ...['\xef\xbd\x8fwn.svc.test', 'xn--wn-fka.svc.test', 'ow\xc5\x84.svc.test', 'own\xe2\x80\xa4svc.test'],
    ...[`x.${host}`, `victim.${host}`, `${host}.victim.svc.test`, `${host}.evil.example`, 'ownsvc.test'],
    ...['a'.repeat(8_000), `${'own.'.repeat(50)}svc.test`, "own'--.svc.test", 'svc.test', 'SVC.TEST.'],
    ...['org_own', '../own', '__proto__', '__proto__.svc.test', 'constructor.svc.test'],
  ])('names none: %j', async (written) => {
    for (const more of [[], ['X-Org-Slug: victim']]) {
      expect(await reached('based', PROJECTS, [`Host: ${written}`, ...more])).toSatisfy(isRefused);
      expect(await asAgent('based', FINDINGS, [`Host: ${written}`, ...more])).toSatisfy(isRefused);
    }
  });
});

const isRefused = (outcome: unknown) => [400, 404].includes(outcome as number);

describe('with a base domain', () => {
  it.each([...FORWARDED, 'X-Org-Slug: victim', 'X-Org-Slug: own, victim'])(
    'the Host alone says which organization it is, not %j',
    async (line) => {
      for (const host of ['own.svc.test', CUSTOM.own])
        expect(await reached('based', PROJECTS, [`Host: ${host}`, line])).toBe('Of own');
      expect(await reached('based', PROJECTS, ['Host: svc.test', line])).toBe(404);
      expect(await asAgent('based', FINDINGS, ['Host: victim.svc.test', line])).toBe(401);
    },
  );

  it.each([
    ['two of them', PROJECTS, ['Host: own.svc.test', 'Host: victim.svc.test']],
    ['two of them, the other way round', PROJECTS, ['Host: victim.svc.test', 'Host: own.svc.test']],
    ['the same twice', PROJECTS, ['Host: own.svc.test', 'Host: own.svc.test']],
    ['in other spelling', PROJECTS, ['host: own.svc.test', 'HOST: victim.svc.test']],
    ['folded', PROJECTS, ['Host: own.svc.test', ' Host: victim.svc.test']],
    ['with a space before the colon', PROJECTS, ['Host : victim.svc.test', 'Host: own.svc.test']],
    ['none', PROJECTS, []],
    ['an absolute request line of another', `http://victim.svc.test${PROJECTS}`, ['Host: own.svc.test']],
    ['an absolute request line without a Host', `http://victim.svc.test${PROJECTS}`, []],
    [
      'an absolute request line with another port',
      `http://own.svc.test:81${PROJECTS}`,
      ['Host: own.svc.test'],
    ],
    [
      'an absolute request line with a user',
      `http://victim.svc.test@own.svc.test${PROJECTS}`,
      ['Host: own.svc.test'],
    ],
    ['an absolute request line of another scheme', `ftp://own.svc.test${PROJECTS}`, ['Host: own.svc.test']],
    ['an authority', 'victim.svc.test:80', ['Host: own.svc.test']],
  ])('it is refused: %s', async (_, target, headers) => {
    expect(await reached('based', target, headers)).toBe(400);
    expect(await asAgent('based', target.replace(PROJECTS, FINDINGS), headers)).toBe(400);
  });

  it('an absolute request line may say the same', async () => {
    for (const scheme of ['http', 'https', 'HTTP']) {
      const target = `${scheme}://OWN.svc.test${PROJECTS}`;
      expect(await reached('based', target, ['Host: own.svc.test'])).toBe(scheme === 'HTTP' ? 400 : 'Of own');
    }
    for (const [origin, host] of [
      ['http://own.svc.test:8443', 'own.svc.test:8443'],
      ['https://own.svc.test:443', 'own.svc.test:443'],
      ['https://own.svc.test', 'own.svc.test:443'],
      ['http://own.svc.test:80', 'own.svc.test'],
    ])
      expect(await reached('based', `${origin}${PROJECTS}`, [`Host: ${host}`])).toBe('Of own');
    expect(await reached('based', `https://own.svc.test${PROJECTS}`, ['Host: own.svc.test:80'])).toBe(400);
  });
});

describe('operations of the base domain', () => {
  it.each([
    'own.svc.test',
    'svc.test@own.svc.test',
    'svc.test..',
    'svc.test.evil.example',
    'svc.test:x',
    CUSTOM.own,
    '[::1]',
  ])('are refused at %s', async (host) => {
    const [answer] = await tenants.apps.based.wire.exchange(
      `POST /api/v1/auth/logout HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: svc.test\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 403]).toContain(answer?.status);
  });

  it.each(['svc.test', 'SVC.test:443', 'svc.test.'])('are open at %s', async (host) => {
    const [answer] = await tenants.apps.based.wire.exchange(
      `POST /api/v1/auth/logout HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer?.status).toBe(200);
  });
});

describe('on one host', () => {
  it.each(FORWARDED)('X-Org-Slug says which it is, not %j', async (line) => {
    for (const host of ['localhost', '127.0.0.1:8080', '[::1]:8080', 'victim.svc.test'])
      expect(await reached('alone', PROJECTS, [`Host: ${host}`, 'X-Org-Slug: own', line])).toBe('Of own');
    expect(await reached('alone', PROJECTS, ['Host: localhost', line])).toBe(404);
  });

  it.each([
    ...['own, victim', 'OWN', 'own.', 'own ', "own' or '1'='1", 'own\tvictim', 'org_own', '%6fwn', 'own\xa0'],
    ...['\xef\xbb\xbfown', '', '*', '__proto__', '../own', '$1', 'o'.repeat(9_000)],
  ])('X-Org-Slug is taken to the letter: %j', async (slug) => {
    // Space around a header's value is no part of it.
    const trimmed = slug === 'own ' ? 'Of own' : 404;
    expect(await reached('alone', PROJECTS, ['Host: localhost', `X-Org-Slug: ${slug}`])).toBe(trimmed);
  });

  it('X-Org-Slug is one', async () => {
    for (const lines of [
      ['own', 'victim'],
      ['victim', 'own'],
      ['own', 'own'],
    ])
      expect(
        await reached('alone', PROJECTS, ['Host: localhost', ...lines.map((slug) => `X-Org-Slug: ${slug}`)]),
      ).toBe(404);
  });

  it('a custom domain goes before it', async () => {
    for (const host of [CUSTOM.own, `${CUSTOM.own.toUpperCase()}.:8080`])
      expect(await reached('alone', PROJECTS, [`Host: ${host}`, 'X-Org-Slug: victim'])).toBe('Of own');
    expect(await asAgent('alone', FINDINGS, [`Host: ${CUSTOM.victim}`, 'X-Org-Slug: own'])).toBe(401);
    expect(await reached('alone', PROJECTS, [`Host: ${CUSTOM.victim}`, `Host: ${CUSTOM.own}`])).toBe(400);
  });

  it('links in mails do not come from it', async () => {
    const { app, wire } = tenants.apps.alone;
    const body = JSON.stringify({ email: tenants.own.owner.email });
    const head = [
      'POST /api/v1/auth/forgot-password HTTP/1.1',
      'Host: evil.example',
      'X-Forwarded-Host: evil.example',
    ];
    const rest = [
      `Content-Length: ${body.length}`,
      'Content-Type: application/json',
      'Connection: close',
      '',
      body,
    ];
    const [answer] = await wire.exchange(
      [...head, ...FORWARDED.slice(-2), ...rest].join('\r\n').replace(/Origin: .*\r\n/, ''),
    );
    expect(answer?.status).toBe(200);
    const { html, text, link } = await app.delivered(tenants.own.owner.email);
    expect(link).toMatch(/^http:\/\/localhost:8080\//);
    expect(html + text).not.toMatch(/evil\.example|victim/);
  });
});

// Node's server refuses most of these itself; another runtime may hand them on.
it.each([
  ...['own.svc.test@victim.svc.test', 'own.svc.test:80:80', 'own.svc.test:x', 'own.svc.test,victim.svc.test'],
  ...['own.svc.test/x', 'own.svc.test#x', '[::1', '[own.svc.test]', 'own.svc.test..', '.svc.test'],
  ...['ow%6e.svc.test', 'öwn.svc.test', 'own.svc.test\0', '*', ''],
])('%j is no name of a host', (host) => {
  expect(hostName(host)).toBe('');
});
