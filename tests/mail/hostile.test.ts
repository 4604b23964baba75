import { beforeAll, describe, expect, it } from 'vitest';
import { createUser, must, PASSWORD, type TestUser } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { MAIL_TAGS } from './kit.ts';

const SCRIPT = `<script>alert(1)</script><img src=x onerror="alert(2)"><svg/onload=alert(3)>'"\`--></title></textarea>`;

let t: TestApp;
let ada: TestUser;

beforeAll(async () => {
  const env = { SVC_TRUST_PROXY: 'on', SVC_PUBLIC_URL: 'https://findings.example' };
  t = await startApp({ env });
  ada = await createUser(t.api);
});

describe('a mail', () => {
  /** Texts that mail programs turn into links: addresses of sites and of people, with and without a scheme. */
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
  it.each(NAMES)('to a person invited by %j has no link but ours', async (name) => {
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
    const [, decline = ''] = /^Decline the invitation: (.*)$/m.exec(mail.text) ?? [];
    expect(decline).toMatch(/^https:\/\/findings\.example\/decline-invitation\?token=[0-9a-f]{64}$/);
    expect(linksIn(mail.text)).toEqual([mail.link, decline]);
    expect(linksIn(mail.subject)).toEqual([]);
    expect(mail.link).toMatch(/^https:\/\/findings\.example\/reset-password\?token=[0-9a-f]{64}&new=1$/);
    checkMarkup(mail.html, mail.link ?? '', decline);
    for (const line of [mail.subject, mail.recipient])
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
    expect(mail.text).not.toMatch(/^(Bcc|Set your password: https:\/\/evil)/m);
    expect(mail.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  it('that tells of a sign-in has no link, whatever the browser calls itself', async () => {
    const { email } = ada;
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
    // A text that is not an address hides the addresses before it.
    ['203.0.113.7, evil.example', undefined],
    ['unknown, _hidden', undefined],
  ])('and a session name an address only: %s', async (forwarded, ip) => {
    const body = { email: ada.email, password: PASSWORD };
    const { cookie } = await t.api.post('/auth/login', { body, headers: { 'x-forwarded-for': forwarded } });
    const { sessions } = must(await t.api.get('/profile/sessions', { cookie }));
    const current = sessions.find((session: { current: boolean }) => session.current);
    if (ip) expect(current.ip_address).toBe(ip);
    else expect(current.ip_address).not.toContain(forwarded.slice(0, 5));
  });

  /** Texts that a mail program would turn into links, except for signs alone. */
  function linksIn(text: string): string[] {
    // An invisible space ends what is taken for an address.
    return text
      .split(/[\s\u200b]+/)
      .flatMap((word) => word.match(LINK) ?? [])
      .filter((link) => link.startsWith(OURS) || /[\p{L}]/u.test(link));
  }

  /** The page of a mail has our elements only, and one link. */
  function checkMarkup(html: string, link: string, more?: string) {
    const tags = [...html.matchAll(/<\/?([a-z!][\w-]*)([^>]*)>/gi)];
    expect(tags.map(([, tag]) => tag).filter((tag) => !MAIL_TAGS.includes(tag as string))).toEqual([]);
    expect(tags.filter(([, , attributes]) => /\bon\w+\s*=|javascript:/i.test(attributes ?? ''))).toEqual([]);
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href?.replaceAll('&amp;', '&'));
    expect(hrefs).toEqual([...(link ? [link, link] : []), ...(more ? [more] : [])]);
    const shown = html.replace(/<[^>]*>/g, ' ').replaceAll('&amp;', '&');
    expect(linksIn(shown).filter((one) => one !== link && one !== more && !/^(&\w+;)+$/.test(one))).toEqual(
      [],
    );
  }
});
