import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { createUser, must, type TestUser } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { emailField, heading, logIn, passwordField } from './support/login.ts';
import { describePages, type Mail } from './support/site.ts';

describePages('a login with a second factor', (site) => {
  let user: TestUser;
  let totp: TOTP;
  let codes: string[];
  beforeAll(async () => {
    user = await createUser(site.api, 'Grace Hopper');
    const { cookie, email } = user;
    const { link = '' } = await site.mailTo(email, /Verify/);
    const body = Object.fromEntries(new URL(link).searchParams);
    must(await site.api.post('/auth/verify-email', { body }));
    const post = async (path: string, body?: unknown) => must(await site.api.post(path, { cookie, body }));
    const { device, secret } = await post('/profile/mfa/devices/totp', { name: 'Phone' });
    totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await post(`/profile/mfa/devices/totp/${device.id}/verify`, { code: totp.generate() });
    const [address] = must(await site.api.get('/profile/emails', { cookie })).emails;
    await post('/profile/mfa/devices/email', { email_id: address.id });
    codes = (await post('/profile/mfa/enable')).recovery_codes;
  });

  async function secondStep(): Promise<Page> {
    const page = await site.visit({ own: true });
    await page.goto(`${site.url}/login?return_to=/profile`);
    await logIn(page, user.email);
    await heading(page, 'Second step');
    return page;
  }
  /** As from a clipboard or by a password manager. */
  const paste = (page: Page, code: string) => page.getByLabel('Digit 1 of 6').fill(code);

  it('takes the code of an app, as soon as it is whole, after one that was wrong', async () => {
    const page = await secondStep();
    await page.getByText('“Phone”').waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel('Digit 1 of 6').getAttribute('autocomplete')).toBe('one-time-code');
    await page.keyboard.type(totp.generate() === '123456' ? '654321' : '123456');
    await page.getByRole('alert').getByText('The code is wrong.').waitFor();
    expect(await page.getByLabel('Digit 6 of 6').inputValue()).toBe('');
    await paste(page, totp.generate());
    await page.waitForURL('**/profile');
  });

  it('mails a code when that is chosen, and another one later', async () => {
    const page = await secondStep();
    await page.clock.install();
    await page.getByRole('button', { name: 'Code by mail to u***@example.com' }).click();
    await page.getByText('A code was sent to u***@example.com').waitFor();
    await expectAccessible(page);
    const again = page.getByRole('button', { name: 'Send again' });
    expect(await again.isDisabled()).toBe(true);
    const first = await site.mailTo(user.email, /code/);
    await page.clock.fastForward(31_000);
    await again.click();
    await page.getByRole('button', { name: /Send again in/ }).waitFor();
    await paste(page, codeIn(first));
    await page.getByText('Use the code in the newest mail').waitFor();
    const second = await vi.waitUntil(async () => {
      const mail = await site.mailTo(user.email, /code/);
      return mail.text !== first.text && mail;
    });
    await paste(page, codeIn(second));
    await page.waitForURL('**/profile');
  });

  it('takes a recovery code once, and tells how many are left', async () => {
    const [code = ''] = codes;
    const page = await secondStep();
    await page.getByRole('button', { name: 'Recovery code' }).click();
    await page.getByLabel('Recovery code').fill(code.toUpperCase().replaceAll('-', ' '));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('7 recovery codes are left').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL('**/profile');

    const other = await secondStep();
    await other.getByRole('button', { name: 'Recovery code' }).click();
    await other.getByLabel('Recovery code').fill(code);
    await other.getByLabel('Recovery code').press('Enter');
    await other.getByText('was already used').waitFor();
  });

  it('begins anew after five minutes, and says why', async () => {
    const page = await site.visit({ own: true });
    await page.clock.install();
    await page.goto(`${site.url}/login?return_to=/profile`);
    await logIn(page, user.email);
    await heading(page, 'Second step');
    await page.clock.fastForward('05:01');
    await page.getByRole('alert').getByText('expired after 5 minutes').waitFor();
    await heading(page, 'Sign in');
    expect(await emailField(page).inputValue()).toBe(user.email);
    expect(await passwordField(page).inputValue()).toBe('');
    await logIn(page, user.email);
    await heading(page, 'Second step');
    await page.getByRole('button', { name: 'Use another account' }).click();
    await heading(page, 'Sign in');
  });
});

const codeIn = ({ text }: Mail) => /\d{6}/.exec(text)?.[0] ?? '';
