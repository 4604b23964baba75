import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addMember,
  createOrg,
  createUser,
  must,
  PASSWORD,
  type TestOrg,
  type TestUser,
} from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages, describePagesOf, type Site } from './support/site.ts';

/** Gives somebody an authenticator app, and MFA. */
async function enrol({ api }: Site, { cookie }: TestUser): Promise<string[]> {
  const made = must(await api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Phone' } }));
  const code = new TOTP({ secret: Secret.fromBase32(made.secret) }).generate();
  must(await api.post(`/profile/mfa/devices/totp/${made.device.id}/verify`, { cookie, body: { code } }));
  return must(await api.post('/profile/mfa/enable', { cookie })).recovery_codes;
}

describePages('the profile', (site) => {
  let org: TestOrg;

  beforeAll(async () => {
    org = await createOrg(site.api);
  });

  async function open(path: string, { cookie }: TestUser): Promise<Page> {
    const page = await site.visit({ cookie });
    await page.goto(site.url + path);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    return page;
  }

  async function verifyEmail(recipient: string): Promise<void> {
    const { searchParams } = new URL((await site.mailTo(recipient, /Verify/)).link ?? '');
    must(await site.api.post('/auth/verify-email', { body: Object.fromEntries(searchParams) }));
  }

  /** The code an app would show that was given the secret of a dialog. */
  async function codeOf(dialog: Locator): Promise<string> {
    const secret = (await dialog.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{1,4})+$/).textContent()) ?? '';
    return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate();
  }

  const typeCode = (dialog: Locator, code: string) =>
    dialog.getByRole('textbox', { name: 'Digit 1 of 6' }).pressSequentially(code);

  async function codesIn(shown: Locator): Promise<string[]> {
    await shown.getByRole('listitem').first().waitFor();
    const codes = await shown.getByRole('listitem').allTextContents();
    expect(new Set(codes).size).toBe(8);
    return codes;
  }

  it('leads from an organization that requires MFA to an authenticator app, and back', async () => {
    const member = await addMember(site.api, org, 'member', 'Grace Hopper');
    const flag = { ...org.asOwner, body: { enabled: true } };
    must(await site.api.patch('/org-features/require_mfa', flag));

    const page = await site.visit({ cookie: member.cookie });
    // Pages that read much show one explanation, and no error.
    const wanted = site.orgUrl(org.slug, '/scans?status=running');
    let refused = 0;
    page.on('response', (response) => {
      if (response.status() === 403) refused++;
    });
    for (const address of [site.orgUrl(org.slug), site.orgUrl(org.slug, '/findings'), wanted]) {
      await page.goto(address);
      await page.getByRole('heading', { level: 1, name: 'Set up multi-factor authentication' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
    expect(refused, 'pages are not read again and again').toBeLessThan(40);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Set up MFA' }).click();
    await page.getByText('Set up MFA to continue').waitFor();

    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    await dialog.getByLabel('Name').fill('Phone <b>1</b>');
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor();
    await expectAccessible(page);
    const code = await codeOf(dialog);
    await typeCode(dialog, code === '000000' ? '111111' : '000000');
    await dialog.getByText('The code is wrong.').waitFor();
    await typeCode(dialog, code);
    await dialog.getByText('“Phone <b>1</b>” is verified.').waitFor();
    await dialog.getByRole('button', { name: 'Turn on MFA' }).click();

    const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
    const codes = await codesIn(shown);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      shown.getByRole('button', { name: 'Download' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect(codes.filter((one) => !text.includes(one))).toEqual([]);
    expect(text).toContain(member.email);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText(codes[0] ?? '').isVisible(), 'on paper').toBe(true);
    expect(await page.getByRole('button', { name: 'Done' }).isVisible(), 'on paper').toBe(false);
    expect(await page.getByText('MFA is on').isVisible(), 'on paper').toBe(false);
    await page.emulateMedia({ media: 'screen' });
    await shown.getByLabel('I have saved the codes').check();
    await shown.getByRole('button', { name: 'Done' }).click();

    await page.getByText('8 of 8 left.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Return to the previous page' }).click();
    await page.waitForURL(wanted);
    await page.getByRole('heading', { level: 1, name: 'Scans' }).waitFor();
  });

  it('leads back to addresses of its own only', async () => {
    const user = await createUser(site.api);
    const page = await open('/profile', user);
    for (const evil of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
      await page.goto(`${site.url}/profile/mfa?return_to=${encodeURIComponent(evil)}`);
      await page.getByText('MFA is off').waitFor();
      expect(await page.getByText('Set up MFA to continue').count(), evil).toBe(0);
    }
  });

  it('asks for the password for new recovery codes, and before the last device goes and MFA with it', async () => {
    const user = await createUser(site.api);
    const old = await enrol(site, user);
    const page = await open('/profile/mfa', user);
    await page.getByRole('button', { name: 'Generate new codes' }).click();
    const question = page.getByRole('dialog', { name: 'Generate new recovery codes?' });
    await question.getByLabel('Your password').fill('Wrong1horse');
    await question.getByRole('button', { name: 'Generate new codes' }).click();
    await question.getByText('The password is wrong').waitFor();
    await question.getByLabel('Your password').fill(PASSWORD);
    await question.getByRole('button', { name: 'Generate new codes' }).click();
    const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
    const codes = await codesIn(shown);
    expect(codes.filter((code) => old.includes(code))).toEqual([]);
    await shown.getByLabel('I have saved the codes').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Remove Phone' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove “Phone”?' });
    await removal.getByText('Removing it turns off MFA').waitFor();
    await expectAccessible(page);
    await removal.getByLabel('Your password').fill(PASSWORD);
    await removal.getByRole('button', { name: 'Remove and turn off MFA' }).click();
    await page.getByRole('heading', { name: 'MFA is off' }).waitFor();
    await page.getByText('No devices yet').waitFor();
  });

  it('switches MFA on with mailed codes once an address is verified, and off again', async () => {
    const user = await createUser(site.api);
    const page = await open('/profile/mfa', user);
    await page
      .getByText('To turn on MFA, add a passkey or an authenticator app below, or verify an e-mail address.')
      .waitFor();
    await verifyEmail(user.email);
    await page.reload();
    await page.getByRole('button', { name: 'Turn on with mailed codes' }).click();
    const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
    await shown.getByLabel('I have saved the codes').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('list', { name: 'Devices' }).getByText(user.email).waitFor();

    await page.getByRole('button', { name: 'Turn off MFA' }).click();
    const question = page.getByRole('dialog', { name: 'Turn off MFA?' });
    await question.getByLabel('Your password').fill(PASSWORD);
    await question.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('heading', { name: 'MFA is off' }).waitFor();
    expect(await page.getByText('of 8 left').count()).toBe(0);
  });

  it('adds, verifies, prefers and removes addresses', async () => {
    const user = await createUser(site.api);
    await verifyEmail(user.email);
    const page = await open('/profile', user);
    const second = `second-${user.email}`;
    const row = (email: string) => page.getByRole('listitem').filter({ hasText: email });
    await page.getByLabel('Add an address').fill(org.owner.email);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The e-mail address is in use.').waitFor();
    await page.getByLabel('Add an address').fill(second);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await row(second).getByText('Not verified').waitFor();
    expect(await page.getByLabel('Add an address').inputValue()).toBe('');
    await expectAccessible(page);
    await row(second).getByRole('button', { name: 'Send mail again' }).click();
    await page.getByText(`the link that verifies ${second} is in the server's log.`).first().waitFor();

    await verifyEmail(second);
    await page.reload();
    await row(second).getByRole('button', { name: 'Make primary' }).click();
    await page.getByText(`${second} is now your primary address.`).waitFor();
    await row(second).getByText('Primary').waitFor();
    await page.getByRole('main').getByText(second, { exact: true }).first().waitFor();
    await page.getByRole('button', { name: `Remove ${user.email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${user.email} was removed.`).waitFor();
    await page.getByRole('button', { name: `Remove ${user.email}` }).waitFor({ state: 'hidden' });
  });

  it('changes the name, which all pages show', async () => {
    const user = await createUser(site.api, 'Ada Byron');
    const page = await open('/profile', user);
    await page.getByRole('button', { name: 'Change name' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change name' });
    await dialog.getByLabel('Name').fill(' ');
    await dialog.getByRole('button', { name: 'Change name' }).click();
    await dialog.getByText('Enter a name').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Name').fill('Ada Lovelace');
    await dialog.getByRole('button', { name: 'Change name' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    expect(must(await site.api.get('/auth/me', { cookie: user.cookie })).user.name).toBe('Ada Lovelace');
  });

  it('changes the password, which ends the other sessions', async () => {
    const user = await createUser(site.api);
    const body = { email: user.email, password: PASSWORD };
    const other = await site.api.post('/auth/login', { body });
    const page = await open('/profile/password', user);
    await page.getByLabel('Current password').fill('Wrong1horse');
    await page.getByLabel('New password').fill('different');
    await page.getByText('A digit (not met)').waitFor();
    await page.getByLabel('New password').fill('Different2horse');
    await page.getByText('A digit (met)').waitFor();
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is wrong').waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe('Different2horse');
    await expectAccessible(page);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password was changed').waitFor();
    expect((await site.api.get('/auth/me', { cookie: other.cookie })).status).toBe(401);
    expect((await site.api.get('/auth/me', { cookie: user.cookie })).status).toBe(200);
  });

  it('shows where one is signed in, and revokes', async () => {
    const user = await createUser(site.api);
    const body = { email: user.email, password: PASSWORD };
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const login = async (agent: string) =>
      (await site.api.post('/auth/login', { body, headers: { 'user-agent': agent } })).cookie;
    const [other] = [await login(firefox), await login('curl/8'), await login('<b>Evil</b>')];
    const page = await open('/profile/sessions', user);
    const sessions = page.getByRole('listitem');
    const row = sessions.filter({ hasText: 'Firefox 140 on Linux' });
    await row.getByText('From 127.0.0.1, desktop').waitFor();
    expect(await sessions.first().getByText('This session').count()).toBe(1);
    expect(await sessions.first().getByRole('button').count(), 'one leaves by logging out').toBe(0);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'hidden' });
    expect((await site.api.get('/auth/me', { cookie: other })).error).toBe('auth_error/session_revoked');
    await page.getByRole('button', { name: 'Revoke all others' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke all others' }).click();
    await page.getByText('2 sessions were revoked.').waitFor();
    await page.getByRole('button', { name: 'Revoke all others' }).waitFor({ state: 'hidden' });
    expect(await sessions.count()).toBe(1);
    await expectAccessible(page);
  });
});

describePagesOf({ baseDomain: 'findings.localhost' })('the profile, with a base domain', (site) => {
  it('leads from the host of an organization to MFA, and back to it', async () => {
    const org = await createOrg(site.api);
    const flag = { ...org.asOwner, body: { enabled: true } };
    must(await site.api.patch('/org-features/require_mfa', flag));
    const page = await site.visit({ cookie: org.owner.cookie });
    const wanted = site.orgUrl(org.slug, '/members');
    await page.goto(wanted);
    await page.getByRole('link', { name: 'Set up MFA' }).click();
    await page.getByText('Set up MFA to continue').waitFor();
    await enrol(site, org.owner);
    await page.reload();
    await page.getByRole('link', { name: 'Return to the previous page' }).click();
    await page.waitForURL(wanted);
    await page.getByRole('row', { name: 'Ada Lovelace' }).waitFor();
  });
});
