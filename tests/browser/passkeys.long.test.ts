import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createUser, type TestUser } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { age, heading, logIn } from './support/login.ts';
import { describePages } from './support/site.ts';

/** Gives a page an authenticator of Chromium's, as of a laptop with a fingerprint reader. */
async function addAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', { options });
  return {
    userIsVerified: (isUserVerified: boolean) =>
      client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  };
}

describePages('passkeys', (site) => {
  let user: TestUser;
  beforeAll(async () => {
    user = await createUser(site.api, 'Grace Hopper');
  });

  const passkeys = (page: Page) => page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
  const use = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  it('are added, sign in with and without the password, confirm a step-up, and are renamed and removed', async () => {
    const page = await site.visit({ cookie: user.cookie, own: true });
    const authenticator = await addAuthenticator(page);
    await page.goto(`${site.url}/profile/mfa`);
    await use(page, 'Add passkey');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Laptop');
    await expectAccessible(page);
    await use(page, 'Continue');
    await passkeys(page).getByText('Laptop').waitFor();
    expect(await authenticator.credentials()).toMatchObject([
      { isResidentCredential: true, rpId: 'localhost' },
    ]);
    await use(page, 'Add passkey');
    await dialog.getByLabel('Name').fill('Twice');
    await use(page, 'Continue');
    await dialog.getByText('already has a passkey').waitFor();
    await use(page, 'Cancel');

    // Without a password.
    await page.context().clearCookies();
    await page.goto(`${site.url}/login?return_to=/profile/mfa`);
    await expectAccessible(page);
    await authenticator.userIsVerified(false);
    await use(page, 'Sign in with a passkey');
    await page.getByText('No passkey was used').waitFor();
    await authenticator.userIsVerified(true);
    await use(page, 'Sign in with a passkey');
    await page.waitForURL('**/profile/mfa');
    await passkeys(page).getByText('last used').waitFor();

    // As second factor.
    await use(page, 'Turn on MFA');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await page.context().clearCookies();
    await page.goto(`${site.url}/login?return_to=/profile/mfa`);
    await logIn(page, user.email);
    await heading(page, 'Second step');
    await expectAccessible(page);
    await use(page, 'Use a passkey');
    await page.waitForURL('**/profile/mfa');

    await use(page, 'Rename Laptop');
    await dialog.getByLabel('Name').fill('Work laptop');
    await use(page, 'Rename');
    await passkeys(page).getByText('Work laptop').waitFor();

    // As step-up.
    await age(site, user);
    await use(page, 'Remove Work laptop');
    await use(page, 'Remove');
    await use(page, 'Use a passkey');
    await page.getByText('multi-factor authentication is now off').waitFor();
    await page.getByText('No passkeys yet').waitFor();
  });
});
