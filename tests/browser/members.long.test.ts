import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
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
import { intercept } from './support/intercept.ts';
import { heading, logIn } from './support/login.ts';
import { describePages, describePagesOf } from './support/site.ts';

describePages('members', (site) => {
  let org: TestOrg;

  beforeAll(async () => {
    org = await createOrg(site.api);
  });

  const join = (role: string, name: string) => addMember(site.api, org, role, name);

  async function open(user: TestUser = org.owner): Promise<Page> {
    const page = await site.open(org, '/members', { cookie: user.cookie });
    await heading(page, 'Members');
    return page;
  }
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('with an unverified address are marked, and get the invitation again', async () => {
    const { email } = await join('viewer', 'Vera Unverified');
    const page = await open();
    await page.getByText('not verified their address').waitFor();
    const own = page.getByRole('row', { name: 'Ada Lovelace' });
    for (const fact of ['No MFA', '1 API']) await own.getByText(fact).filter({ visible: true }).waitFor();
    const row = page.getByRole('row', { name: 'Vera Unverified' });
    await row.getByText('Not verified', { exact: true }).waitFor();
    await expectAccessible(page);
    await act(page, 'Vera Unverified', 'Resend invitation');
    await page.getByText(`No mail provider: the new link for ${email} is in the server's log.`).waitFor();
    const { link = '' } = await site.mailTo(email, /invited/);

    // The reader of the mail sets a password, and is verified.
    const invited = await site.visit();
    await invited.goto(link);
    await invited.getByLabel('Name').fill('Vera');
    await invited.getByLabel('New password').fill(PASSWORD);
    await invited.getByRole('button', { name: 'Set password' }).click();
    await heading(invited, 'Your password is set');
    await page.reload();
    await row.waitFor();
    expect(await row.getByText('Not verified', { exact: true }).count()).toBe(0);
  });

  it('are told where to verify their own address', async () => {
    const { email, cookie } = await join('viewer', 'Olga Own');
    const page = await open({ id: '', email, cookie });
    await page.getByText('Your address is not verified').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'request another link in your profile' }).click();
    await page.getByRole('button', { name: `Send mail again to ${email}` }).click();
    await page.getByText(`the link that verifies ${email} is in the server's log.`).waitFor();
    const { link = '' } = await site.mailTo(email, /Verify/);
    const body = Object.fromEntries(new URL(link).searchParams);
    must(await site.api.post('/auth/verify-email', { body }));
    // The link proves the mailbox, and so the invitation to it.
    await page.goto(site.orgUrl(org.slug, '/members'));
    await page.getByRole('row', { name: 'Olga Own' }).waitFor();
    expect(await page.getByText('Your address is not verified').count()).toBe(0);
  });

  it('get another role, which they work with from then on', async () => {
    const { cookie } = await join('viewer', 'Rolf Roles');
    const page = await open();
    await act(page, 'Rolf Roles', 'Change role');
    const dialog = page.getByRole('dialog', { name: 'Role of Rolf Roles' });
    expect(await dialog.getByRole('button', { name: 'Change role' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Admin').check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await page.getByText('The role of Rolf Roles is now admin.').waitFor();
    await page.getByRole('row', { name: 'Rolf Roles' }).getByText('Admin', { exact: true }).waitFor();
    const { orgs } = must(await site.api.get('/auth/me', { cookie }));
    expect(orgs).toContainEqual(expect.objectContaining({ slug: org.slug, role: 'admin' }));
  });

  it('give up their own role, and the page follows', async () => {
    const admin = await join('admin', 'Gina Gives');
    const page = await open(admin);
    await act(page, 'Gina Gives', 'Change role');
    const dialog = page.getByRole('dialog', { name: 'Role of Gina Gives' });
    expect(await dialog.getByRole('radio', { name: 'Owner' }).count()).toBe(0);
    await dialog.getByLabel('Viewer').check();
    await dialog.getByText('You cannot undo this change yourself').waitFor();
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('button', { name: 'Invite' }).waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
  });

  it('are removed with the tokens that they created', async () => {
    const { cookie } = await join('member', 'Rita Removed');
    const { token } = must(
      await site.api.post(`/projects/${org.projectId}/tokens`, {
        cookie,
        org: org.slug,
        body: { name: 'nightly' },
      }),
    );
    const page = await open();
    await act(page, 'Rita Removed', 'Remove');
    const question = page.getByRole('dialog', { name: 'Remove Rita Removed?' });
    await question.getByText('nightly').waitFor();
    await expectAccessible(page);
    await question.getByLabel('Revoke these tokens').check();
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: 'Rita Removed' }).waitFor({ state: 'hidden' });
    const use = await site.api.get(`/agent/findings?project_id=${org.projectId}`, { token, org: org.slug });
    expect(use.status).toBe(401);
  });

  it('leave, after they were asked', async () => {
    const { cookie } = await join('viewer', 'Lea Leaves');
    const page = await site.open(org, '/members', { cookie });
    await page.getByRole('button', { name: 'Leave organization' }).click();
    const question = page.getByRole('dialog', { name: `Leave ${org.slug}?` });
    await question.waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Leave' }).click();
    await heading(page, 'Your organizations');
    expect(await page.getByText(org.slug, { exact: true }).count()).toBe(0);
    expect((await site.api.get('/projects', { cookie, org: org.slug })).status).toBe(403);
  });

  it('are told that the only owner cannot leave', async () => {
    const page = await open();
    await page.getByText('You are the only owner').waitFor();
    expect(await page.getByRole('button', { name: 'Leave organization' }).count()).toBe(0);
  });
});

describePagesOf({
  env: { SVC_STRICT: 'on', SVC_REFUSE_INSECURE_SETTINGS: 'off', SVC_AUTH_LIMITS: 'off' },
})('strict mode', (site) => {
  const verify = async (email: string) => {
    const { link = '' } = await site.mailTo(email, /Verify/);
    const body = Object.fromEntries(new URL(link).searchParams);
    must(await site.api.post('/auth/verify-email', { body }));
  };

  describe('an account without a verified address', () => {
    it('sees one page, wherever it goes, and goes on once it is verified', async () => {
      const { email } = await createUser(site.api, 'Una Verified');
      const page = await site.visit();
      await page.goto(`${site.url}/orgs`);
      await logIn(page, email);
      await heading(page, 'Verify your e-mail address');
      await page.getByText(email).waitFor();
      await expectAccessible(page);
      for (const path of ['/', '/profile', '/o/anything/findings', '/login']) {
        await page.goto(site.url + path);
        await heading(page, 'Verify your e-mail address');
      }
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByText('The address is not verified yet.').waitFor();
      await page.getByRole('button', { name: 'Write another link to the log' }).click();
      await page.getByText("Another link is in the server's log.").waitFor();
      await verify(email);
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByRole('navigation', { name: 'Pages of the organization' }).waitFor();
    });

    it('goes on where it wanted to, by the link in the mail', async () => {
      const { email, cookie } = await createUser(site.api, 'Lina Link');
      const page = await site.visit({ cookie, own: true });
      await page.clock.install();
      await page.goto(`${site.url}/profile/sessions`);
      await heading(page, 'Verify your e-mail address');
      const other = await page.context().newPage();
      await other.goto((await site.mailTo(email, /Verify/)).link ?? '');
      await heading(other, 'Your address is verified');
      // Nobody does anything in the first window, which asks every ten seconds.
      await page.clock.fastForward(10_000);
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    });

    it('logs out', async () => {
      const { cookie } = await createUser(site.api);
      const page = await site.visit({ cookie });
      await page.goto(site.url);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'Sign in');
      expect((await site.api.get('/auth/me', { cookie })).status).toBe(401);
    });

    it('is told where to verify it when the service asks for that while it is at work', async () => {
      const user = await createUser(site.api);
      const page = await site.visit({ cookie: user.cookie });
      // As if the service had not asked for it when the page was opened.
      await intercept(page, '**/api/v1/auth/session', async (route) => {
        const answer = await route.fetch();
        const json = await answer.json();
        delete json.result.email_verification_required;
        await route.fulfill({ response: answer, json });
      });
      await page.goto(`${site.url}/profile/sessions`);
      await page.getByText('Verify your e-mail address first').waitFor();
      await page.unroute('**/api/v1/auth/session');
      await page.getByRole('link', { name: 'Verify your address' }).click();
      await heading(page, 'Verify your e-mail address');
    });
  });

  it('shows an invitation as pending until the address is verified', async () => {
    const owner = await createUser(site.api);
    await verify(owner.email);
    const body = { name: 'Acme', slug: `acme-${Date.now()}` };
    must(await site.api.post('/orgs', { cookie: owner.cookie, body }));
    const page = await site.visit({ cookie: owner.cookie });
    await page.goto(site.orgUrl(body.slug, '/members'));
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite a member' });
    await dialog.getByLabel('E-mail').fill('invited@example.com');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('invited@example.com was invited with the role “Member”.').waitFor();
    await dialog.getByText('They get access when they verify the address.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: 'invited@example.com' });
    await row.getByText('Pending', { exact: true }).waitFor();
    await page.getByText('They have no access until they do.').waitFor();
    await expectAccessible(page);
  });
});
