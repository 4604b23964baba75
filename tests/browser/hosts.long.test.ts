import postgres from 'postgres';
import { beforeAll, expect, it } from 'vitest';
import { createOrg, createUser, must, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { heading, logIn } from './support/login.ts';
import { describePagesOf } from './support/site.ts';

const BASE = 'findings.localhost';

describePagesOf({ baseDomain: BASE })('organizations at hosts of their own', (site) => {
  let org: TestOrg;
  beforeAll(async () => {
    org = await createOrg(site.api);
  });

  it('sends a visitor to the base domain to log in, and back to where they were', async () => {
    const page = await site.visit();
    const wanted = site.orgUrl(org.slug, '/findings?severity=high&q=a%26b');
    await page.goto(wanted);
    await page.waitForURL(`${site.url}/login?*`);
    await logIn(page, org.owner.email);
    await page.waitForURL(wanted);
    await heading(page, 'Findings');
  });

  it('logs out on an organization’s host, which ends the session everywhere', async () => {
    const { cookie } = await createUser(site.api, 'Grace Hopper');
    const page = await site.visit({ cookie });
    await page.goto(`${site.url}/`);
    await page.waitForURL(site.orgUrl('grace-hopper'));
    await page.getByRole('button', { name: /Grace Hopper$/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${site.url}/login`);
    await heading(page, 'Sign in');
    expect((await site.api.get('/auth/me', { cookie })).status).toBe(401);
    await page.goto(site.orgUrl('grace-hopper'));
    await page.waitForURL(`${site.url}/login?*`);
  });

  it('logs in at the base domain, whatever login page was asked for', async () => {
    const page = await site.visit();
    const own = site.orgUrl(org.slug, '/login');
    await page.goto(`${own}?return_to=${encodeURIComponent(own)}`);
    await page.waitForURL(`${site.url}/login?*`);
    await logIn(page, org.owner.email);
    // They are signed in already at that host, and have nowhere to go but home.
    await page.waitForURL((url) => !url.pathname.startsWith('/login'));
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('does not redirect endlessly if a cookie reaches the base domain only', async () => {
    const page = await site.visit();
    const { cookie: value } = org.owner;
    await page.context().addCookies([{ name: 'svc_token', value, url: site.url, httpOnly: true }]);
    const visited: string[] = [];
    page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).host));
    await page.goto(site.orgUrl(org.slug));
    await page.getByText(`You are signed in as ${org.owner.email}`).waitFor();
    expect(visited.length).toBeLessThan(10);
    await expectAccessible(page);
    // Logging in again gives them a cookie that goes everywhere.
    await logIn(page, org.owner.email);
    await page.waitForURL(site.orgUrl(org.slug));
    await page.getByRole('button', { name: /Ada Lovelace$/ }).waitFor();
  });

  it('says at a custom domain that nobody can be signed in there', async () => {
    const sql = postgres(site.databaseUrl, { max: 1 });
    await sql`update shared.orgs set custom_domain = 'acme.localhost' where slug = ${org.slug}`;
    await sql.end();
    const page = await site.visit({ cookie: org.owner.cookie, hosts: ['acme.localhost'] });
    const { port } = new URL(site.url);
    await page.goto(`http://acme.localhost:${port}/findings`);
    await page.getByRole('alert').getByText('You cannot sign in at this address').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: `To ${BASE}` }).click();
    await page.waitForURL((url) => url.hostname.endsWith(BASE));
    await page.goto(`http://acme.localhost:${port}/login`);
    await page.waitForURL((url) => url.hostname.endsWith(BASE));
  });

  it('makes an organization, whose slug follows its name until one is typed, and switches between them', async () => {
    const { cookie } = org.owner;
    const page = await site.visit({ cookie });
    await page.goto(`${site.url}/orgs/new`);
    await page.getByLabel('Name', { exact: true }).fill('Ädmin');
    await page.getByText('“admin” is reserved').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name', { exact: true }).fill('Big & Söhne');
    expect(await page.getByLabel('Slug').inputValue()).toBe('big-sohne');
    await page.getByLabel('Slug').fill('No!');
    await page.getByText('Use only lowercase letters').waitFor();
    await page.getByLabel('Slug').fill(org.slug);
    await page.getByText(site.orgUrl(org.slug)).waitFor();
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('Another organization uses this slug').waitFor();
    await page.getByLabel('Slug').fill('');
    await page.getByLabel('Name', { exact: true }).fill('Big Söhne');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.waitForURL(site.orgUrl('big-sohne'));

    const menu = page.getByRole('button', { name: /^Organization Big Söhne/ });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: org.slug }).waitFor();
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'Your organizations' }).click();
    await page.waitForURL(`${site.url}/orgs`);
    await heading(page, 'Your organizations');
    await expectAccessible(page);
    await page.getByRole('link', { name: org.slug }).click();
    await page.waitForURL(site.orgUrl(org.slug));
    // Without a destination, users come to the organization that they used last.
    await page.goto(site.url);
    await page.waitForURL(site.orgUrl(org.slug));
  });

  it('goes on after a session has ended, by a second window, with all that was typed', async () => {
    const { email, cookie } = await createUser(site.api, 'Joan Clarke');
    const page = await site.visit({ cookie });
    await page.goto(`${site.url}/orgs/new`);
    await page.getByLabel('Name', { exact: true }).fill('Hut Eight');
    must(await site.api.post('/auth/logout', { cookie }));
    await page.getByRole('button', { name: 'Create organization' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I have signed in' }).click();
    await dialog.getByText('You are not signed in yet').waitFor();

    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      dialog.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await logIn(other, email);
    await heading(other, 'You are signed in');
    await expectAccessible(other);
    await other.close();
    await dialog.getByRole('button', { name: 'I have signed in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Hut Eight');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.waitForURL(site.orgUrl('hut-eight'));
  });

  it('does not leave a page to someone else who signs in', async () => {
    const { cookie } = await createUser(site.api, 'Joan Clarke');
    const page = await site.visit({ cookie });
    await page.goto(`${site.url}/orgs/new`);
    await page.getByLabel('Name', { exact: true }).fill('Secret');
    must(await site.api.post('/auth/logout', { cookie }));
    await page.getByRole('button', { name: 'Create organization' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      dialog.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await logIn(other, org.owner.email);
    await heading(other, 'You are signed in');
    await dialog.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByRole('button', { name: /Ada Lovelace$/ }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');

    // Nor to someone who signed in elsewhere while nobody looked at it. The page says so when they are gone.
    const look = () => page.evaluate(`dispatchEvent(new Event('focus'))`);
    const { cookie: next } = await createUser(site.api, 'Mavis Batey');
    const place = { domain: `.${BASE}`, path: '/', httpOnly: true };
    await page.context().addCookies([{ name: 'svc_token', value: next, ...place }]);
    await look();
    await page.getByRole('button', { name: /Mavis Batey$/ }).waitFor();
    must(await site.api.post('/auth/logout', { cookie: next }));
    await look();
    await dialog.waitFor();
  });
});
