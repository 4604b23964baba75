import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { beforeAll, expect, it } from 'vitest';
import { createOrg, createUser, must, PASSWORD, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { emailField, heading, logIn, passwordField } from './support/login.ts';
import { describePages } from './support/site.ts';

const NEW_PASSWORD = 'Different2horse';

describePages('signing in', (site) => {
  let org: TestOrg;
  beforeAll(async () => {
    org = await createOrg(site.api);
  });

  async function open(path: string, title: string): Promise<Page> {
    const page = await site.visit();
    await page.goto(site.url + path);
    await heading(page, title);
    return page;
  }

  it('registers a newcomer, who comes to their organization and verifies their address by mail', async () => {
    const page = await open('/register', 'Create your account');
    await page.getByLabel('Name').fill('Grace <b>Hopper</b>');
    await emailField(page).fill('grace@example.com');
    await passwordField(page).fill('hopper');
    await page.getByText('A lowercase letter (met)').waitFor();
    await page.getByText('A digit (not met)').waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The password does not meet all requirements').waitFor();
    await passwordField(page).fill(PASSWORD);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create account' }).click();

    await page.getByText("No mail provider: the link is in the server's log.").waitFor();
    await heading(page, 'Welcome, Grace <b>Hopper</b>');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Open your organization' }).click();
    await page.waitForURL(`${site.url}/o/grace-b-hopper-b`);

    const { link = '' } = await site.mailTo('grace@example.com', /Verify/);
    await page.goto(link);
    await heading(page, 'Your address is verified');
    await page.goto(link);
    await heading(page, 'This link does not work');
    await page.getByText('You can request another link there.').waitFor();
    await page.getByRole('link', { name: 'Open your e-mail addresses' }).click();
    await page.waitForURL('**/profile');
  });

  it('says that an address is taken, and leads to the login with it', async () => {
    const page = await open('/register', 'Create your account');
    await page.getByLabel('Name').fill('Ada');
    await emailField(page).fill(org.owner.email);
    await passwordField(page).fill(PASSWORD);
    await passwordField(page).press('Enter');
    await page
      .getByText('An account with this address already exists.')
      .getByRole('link', { name: 'Sign in' })
      .click();
    await heading(page, 'Sign in');
    expect(await emailField(page).inputValue()).toBe(org.owner.email);
  });

  it('passes on the warning about a leaked password', async () => {
    const page = await site.visit();
    // As with a mail provider.
    await intercept(page, '**/api/v1/auth/session', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      expect(json.result.mails_in_log).toBe(true);
      delete json.result.mails_in_log;
      await route.fulfill({ response: answer, json });
    });
    await page.goto(`${site.url}/register`);
    await heading(page, 'Create your account');
    await page.getByLabel('Name').fill('Edsger');
    await emailField(page).fill('edsger@example.com');
    await passwordField(page).fill('Password1');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page
      .getByRole('alert', { name: 'Your password is weak' })
      .getByText('This password is on a list of leaked passwords')
      .waitFor();
    await page.getByText('We mailed a link to edsger@example.com').waitFor();
  });

  it('says that registration is closed, and does not offer it again', async () => {
    const sql = postgres(site.databaseUrl, { max: 1 });
    const setSignup = (enabled: boolean) =>
      sql`update shared.feature_flags set enabled = ${enabled} where name = 'signup'`;
    try {
      await setSignup(false);
      const page = await open('/register', 'Create your account');
      await page.getByLabel('Name').fill('Late');
      await emailField(page).fill('late@example.com');
      await passwordField(page).fill(PASSWORD);
      await page.getByRole('button', { name: 'Create account' }).click();
      await heading(page, 'Registration is closed');
      await page.getByRole('link', { name: 'Sign in with an account' }).click();
      await page.getByText('Registration is closed').waitFor();
      expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
    } finally {
      await setSignup(true);
      await sql.end();
    }
  });

  it('brings a visitor back to where they wanted to go, and shows who is signed in', async () => {
    const page = await site.visit();
    const wanted = site.orgUrl(org.slug, '/findings?severity=critical,high&q=a%26b');
    await page.goto(wanted);
    await heading(page, 'Sign in');
    await logIn(page, org.owner.email, 'Wrong1password');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor();
    await expectAccessible(page);
    expect(await emailField(page).inputValue()).toBe(org.owner.email);
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await passwordField(page).getAttribute('type')).toBe('text');
    await logIn(page, org.owner.email);
    await page.waitForURL(wanted);
    await page.getByRole('button', { name: /Ada Lovelace/ }).waitFor();

    // A signed-in user goes past the login page.
    await page.goto(`${site.url}/login?return_to=/profile`);
    await page.waitForURL('**/profile');
  });

  it('goes home where it was sent to another site', async () => {
    const page = await open(`/login?return_to=${encodeURIComponent('/\\evil.example')}`, 'Sign in');
    await logIn(page, org.owner.email);
    await page.waitForURL(/\/(orgs|o\/.+)$/);
    expect(new URL(page.url()).origin).toBe(site.url);
  });

  it('sets a new password by a mailed link, once, whose mail tells nobody whether there is an account', async () => {
    const user = await createUser(site.api);
    const page = await open('/login', 'Sign in');
    await emailField(page).fill(user.email);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading(page, 'Forgot your password?');
    await expectAccessible(page);
    expect(await emailField(page).inputValue()).toBe(user.email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText(`No mail provider: if ${user.email} belongs to an account`).waitFor();
    await page.getByRole('button', { name: 'Write another link to the log' }).click();
    await emailField(page).fill('nobody@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('if nobody@example.com belongs to an account').waitFor();

    const { link = '' } = await site.mailTo(user.email, /Reset/);
    await page.goto(link);
    await heading(page, 'Set a new password');
    await expectAccessible(page);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await heading(page, 'Your password was changed');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await logIn(page, user.email, NEW_PASSWORD);
    await page.waitForURL('**/o/**');

    await page.goto(link);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByLabel('New password').press('Enter');
    await heading(page, 'This link no longer works');
    await page.getByRole('link', { name: 'Request another link' }).click();
    await heading(page, 'Forgot your password?');
  });

  it('gives somebody who was invited a name and their first password', async () => {
    const body = { email: 'guest@example.com', role: 'viewer' };
    must(await site.api.post('/members/invite', { ...org.asOwner, body }));
    const { link = '' } = await site.mailTo('guest@example.com', /invited/);
    const page = await site.visit();
    await page.goto(link);
    await heading(page, 'Set your password');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Enter your name', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name').fill('Grace Guest');
    await page.getByRole('button', { name: 'Set password' }).click();
    await heading(page, 'Your password is set');
    await page.getByRole('link', { name: 'Sign in' }).and(page.locator(':focus')).press('Enter');
    await logIn(page, 'guest@example.com');
    await page.waitForURL(site.orgUrl(org.slug));
    await page.getByRole('button', { name: 'Account of Grace Guest' }).waitFor();
  });

  it('logs out, and leaves nothing of the page', async () => {
    const user = await createUser(site.api);
    const page = await site.visit({ cookie: user.cookie });
    await page.goto(`${site.url}/profile`);
    await page.getByRole('button', { name: /Ada Lovelace/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    expect((await site.api.get('/auth/me', { cookie: user.cookie })).status).toBe(401);
    await page.goto(`${site.url}/profile`);
    await heading(page, 'Sign in');
  });
});
