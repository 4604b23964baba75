import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createUser, must, PASSWORD, type TestUser } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { age, heading } from './support/login.ts';
import { describePages } from './support/site.ts';

describePages('a step-up', (site) => {
  async function open(path: string, user: TestUser): Promise<Page> {
    await age(site, user);
    const page = await site.visit({ cookie: user.cookie });
    await page.goto(site.url + path);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    return page;
  }

  const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm your identity' });
  const confirm = (dialog: Locator) => dialog.getByRole('button', { name: 'Confirm' }).click();
  const typeCode = (dialog: Locator, code: string) =>
    dialog.getByRole('textbox', { name: 'Digit 1 of 6' }).pressSequentially(code);

  /** Gives somebody an authenticator app and MFA. */
  async function enrol({ cookie }: TestUser) {
    const { api } = site;
    const { device, secret } = must(
      await api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Phone' } }),
    );
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    must(await api.post(`/profile/mfa/devices/totp/${device.id}/verify`, { cookie, body: { code: code() } }));
    const { recovery_codes } = must(await api.post('/profile/mfa/enable', { cookie }));
    return { code, recoveryCodes: recovery_codes as string[] };
  }

  async function verify(recipient: string): Promise<void> {
    const { searchParams } = new URL((await site.mailTo(recipient, /Verify/)).link ?? '');
    must(await site.api.post('/auth/verify-email', { body: Object.fromEntries(searchParams) }));
  }

  it('asks for the password, goes on afterwards, and loses nothing that was typed', async () => {
    const user = await createUser(site.api);
    const page = await open('/profile', user);
    const field = page.getByLabel('Add an address');
    const address = `second-${user.email}`;
    await field.fill(address);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = question(page);
    const password = dialog.getByLabel('Your password');
    await password.waitFor();
    await dialog.locator('input[type=password]:focus').waitFor();
    await expectAccessible(page);

    // Somebody who thinks better of it.
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing was changed').waitFor();
    expect(await field.inputValue()).toBe(address);

    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await password.fill('Wrong1wrong');
    await confirm(dialog);
    await dialog.getByText('The password is wrong').waitFor();
    await password.fill(PASSWORD);
    await password.press('Enter');
    await page.getByText(`the link that verifies ${address} is in the server's log.`).waitFor();
    expect(await dialog.isVisible()).toBe(false);

    // For the next ten minutes there is no question.
    await page.getByRole('button', { name: `Remove ${address}` }).click();
    await page
      .getByRole('dialog', { name: 'Remove this address?' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await page.getByText(`${address} was removed.`).waitFor();
  });

  it('takes a code of the app too where MFA is on, or a recovery code', async () => {
    const user = await createUser(site.api);
    const { code, recoveryCodes } = await enrol(user);
    const page = await open('/profile', user);
    const add = async (address: string) => {
      await page.getByLabel('Add an address').fill(address);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    };
    const dialog = question(page);
    await add(`second-${user.email}`);
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByText('Enter the code that the app “Phone” shows.').waitFor();
    await expectAccessible(page);
    const right = code();
    await typeCode(dialog, right === '000000' ? '111111' : '000000');
    await dialog.getByText('The code is wrong').waitFor();
    await typeCode(dialog, code());
    await page.getByText(`the link that verifies second-${user.email}`).waitFor();

    await age(site, user);
    await add(`third-${user.email}`);
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Recovery code' }).click();
    await dialog.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
    await confirm(dialog);
    await page.getByText(`the link that verifies third-${user.email}`).waitFor();
  });

  it('takes a mailed code, and the password that was just typed', async () => {
    const user = await createUser(site.api);
    await verify(user.email);
    must(await site.api.post('/profile/mfa/enable', { cookie: user.cookie }));
    const page = await open('/profile/mfa', user);
    await page.getByRole('button', { name: 'Turn off MFA' }).click();
    const off = page.getByRole('dialog', { name: 'Turn off MFA?' });
    await off.getByLabel('Your password').fill(PASSWORD);
    await off.getByRole('button', { name: 'Turn off' }).click();
    const dialog = question(page);
    await dialog.getByRole('button', { name: `Code by mail to ${user.email}` }).click();
    await dialog.getByText('A code was sent to').waitFor();
    expect(await dialog.getByLabel('Your password').inputValue()).toBe(PASSWORD);
    const { text } = await site.mailTo(user.email, /confirmation code/);
    await typeCode(dialog, /\b\d{6}\b/.exec(text)?.[0] ?? '');
    await page.getByText('MFA is off. Your recovery codes no longer work.').waitFor();
  });

  it('fits a phone', async () => {
    const user = await createUser(site.api);
    await enrol(user);
    await age(site, user);
    const page = await site.visit({ cookie: user.cookie, viewport: { width: 360, height: 740 } });
    await page.goto(`${site.url}/profile`);
    await page.getByLabel('Add an address').fill('second@example.com');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = question(page);
    await dialog.getByLabel('Your password').waitFor();
    const tooWide = (selector: string) =>
      page.evaluate<boolean>(
        `[...document.querySelectorAll('${selector}')].some((one) => one.scrollWidth > one.clientWidth)`,
      );
    expect(await tooWide('html, [role=dialog], [role=dialog] form')).toBe(false);
  });

  it('is not needed to undo a change of the address, which takes one click', async () => {
    const user = await createUser(site.api);
    const { cookie, email } = user;
    await verify(email);
    const address = `second-${email}`;
    const { id } = must(await site.api.post('/profile/emails', { cookie, body: { email: address } }));
    await verify(address);
    must(await site.api.post(`/profile/emails/${id}/set-primary`, { cookie }));
    const { link = '' } = await site.mailTo(email, /primary e-mail address was changed/);

    const page = await site.visit();
    await page.goto(link);
    await heading(page, 'Undo the address change?');
    await expectAccessible(page);
    // Opening the page changes nothing: programs open links, too.
    expect((await site.api.get('/auth/me', { cookie })).result.user.email).toBe(address);
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await heading(page, 'Your address was restored');
    await expectAccessible(page);
    expect((await site.api.get('/auth/me', { cookie })).status).toBe(401);
    const reset = await site.mailTo(email, /set a new password/);
    expect(reset.link).toContain('/reset-password?token=');

    await page.goto(link);
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await heading(page, 'This link does not work');
    await expectAccessible(page);
  });

  it('leaves the address to another account that has it, and says so', async () => {
    // Never verified: someone else registered it first.
    const stranger = await createUser(site.api);
    const { cookie, email } = stranger;
    const address = `second-${email}`;
    const { id } = must(await site.api.post('/profile/emails', { cookie, body: { email: address } }));
    await verify(address);
    must(await site.api.post(`/profile/emails/${id}/set-primary`, { cookie }));
    const { emails } = must(await site.api.get('/profile/emails', { cookie }));
    const former = emails.find((one: { email: string }) => one.email === email);
    expect((await site.api.delete(`/profile/emails/${former.id}`, { cookie })).status).toBe(204);
    const body = { email, password: PASSWORD, name: 'Victor Victim' };
    const owner = await site.api.post('/auth/register', { body });
    const { link = '' } = await site.mailTo(email, /primary e-mail address was changed/);
    const page = await site.visit({ cookie: owner.cookie });
    await page.goto(link);
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await heading(page, 'The change was not undone');
    await expectAccessible(page);
    expect(must(await site.api.get('/auth/me', { cookie: owner.cookie })).user.email).toBe(email);
  });
});
