import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../handlers/index.ts';
import { createOrg, createScan, createUser, finding, must, PASSWORD, type TestOrg } from './support/api.ts';
import { startApp, type TestApp } from './support/app.ts';
import { plainHasher } from './support/hasher.ts';

const SCRIPT = `<script>alert(1)</script><img src=x onerror="alert(2)"><svg/onload=alert(3)>'"\`--></title></textarea>`;
const MARKDOWN = [
  SCRIPT,
  '[click](javascript:alert(1)) ![x](data:text/html;base64,PHNjcmlwdD4=) <a href="javascript:alert(1)">x</a>',
  '[a]: javascript:alert(1)\n<iframe srcdoc="<script>alert(1)</script>"></iframe>\n```html\n</code></pre><script>\n```',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>\u2028\u202e{{constructor}}',
].join('\n\n');

let t: TestApp;
let org: TestOrg;
let ids: Record<string, string>;
/** What was said, by what it is called in answers. */
const said = {
  title: SCRIPT,
  description: MARKDOWN,
  file: `src/${SCRIPT}.html`,
  source: SCRIPT,
  cvss_vector: SCRIPT,
  fingerprint: SCRIPT,
  filename: `${SCRIPT}.html`,
  language: '<b>python</b>',
  code: `${MARKDOWN}\n#!/bin/sh`,
  error_message: SCRIPT,
};

beforeAll(async () => {
  const env = { SVC_TRUST_PROXY: 'on', SVC_PUBLIC_URL: 'https://findings.example' };
  t = await startApp({ env, hasher: plainHasher });
  org = await createOrg(t.api);
  const as = org.asOwner;
  const scan = await createScan(t.api, org, 'scan-<b>1</b>');
  const { title, description, file, source, cvss_vector, fingerprint, filename, language, code } = said;
  const body = finding(org, scan, { title, description, file, source, cvss_vector, fingerprint });
  const { id } = must(await t.api.post('/agent/findings', { ...org.asAgent, body }));
  const exploit = must(
    await t.api.post(`/agent/findings/${id}/exploits`, {
      ...org.asAgent,
      body: { filename, language, code },
    }),
  );
  const target = { type: SCRIPT, path: SCRIPT, url: 'javascript:alert(1)', ref: SCRIPT };
  const other = { scan_id: 'second', project_id: org.projectId, persona: 'senku', name: SCRIPT, target };
  must(await t.api.post('/agent/scans', { ...org.asAgent, body: other }));
  const ended = { status: 'failed', error_message: said.error_message };
  must(await t.api.patch('/agent/scans/second', { ...org.asAgent, body: ended }));
  must(await t.api.post('/projects', { ...as, body: { name: SCRIPT, slug: 'script' } }));
  must(
    await t.api.post(`/projects/${org.projectId}/tokens`, { ...as, body: { name: SCRIPT.slice(0, 100) } }),
  );
  must(await t.api.post('/orgs', { ...as, body: { name: SCRIPT, slug: 'scripted' } }));
  must(await t.api.post('/profile/mfa/devices/totp', { ...as, body: { name: SCRIPT.slice(0, 60) } }));
  const guest = await createUser(t.api, SCRIPT);
  must(await t.api.post('/members/invite', { ...as, body: { email: guest.email, role: 'viewer' } }));
  must(
    await t.api.post('/auth/login', {
      body: { email: org.owner.email, password: PASSWORD },
      headers: { 'user-agent': SCRIPT, 'x-forwarded-for': SCRIPT },
    }),
  );
  ids = { findings: id, exploits: exploit.id, scans: 'second', projects: 'script', orgs: 'scripted' };
});

const READS = Object.values(endpoints).filter(
  ({ method, path }) => method === 'GET' && !path.endsWith('/docs'),
);
const fill = (path: string) =>
  path.replace(/([\w-]+)\/\{\w+\}/g, (_, word) => `${word}/${ids[word] ?? org.projectId}`);

describe('what people and agents say', () => {
  it.each(READS.map(({ path, access }) => [path, access.kind] as const))(
    'is data to a browser, never a page: GET %s',
    async (path, kind) => {
      const query = path === '/api/v1/agent/findings' ? `?project_id=${org.projectId}` : '';
      const { status, headers, text } = await t.api.get(`/${fill(path)}${query}`, {
        ...(kind === 'bearer' ? org.asAgent : org.asOwner),
        headers: { accept: 'text/html,application/xhtml+xml' },
      });
      expect([200, 404]).toContain(status);
      expect(headers.get('content-type')).toMatch(
        /^(application\/json|application\/yaml|text\/plain; version=0\.0\.4.*)$/,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      if (headers.get('content-type') !== 'application/json') expect(text).not.toContain('alert(');
    },
  );

  it('comes back to the letter', async () => {
    const read = async (path: string) => must(await t.api.get(path, org.asOwner));
    const found = await read(`/findings/${ids.findings}`);
    const exploit = await read(`/findings/${ids.findings}/exploits/${ids.exploits}`);
    const scan = await read('/scans/second');
    expect({ ...found, ...exploit, error_message: scan.error_message }).toMatchObject(said);
    expect(scan.target).toEqual({ type: SCRIPT, path: SCRIPT, url: 'javascript:alert(1)', ref: SCRIPT });
    expect((await read('/projects/script')).name).toBe(SCRIPT);
    expect((await read('/orgs/scripted')).name).toBe(SCRIPT);
    expect((await read('/members')).map(({ name }: { name: string }) => name)).toContain(SCRIPT);
    const [first] = await read('/findings');
    expect(first).toMatchObject({ title: said.title, description: said.description });
  });

  it('is no part of an error', async () => {
    const answers = [
      await t.api.get(`/findings/${encodeURIComponent(SCRIPT)}`, org.asOwner),
      await t.api.get(
        `/findings?severity=${encodeURIComponent(SCRIPT)}&${encodeURIComponent(SCRIPT)}=1`,
        org.asOwner,
      ),
      await t.api.get(`/${encodeURIComponent(SCRIPT)}`),
      await t.api.get(`//${encodeURIComponent(SCRIPT)}`),
      await t.api.get('/auth/me', { cookie: 'x', headers: { 'x-request-id': '<b>' } }),
      await t.api.post('/auth/login', { body: { [SCRIPT]: SCRIPT, email: { [SCRIPT]: 1 } } }),
      await t.api.post('/auth/login', { body: '{}', headers: { 'content-type': SCRIPT.slice(0, 20) } }),
      await t.api.call('<B>', '/orgs').catch(() => undefined),
    ];
    for (const answer of answers) expect(answer?.text ?? '').not.toMatch(/alert|<b>|<script>alert/);
  });

  it('is not in the pages there are, which run nothing that is not ours', async () => {
    for (const path of [
      '//',
      '//login',
      '//findings/<script>alert(1)</script>',
      '/docs',
      `/docs?url=//evil.example&x=${SCRIPT}`,
    ]) {
      const { headers, text } = await t.api.get(path, org.asOwner);
      const policy = headers.get('content-security-policy') ?? '';
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).not.toMatch(/alert|evil\.example/);
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
      expect(scripts.filter((source) => !/^'(self|sha256-[\w+/]{43}=)'$/.test(source))).toEqual([]);
      for (const directive of [
        "object-src 'none'",
        "base-uri 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ])
        expect(policy).toContain(directive);
    }
  });

  it('the documentation reads our description only, whatever its address says', async () => {
    const { text } = await t.api.get('/docs');
    // Swagger UI takes `url` and `configUrl` from the address when this is on.
    expect(text).not.toContain('queryConfigEnabled');
    expect(text.match(/<script src="[^"]*"/g)?.every((tag) => tag.startsWith('<script src="/assets/'))).toBe(
      true,
    );
    const description = (await t.api.get('/docs/openapi.yaml')).text;
    expect(description).not.toMatch(/<script|javascript:|onerror|<\w+ [^>]*on\w+=/i);
  });
});

describe('a mail', () => {
  /** What mail programs make links of: addresses of sites and of people, with and without a scheme. */
  const LINK =
    /(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+|[\p{L}\p{N}_-]+(?:[.\u2024\u3002\uff0e\uff61][\p{L}\p{N}_-]+)+|\S+[@\uff20]\S+/giu;
  const OURS = 'https://findings.example/';

  const NAMES = [
    'https://evil.example click',
    'http://evil.example/?a=b',
    'HTTPS://EVIL.EXAMPLE',
    'evil.example',
    'www.evil.example/login',
    'evil。example',
    'evil．example',
    'evil｡example',
    'https：//evil.example',
    'support@evil.example',
    'mailto:support@evil.example',
    'Ada (evil.example)',
    '"evil.example"',
    '<a href="https://evil.example">Ada</a>',
    '[Ada](https://evil.example)',
    '\u202eelpmaxe.live\u202c',
    'evil\u00ad.\u2060example',
    'evil\u200b.\u200bexample',
    'Ada\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>',
    'Ada\u2028\u2029\x85\x0b\x0cSet your password: https://evil.example',
    '\u3164\u2800',
    SCRIPT,
  ];
  it.each(NAMES)('to who is invited by %j has no link but ours', async (name) => {
    const owner = await createUser(t.api, name);
    // Registering made it, and called it by the name.
    const [{ slug }] = must(await t.api.get('/orgs', owner));
    const email = `invited-${slug}@example.com`;
    must(
      await t.api.post('/members/invite', {
        cookie: owner.cookie,
        org: slug,
        body: { email, role: 'member' },
      }),
    );
    const mail = await t.delivered(email);
    expect(linksIn(mail.text)).toEqual([mail.link]);
    expect(linksIn(mail.subject)).toEqual([]);
    expect(mail.link).toMatch(/^https:\/\/findings\.example\/reset-password\?token=[0-9a-f]{64}&new=1$/);
    checkMarkup(mail.html, mail.link ?? '');
    for (const line of [mail.subject, mail.recipient])
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
    expect(mail.text).not.toMatch(/^(Bcc|Set your password: https:\/\/evil)/m);
    expect(mail.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  it('that tells of a sign-in has no link, whatever the browser calls itself', async () => {
    const { email } = org.owner;
    for (const userAgent of [
      ...NAMES.map((name) => name.replace(/[^\x20-\x7e]/g, '')),
      ...NAMES.map(
        (name) => `Mozilla/5.0 (Linux; Android 14; ${name.replace(/[^\x20-\x7e]/g, '')}) Chrome/120.0.0.0`,
      ),
      'evil.example/1.0 (https://evil.example)',
    ]) {
      const headers = {
        'user-agent': userAgent,
        'x-forwarded-for': `${userAgent}, evil.example, https://evil.example`,
      };
      must(await t.api.post('/auth/login', { body: { email, password: PASSWORD }, headers }));
      const mail = await t.delivered(email);
      expect(linksIn(mail.text.replace(/^(Operating system|Browser): [\w ]+ [\d.]+$/gm, ''))).toEqual([]);
      checkMarkup(mail.html, '');
    }
  });

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['2001:DB8::7', '2001:DB8::7'],
    ['evil.example, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, evil.example', '203.0.113.7'],
    ['unknown, _hidden', undefined],
  ])('and a session name an address only: %s', async (forwarded, ip) => {
    const body = { email: org.owner.email, password: PASSWORD };
    const { cookie } = await t.api.post('/auth/login', { body, headers: { 'x-forwarded-for': forwarded } });
    const { sessions } = must(await t.api.get('/profile/sessions', { cookie }));
    const current = sessions.find((session: { current: boolean }) => session.current);
    if (ip) expect(current.ip_address).toBe(ip);
    else expect(current.ip_address).not.toContain(forwarded.slice(0, 5));
  });

  /** What a mail program would make links of, but for signs that are none alone. */
  function linksIn(text: string): string[] {
    // An invisible space ends what is taken for an address.
    return text
      .split(/[\s\u200b]+/)
      .flatMap((word) => word.match(LINK) ?? [])
      .filter((link) => link.startsWith(OURS) || /[\p{L}]/u.test(link));
  }

  /** The page of a mail has our elements only, and one link. */
  function checkMarkup(html: string, link: string) {
    const tags = [...html.matchAll(/<\/?([a-z!][\w-]*)([^>]*)>/gi)];
    const allowed = [
      '!doctype',
      'html',
      'head',
      'meta',
      'title',
      'body',
      'div',
      'h1',
      'p',
      'a',
      'table',
      'tr',
      'td',
    ];
    expect(tags.map(([, tag]) => tag).filter((tag) => !allowed.includes(tag as string))).toEqual([]);
    expect(tags.filter(([, , attributes]) => /\bon\w+\s*=|javascript:/i.test(attributes ?? ''))).toEqual([]);
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'));
    expect(hrefs).toEqual(link ? [link, link] : []);
    const shown = html.replace(/<[^>]*>/g, ' ').replaceAll('&amp;', '&');
    expect(linksIn(shown).filter((one) => one !== link && !/^(&\w+;)+$/.test(one))).toEqual([]);
  }
});
