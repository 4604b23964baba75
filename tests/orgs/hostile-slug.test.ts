import { beforeAll, describe, expect, it } from 'vitest';
import {
  CUSTOM,
  FINDINGS,
  FORWARDED,
  openTenants,
  PROJECTS,
  type Tenants,
} from '../support/hostile/tenants.ts';

let tenants: Tenants;

beforeAll(async () => {
  tenants = await openTenants();
});

const reached: Tenants['reached'] = (...asked) => tenants.reached(...asked);
const asAgent: Tenants['asAgent'] = (...asked) => tenants.asAgent(...asked);

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
