import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createOrg, createScan, createUser, must, push, type TestUser } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { inEachScheme } from './support/look.ts';
import { describePages } from './support/site.ts';

describePages('the account', (site) => {
  async function open(path: string, { cookie }: TestUser): Promise<Page> {
    const page = await site.visit({ cookie });
    await page.goto(site.url + path);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    return page;
  }

  it('creates an access token, shows it once, and revokes it', async () => {
    const user = await createUser(site.api);
    const page = await open('/profile/tokens', user);
    await page.getByText('No personal access tokens').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Enter a name').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('weekly <b>report</b>');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create token' }).click();

    const shown = page.getByRole('dialog', { name: 'Your new token' });
    const token =
      (await shown
        .getByText(/^svcp_\w+$/)
        .first()
        .textContent()) ?? '';
    expect(must(await site.api.get('/auth/me', { token })).user.id).toBe(user.id);
    await expectAccessible(page);
    // It stays until the token is saved.
    await page.keyboard.press('Escape');
    await shown.getByLabel('I have saved the token').check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    const row = page.getByRole('listitem').filter({ hasText: 'weekly <b>report</b>' });
    await row.waitFor();
    expect(await page.content()).not.toContain(token);
    await page.reload();
    await row.getByText('Last used').waitFor();
    expect(await page.content()).not.toContain(token);

    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('“weekly <b>report</b>” was revoked.').waitFor();
    await page.getByText('No personal access tokens').waitFor();
    expect((await site.api.get('/auth/me', { token })).error).toBe('token_error/invalid');
  });

  it('chooses mails, gets one about a scan, and switches it off by its link without signing in', async () => {
    const org = await createOrg(site.api);
    const { owner } = org;
    const verification = await site.mailTo(owner.email, /^Verify/);
    const link = new URL(verification.link ?? '').searchParams;
    const body = { email_id: link.get('email_id'), token: link.get('token') };
    const page = await open('/profile/notifications', owner);
    await page.getByText('Your primary address is not verified.').waitFor();
    must(await site.api.post('/auth/verify-email', { body }));
    await page.reload();
    const choose = async (label: string, value: string) => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: value, exact: true }).click();
    };
    await choose('A scan finds new critical findings', 'At once');
    await choose('A finding is assigned to you', 'Weekly');
    await choose('Daily and weekly mails at', '17:00');
    await inEachScheme(page, () => expectAccessible(page));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Notifications saved').waitFor();
    await page.reload();
    expect(await page.getByRole('combobox', { name: 'A finding is assigned to you' }).inputValue()).toBe(
      'Weekly',
    );

    const scan = await createScan(site.api, org);
    await push(site.api, org, scan, { severity: 'critical', title: 'Open admin console' });
    must(await site.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status: 'completed' } }));
    const mail = await site.mailTo(owner.email, /^1 new critical finding/);
    expect(mail.text).toContain('Open admin console');
    const switchOff = site.url + (/\/unsubscribe\?\S+/.exec(mail.text)?.[0] ?? '');

    const stranger = await site.visit();
    await stranger.goto(switchOff);
    await stranger.getByRole('heading', { name: 'Switch these mails off?' }).waitFor();
    await expectAccessible(stranger);
    const chosen = async () => must(await site.api.get('/profile/notifications', owner));
    expect(await chosen()).toMatchObject({ new_critical: 'now', assigned: 'weekly', hour: 17 });
    await stranger.getByRole('button', { name: 'Switch off' }).click();
    await stranger.getByRole('heading', { name: 'These mails are off' }).waitFor();
    await expectAccessible(stranger);
    expect(await chosen()).toMatchObject({ new_critical: 'off', assigned: 'weekly' });
    await stranger.goto(`${switchOff}x`);
    await stranger.getByRole('button', { name: 'Switch off' }).click();
    await stranger.getByRole('heading', { name: 'This link does not work' }).waitFor();
  });

  it('downloads what is stored about the user', async () => {
    const user = await createUser(site.api, 'Zaphod Beeblebrox');
    const page = await open('/profile/data', user);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download my data' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^account-\d{4}-\d\d-\d\d\.json$/);
    const data = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(data).toMatchObject({ account: { id: user.id, name: 'Zaphod Beeblebrox' } });
    await page.getByText('Your data was downloaded.').waitFor();
  });

  it('is deleted after its address was typed, and an only owner is led to the members', async () => {
    const [user, heir] = [await createUser(site.api), await createUser(site.api)];
    const [{ slug, name }] = must(await site.api.get('/orgs', { cookie: user.cookie }));
    const page = await open('/profile/data', user);
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    const confirm = dialog.getByRole('button', { name: 'Delete account' });
    const ask = async (typed: string) => {
      await page.getByRole('button', { name: 'Delete account…' }).click();
      await dialog.getByRole('textbox', { name: `Type ${user.email} to confirm` }).fill(typed);
    };
    await ask(heir.email);
    expect(await confirm.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('textbox').fill(user.email);
    await confirm.click();
    await page.getByText('You are the only owner of an organization').waitFor();
    const link = page.getByRole('link', { name: `Members of ${name}` });
    expect(await link.getAttribute('href')).toBe(site.orgUrl(slug, '/members'));
    await inEachScheme(page, () => expectAccessible(page));
    expect((await site.api.get('/auth/me', { cookie: user.cookie })).status).toBe(200);

    const body = { email: heir.email, role: 'owner' };
    must(await site.api.post('/members/invite', { cookie: user.cookie, org: slug, body }));
    await ask(user.email);
    await confirm.click();
    await page.waitForURL(/\/login/);
    expect((await site.api.get('/auth/me', { cookie: user.cookie })).status).toBe(401);
    expect(await site.mailTo(user.email, /deleted/)).toMatchObject({ subject: 'Your account was deleted' });
  });

  it('fits a phone', async () => {
    const user = await createUser(site.api);
    const page = await open('/profile/data', user);
    await page.setViewportSize({ width: 360, height: 740 });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });
});
