import { beforeAll, describe, expect, it } from 'vitest';
import { createOrg, must, type TestOrg } from './support/api.ts';
import { startApp, type TestApp } from './support/app.ts';
import { openWire, type Wire } from './support/hostile-wire.ts';

/** On one host, and on the base domain svc.test, over the same database. */
let apps: Record<'alone' | 'based', { app: TestApp; wire: Wire }>;
/** Whose members and agents call. */
let own: TestOrg;
/** Whose data they must not see. */
let victim: TestOrg;
const CUSTOM = { own: 'findings.own.example', victim: 'findings.victim.example' };

beforeAll(async () => {
  const alone = await startApp();
  const based = await startApp({ databaseUrl: alone.databaseUrl, env: { SVC_BASE_DOMAIN: 'svc.test' } });
  apps = {
    alone: { app: alone, wire: await openWire(alone) },
    based: { app: based, wire: await openWire(based) },
  };
  [own, victim] = [await createOrg(alone.api, 'own'), await createOrg(alone.api, 'victim')];
  // Somebody in both: what keeps the organizations apart is then the host alone.
  const { sql } = alone.services.database;
  await sql.unsafe(
    `insert into shared.memberships (org_id, user_id, role, created_at) values ($1, $2, 'owner', now())`,
    [victim.id, own.owner.id],
  );
  for (const org of [own, victim]) {
    const domain = CUSTOM[org.slug as keyof typeof CUSTOM];
    await sql.unsafe('update shared.orgs set custom_domain = $1 where id = $2', [domain, org.id]);
    must(await alone.api.post('/projects', { ...org.asOwner, body: { name: `Of ${org.slug}` } }));
  }
});

type Mode = keyof typeof apps;

/** Whose projects are listed, or the status when none are. */
async function reached(mode: Mode, target: string, headers: string[]): Promise<string | number> {
  const lines = [
    `GET ${target} HTTP/1.1`,
    ...headers,
    `Cookie: svc_token=${own.owner.cookie}`,
    'Connection: close',
  ];
  const [answer, ...more] = await apps[mode].wire.exchange(`${lines.join('\r\n')}\r\n\r\n`);
  expect(more).toEqual([]);
  if (answer?.status !== 200) return answer?.status ?? 0;
  const names = JSON.parse(answer.body).result.map(({ name }: { name: string }) => name);
  return names.find((name: string) => name.startsWith('Of '));
}

/** The same as an agent of `own`, whose token is good there only. */
async function asAgent(mode: Mode, target: string, headers: string[]): Promise<number> {
  const query = `${target}?project_id=${own.projectId}`;
  const lines = [
    `GET ${query} HTTP/1.1`,
    ...headers,
    `Authorization: Bearer ${own.token}`,
    'Connection: close',
  ];
  const [answer] = await apps[mode].wire.exchange(`${lines.join('\r\n')}\r\n\r\n`);
  return answer?.status ?? 0;
}

const PROJECTS = '/api/v1/projects';
const FINDINGS = '/api/v1/agent/findings';

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
    ...[
      '',
      ' ',
      `${host}:`,
      `${host}:x`,
      `${host}:-1`,
      `${host}:99999`,
      `${host}:80:80`,
      `${host}..`,
      `.${host}`,
    ],
    ...[
      `victim.svc.test@${host}`,
      `${host}@victim.svc.test`,
      `user:pw@${host}`,
      `victim.svc.test:80@${host}`,
    ],
    ...[
      `${host}/victim.svc.test`,
      `${host}#victim.svc.test`,
      `${host}?victim.svc.test`,
      `${host}\\victim.svc.test`,
    ],
    ...[
      `${host},victim.svc.test`,
      `${host}, victim.svc.test`,
      `${host} victim.svc.test`,
      `${host}\tvictim.svc.test`,
    ],
    ...[
      `${host};victim`,
      `"${host}"`,
      `'${host}'`,
      `<${host}>`,
      `[${host}]`,
      `[::1].${host}`,
      `[::1]`,
      '[::1',
      '::1',
    ],
    ...[
      '[::ffff:127.0.0.1]',
      '[::1%25lo]',
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      'localhost',
      '*',
      '*.svc.test',
      '%00',
    ],
    ...[
      `${host}%00`,
      `${host}%2e`,
      `ow%6e.svc.test`,
      `${host}\xa0`,
      `\xef\xbb\xbf${host}`,
      `own\xe2\x80\xa4svc.test`,
    ],
    ...[
      '\xef\xbd\x8fwn.svc.test',
      'xn--own-.svc.test',
      'xn--wn-fka.svc.test',
      'ow\xc5\x84.svc.test',
      'own_.svc.test',
    ],
    ...[
      `x.${host}`,
      `victim.${host}`,
      `${host}.victim.svc.test`,
      `${host}.evil.example`,
      `x${host}`,
      'ownsvc.test',
    ],
    ...[
      'a'.repeat(8_000),
      `${'a.'.repeat(4_000)}svc.test`,
      `${'own.'.repeat(50)}svc.test`,
      "own'--.svc.test",
      '$1',
    ],
    ...[
      'svc.test',
      'SVC.TEST.',
      'test',
      'org_own',
      '../own',
      '__proto__',
      '__proto__.svc.test',
      'constructor.svc.test',
    ],
  ])('names none: %j', async (written) => {
    for (const more of [[], ['X-Org-Slug: victim']]) {
      expect(await reached('based', PROJECTS, [`Host: ${written}`, ...more])).toSatisfy(isRefused);
      expect(await asAgent('based', FINDINGS, [`Host: ${written}`, ...more])).toSatisfy(isRefused);
    }
  });
});

const isRefused = (outcome: unknown) => [400, 404].includes(outcome as number);

/** Other headers that name hosts: proxies write them, and anybody else. */
const FORWARDED = [
  'X-Forwarded-Host: victim.svc.test',
  'X-Forwarded-Host: findings.victim.example',
  'X-Forwarded-Server: victim.svc.test',
  'X-Host: victim.svc.test',
  'X-Original-Host: victim.svc.test',
  'X-HTTP-Host-Override: victim.svc.test',
  'Forwarded: host=victim.svc.test;proto=https',
  'Forwarded: for=127.0.0.1;host="findings.victim.example"',
  'X-Original-URL: http://victim.svc.test/api/v1/projects',
  'X-Rewrite-URL: //victim.svc.test/api/v1/projects',
  ':authority: victim.svc.test',
  'Origin: https://victim.svc.test',
  'Referer: https://victim.svc.test/',
];

describe('with a base domain', () => {
  it.each([
    ...FORWARDED.filter((line) => !line.startsWith(':')),
    'X-Org-Slug: victim',
    'X-Org-Slug: own, victim',
  ])('the Host alone says which organization it is, not %j', async (line) => {
    for (const host of ['own.svc.test', CUSTOM.own])
      expect(await reached('based', PROJECTS, [`Host: ${host}`, line])).toBe('Of own');
    expect(await reached('based', PROJECTS, ['Host: svc.test', line])).toBe(404);
    expect(await asAgent('based', FINDINGS, ['Host: victim.svc.test', line])).toBe(401);
  });

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
    expect(await reached('based', `http://own.svc.test:8443${PROJECTS}`, ['Host: own.svc.test:8443'])).toBe(
      'Of own',
    );
  });
});

describe('on one host', () => {
  it.each(FORWARDED.filter((line) => !line.startsWith(':')))(
    'X-Org-Slug says which it is, not %j',
    async (line) => {
      for (const host of ['localhost', '127.0.0.1:8080', '[::1]:8080', 'victim.svc.test'])
        expect(await reached('alone', PROJECTS, [`Host: ${host}`, 'X-Org-Slug: own', line])).toBe('Of own');
      expect(await reached('alone', PROJECTS, ['Host: localhost', line])).toBe(404);
    },
  );

  it.each([
    ...[
      'own, victim',
      'victim,own',
      'OWN',
      'own.',
      'own ',
      'own;victim',
      "own' or '1'='1",
      'own\tvictim',
      'org_own',
    ],
    ...[
      '%6fwn',
      '\xef\xbb\xbfown',
      'own\xa0',
      '',
      '*',
      '__proto__',
      'constructor',
      '../own',
      '$1',
      'o'.repeat(9_000),
    ],
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
    const { app, wire } = apps.alone;
    const body = JSON.stringify({ email: own.owner.email });
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
    const { html, text, link } = await app.delivered(own.owner.email);
    expect(link).toMatch(/^http:\/\/localhost:8080\//);
    expect(html + text).not.toMatch(/evil\.example|victim/);
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
    const [answer] = await apps.based.wire.exchange(
      `POST /api/v1/auth/logout HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: svc.test\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 403]).toContain(answer?.status);
  });

  it.each(['svc.test', 'SVC.test:443', 'svc.test.'])('are open at %s', async (host) => {
    const [answer] = await apps.based.wire.exchange(
      `POST /api/v1/auth/logout HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer?.status).toBe(200);
  });
});
