import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../handlers/index.ts';
import {
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  PASSWORD,
  type TestOrg,
} from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';

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
/** Texts of people and agents, by their names in answers. */
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
  t = await startApp({ env: { SVC_TRUST_PROXY: 'on' } });
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

describe('texts of people and agents', () => {
  it.each(READS.map(({ path, access }) => [path, access.kind] as const))(
    'is data to a browser, never a page: GET %s',
    async (path, kind) => {
      const queries: Record<string, string> = {
        '/api/v1/agent/findings': `?project_id=${org.projectId}`,
        '/api/v1/profile/notifications/unsubscribe': `?token=${encodeURIComponent(SCRIPT)}`,
      };
      const query = queries[path] ?? '';
      const { status, headers, text } = await t.api.get(`/${fill(path)}${query}`, {
        ...(kind === 'bearer' ? org.asAgent : org.asOwner),
        headers: { accept: 'text/html,application/xhtml+xml' },
      });
      expect([200, 302, 404]).toContain(status);
      // A redirect has no body.
      if (status === 302) return expect(text).toBe('');
      expect(headers.get('content-type')).toMatch(
        /^(application\/(json|yaml|sarif\+json)|application\/x-ndjson; charset=utf-8|text\/event-stream|text\/csv; charset=utf-8; header=present|text\/plain; version=0\.0\.4.*)$/,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      const file = headers.get('content-disposition');
      if (file) expect(file).toMatch(/^attachment; /);
      else if (!/json|event-stream/.test(headers.get('content-type') ?? ''))
        expect(text).not.toContain('alert(');
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
        "base-uri 'none'",
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
