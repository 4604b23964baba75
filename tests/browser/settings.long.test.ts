import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addMember,
  createOrg,
  createUser,
  must,
  type TestOrg,
  type TestUser,
} from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { logIn } from './support/login.ts';
import { describePages } from './support/site.ts';

describePages('projects, tokens, members and features', (site) => {
  let org: TestOrg;
  let viewer: TestUser;

  beforeAll(async () => {
    org = await createOrg(site.api);
    viewer = await addMember(site.api, org, 'viewer', 'Vera Viewer');
  });

  async function open(path: string, user: TestUser = org.owner): Promise<Page> {
    const page = await site.open(org, path, { cookie: user.cookie });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  it('makes a project with a slug that follows the name, and says how findings get there', async () => {
    const page = await open('/projects');
    await page.getByRole('button', { name: 'New project' }).click();
    const dialog = page.getByRole('dialog', { name: 'New project' });
    const slug = dialog.getByLabel('Slug');
    await dialog.getByLabel('Name').fill('Web Shop!');
    expect(await slug.inputValue()).toBe('web-shop');
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await dialog.getByText('Another project has this slug').waitFor();

    await slug.fill('-Web');
    await dialog.getByText('Use 2 to 50 lowercase letters').waitFor();
    await slug.fill('shop-2');
    await dialog.getByLabel('Name').fill('<b>Shop</b> 2');
    expect(await slug.inputValue(), 'own slugs stay').toBe('shop-2');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create project' }).click();

    await page.getByRole('heading', { level: 1, name: '<b>Shop</b> 2' }).waitFor();
    await page.getByText(`export SVC_ORG=${org.slug}\nexport SVC_PROJECT_ID=shop-2`).waitFor();
    await page.getByText(`${site.url}/assets/svc-agent.mjs`).waitFor();
    await page.getByRole('tab', { name: 'GitHub Actions' }).click();
    await page.getByText('SVC_PROJECT_ID: "shop-2"').waitFor();
    await expectAccessible(page);
  });

  it('shows a new token once, in a dialog that does not close by accident, and revokes it', async () => {
    // Also who may change nothing else.
    const page = await open('/projects', viewer);
    await page.getByRole('link', { name: 'Web shop' }).first().click();
    // The link had it, which is gone.
    await page.locator('main:focus').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Enter a name').waitFor();
    await dialog.getByLabel('Name').fill('nightly <i>build</i>');
    await dialog.getByRole('button', { name: 'Create token' }).click();

    const token = (await dialog.getByText(/^svc_[0-9a-f]{32}$/).textContent()) ?? '';
    await dialog.getByText(`export SVC_API_KEY=${token}`).waitFor();
    await dialog.getByRole('alert').and(page.locator(':focus')).waitFor();
    await expectAccessible(page);
    // As where there is no TLS.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined });
      addEventListener('copy', (event) => { window.copied = event.clipboardData.getData('text/plain') });`);
    await dialog.getByRole('button', { name: 'Copy the token' }).click();
    await page.getByRole('tooltip', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('copied')).toBe(token);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.goBack();
    await dialog.getByText(token, { exact: true }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await dialog.getByLabel('I have saved the token').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const use = () => site.api.get('/agent/findings?project=web-shop', { token, org: org.slug });
    expect((await use()).status).toBe(200);
    const row = page.getByRole('row', { name: 'nightly <i>build</i>' });
    await row.getByText('by Vera Viewer').filter({ visible: true }).waitFor();
    await row.getByText('Active').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke “nightly <i>build</i>”?' });
    await question.getByText(token.slice(0, 12)).waitFor();
    await question.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'hidden' });
    expect((await use()).error).toBe('token_error/invalid');
    await page.getByLabel('Show expired and revoked (1)').check();
    await row.getByText('Revoked').waitFor();
  });

  it('says how org-wide tokens are switched on, and makes one', async () => {
    const page = await open('/tokens');
    expect(await page.getByRole('button', { name: 'New org-wide token' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Settings' }).last().click();
    await page.getByRole('switch', { name: 'Org-wide API tokens' }).press('Space');
    await page.getByText('“Org-wide API tokens” is on.').waitFor();
    await page.getByRole('link', { name: 'API tokens' }).first().click();
    await page.getByRole('button', { name: 'New org-wide token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('everything');
    await dialog.getByRole('combobox', { name: 'Expires after' }).click();
    await page.getByRole('option', { name: 'Custom' }).click();
    await dialog.getByLabel('Days').fill('40000');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Enter a whole number from 1 to 36,500').waitFor();
    await dialog.getByLabel('Days').fill('7');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByLabel('I have saved the token').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: 'everything' });
    await row.getByRole('cell', { name: 'All projects', exact: true }).waitFor();
    // The contract knows three states: this one is active until it has expired.
    await row.getByText('Active', { exact: true }).waitFor();
    await row.getByText('Expires soon').waitFor();
  });

  it('asks before it revokes a token that someone else has made', async () => {
    const as = { cookie: viewer.cookie, org: org.slug };
    const path = `/projects/${org.projectId}/tokens`;
    const { token } = must(await site.api.post(path, { ...as, body: { name: 'of Vera' } }));
    const page = await open('/tokens');
    const row = page.getByRole('row', { name: 'of Vera' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke “of Vera”?' });
    await question.getByText('You did not create this token').waitFor();
    await question.getByText('Vera Viewer created it.').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    const use = () => site.api.get('/agent/findings?project=web-shop', { token, org: org.slug });
    expect((await use()).status).toBe(200);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await question.getByRole('button', { name: 'Revoke anyway' }).click();
    await row.waitFor({ state: 'hidden' });
    expect((await use()).error).toBe('token_error/invalid');
  });

  it('lets admins decide whether tokens of viewers confirm fixes', async () => {
    const page = await open('/settings');
    const toggle = page.getByRole('switch', { name: 'Let tokens of viewers verify fixes' });
    expect(await toggle.isChecked()).toBe(true);
    await toggle.press('Space');
    await page.getByText('“Let tokens of viewers verify fixes” is off.').waitFor();
    expect(must(await site.api.get('/settings/security', org.asOwner))).toMatchObject({
      viewer_tokens_verify: false,
    });
    await page.getByRole('combobox', { name: 'Members who may create tokens of projects' }).click();
    await page.getByRole('option', { name: 'Admins and owners', exact: true }).click();
    await page.getByText('Not saved yet: API tokens').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The rules for API tokens were changed.').waitFor();
    expect(must(await site.api.get('/settings/security', org.asOwner))).toMatchObject({
      project_token_creators: 'admins',
    });
    await expectAccessible(page);
    const asViewer = await open('/settings', viewer);
    await asViewer.getByRole('heading', { name: 'Let tokens of viewers verify fixes' }).waitFor();
    expect(await asViewer.getByRole('switch').count()).toBe(0);
  });

  it('invites people without an account and with one, and nobody twice', async () => {
    const known = await createUser(site.api, 'Grace Hopper');
    const page = await open('/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite a member' });
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('Enter a valid e-mail address').waitFor();
    await dialog.getByLabel('E-mail').fill('New@example.com');
    await dialog.getByLabel('Viewer').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('new@example.com is now a member with the role “Viewer”.').waitFor();
    await dialog.getByText('This address is not verified yet').waitFor();
    await expectAccessible(page);
    await site.mailTo('new@example.com', /invited/);

    await dialog.getByRole('button', { name: 'Invite another' }).click();
    await dialog.getByLabel('E-mail').fill(known.email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText(`${known.email} is now a member with the role “Member”.`).waitFor();
    await site.mailTo(known.email, /invited/);
    await dialog.getByRole('button', { name: 'Invite another' }).click();
    await dialog.getByLabel('E-mail').fill(known.email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('This user is already a member.').waitFor();
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(known.email);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const row = page.getByRole('row', { name: 'Grace Hopper' });
    await row.getByText('Not verified').waitFor();
    await row.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Remove Grace Hopper?' });
    await question.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'hidden' });
    expect((await site.api.get('/projects', { cookie: known.cookie, org: org.slug })).status).toBe(403);
  });

  it('offers nobody what their role may not do', async () => {
    const admin = await addMember(site.api, org, 'admin', 'Adam Admin');
    const page = await open('/members', admin);
    await page.getByRole('button', { name: 'Actions for Vera Viewer' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for Adam Admin' }).click();
    await page.getByRole('menuitem', { name: 'Change role' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Remove' }).count(), 'oneself').toBe(0);
    await page.keyboard.press('Escape');
    const owners = page.getByRole('button', { name: 'Actions for Ada Lovelace' });
    expect(await owners.count(), 'the owner').toBe(0);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('radio', { name: 'Admin' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Owner' }).count()).toBe(0);

    const admins = await open('/settings', admin);
    await admins.getByRole('heading', { name: 'Require MFA' }).waitFor();
    expect(await admins.getByText('Only owners can change this.').count()).toBe(4);
    await admins.getByRole('switch', { name: 'Let tokens of viewers verify fixes' }).waitFor();
    expect(await admins.getByRole('switch').count()).toBe(1);
    await expectAccessible(admins);

    const viewers = await open('', viewer);
    const pages = viewers.getByRole('navigation', { name: 'Pages of the organization' });
    for (const [title, text, refused] of [
      ['Members', 'Only owners and admins can invite members.', 'Invite'],
      ['Projects', 'A project is anything you scan', 'New project'],
      ['API tokens', 'Only owners and admins can see all tokens', 'New org-wide token'],
      ['Settings', 'Settings that apply to the whole organization.', 'Require MFA'],
    ] as const) {
      await pages.getByRole('link', { name: title }).click();
      await viewers.getByText(text).waitFor();
      expect(await viewers.getByRole('button', { name: refused }).count(), refused).toBe(0);
      expect(await viewers.getByRole('switch').count()).toBe(0);
    }
  });

  it('shows errors in place of a page in one main landmark', async () => {
    const page = await open('/projects');
    const landmarks = page.locator('main, [role=main]');
    await page.goto(site.orgUrl(org.slug, '/no-such-page'));
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(await landmarks.count()).toBe(1);
    await page.goto(site.orgUrl('no-such-org', '/projects'));
    await page.getByRole('main').getByRole('alert').getByText('No such organization').waitFor();
    expect(await landmarks.count()).toBe(1);
    await expectAccessible(page);

    // The link of an invitation, opened while another account is signed in.
    const { cookie, email } = await createUser(site.api);
    await page.context().addCookies([{ name: 'svc_token', value: cookie, domain: 'localhost', path: '/' }]);
    await page.goto(site.orgUrl(org.slug, '/projects'));
    await page.getByText(`You are signed in as ${email}`).waitFor();
    await page.getByRole('button', { name: 'Use another account' }).click();
    await logIn(page, org.owner.email);
    await page.waitForURL(site.orgUrl(org.slug, '/projects'));
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    expect((await site.api.get('/auth/me', { cookie })).status).toBe(401);
  });

  it('warns an owner without MFA before they require it, and leads there', async () => {
    const page = await open('/settings');
    await page.getByRole('switch', { name: 'Require MFA' }).press('Space');
    const question = page.getByRole('dialog', { name: 'Require MFA for every member?' });
    await question.getByText('You would lose access as well').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('switch', { name: 'Require MFA' }).isChecked()).toBe(false);
    await page.getByRole('switch', { name: 'Require MFA' }).press('Space');
    await question.getByRole('link', { name: 'Set up MFA' }).click();
    await page.getByText('Set up MFA to continue').waitFor();
  });
});
