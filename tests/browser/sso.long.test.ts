import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createOrg } from '../support/api/client.ts';
import { freePort } from '../support/server/proc.ts';
import { CLIENT, startProvider } from '../support/sso/provider.ts';
import { expectAccessible } from './support/axe.ts';
import { describePagesOf } from './support/site.ts';

// Providers know the address of the service.
const port = await freePort();

describePagesOf({
  env: { SVC_SSO_ALLOW_HTTP: 'on', SVC_PORT: `${port}`, SVC_PUBLIC_URL: `http://localhost:${port}` },
})('single sign-on', (site) => {
  const use = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

  it('is set up, tested and used', async () => {
    const org = await createOrg(site.api);
    const provider = await startProvider({ site: site.url });
    provider.people.set('ada', { email: 'ada@acme.example', name: 'Ada', groups: ['security'] });
    provider.next = { sub: 'ada' };
    const page = await site.visit({ cookie: org.owner.cookie, own: true, hosts: ['127.0.0.1'] });
    await page.goto(`${site.url}/o/${org.slug}/settings`);
    await use(page, 'Add connection');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Acme login');
    await dialog.getByLabel('Issuer').fill(provider.issuer);
    await dialog.getByLabel('Client ID').fill(CLIENT.client_id);
    await dialog.getByLabel('Client secret').fill(CLIENT.client_secret);
    await dialog.getByLabel('Roles by group').fill('security = member');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Acme login” was saved.').waitFor();
    await use(page, 'Test');
    await page.getByRole('heading', { level: 1, name: 'Test of single sign-on' }).waitFor();
    await page.getByText('"sub": "ada"').waitFor();
    await expectAccessible(page);
    // The owner connects an account that has another address.
    await page.goto(`${site.url}/profile/mfa`);
    await use(page, 'Connect');
    await page.getByText(`You sign in at ${provider.issuer}`).waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('The account was not connected').waitFor();
    await expectAccessible(page);
    await page.context().clearCookies();
    await page.goto(`${site.url}/api/v1/auth/sso/start?org=${org.slug}`);
    await page.waitForURL(`**/o/${org.slug}**`);
    await page.context().clearCookies();
    await page.goto(`${site.url}/login`);
    await use(page, 'Single sign-on');
    await page.getByText('Enter your e-mail address first').waitFor();
    expect(page.url()).toContain('/login');
  });
});
