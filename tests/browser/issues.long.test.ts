import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { type FakeGithub, startGithub } from '../support/trackers/github.ts';
import { expectAccessible } from './support/axe.ts';
import { describePagesOf, type Visit } from './support/site.ts';

/* Issue trackers in the settings of an organization, and issues on the page of a finding. */

const env = {
  SVC_OUTBOUND_ALLOW: '127.0.0.0/8',
  SVC_ENCRYPTION_KEY: 'an encryption key for tests of issues',
};

const TOKEN = 'github_pat_of_the_browser_tests';

describePagesOf({ env })('issues', (site) => {
  let org: TestOrg;
  let github: FakeGithub;
  let finding: string;

  beforeEach(async () => {
    org = await createOrg(site.api);
    github = await startGithub(TOKEN, () => new Date());
    const scan = await createScan(site.api, org);
    finding = (await push(site.api, org, scan, { title: 'SQL injection in search', severity: 'high' })).id;
  });

  const openFinding = (visit: Visit = {}) => site.open(org, `/findings/${finding}`, visit);
  const issuesOf = (page: Page) => page.getByRole('region', { name: 'Issues' });
  const inState = (page: Page, state: string) =>
    issuesOf(page).getByRole('status').filter({ hasText: state }).waitFor();
  const create = async (page: Page) => {
    await issuesOf(page).getByRole('button', { name: 'Add issue' }).click();
    await page.getByRole('menuitem', { name: 'Create an issue at Tracker (GitHub)' }).click();
  };
  const addTracker = async () => {
    const body = { kind: 'github', name: 'Tracker', url: github.url, project: 'acme/web-shop', token: TOKEN };
    must(await site.api.post('/integrations', { ...org.asOwner, body }));
  };

  it('are created at a tracker that was added in the settings, and closed with their finding', async () => {
    const page = await site.open(org, '/settings');
    const card = page.getByRole('region', { name: 'Integrations' });
    await card.getByRole('button', { name: 'Add integration' }).click();
    const form = page.getByRole('dialog', { name: 'Add integration' });
    await form.getByLabel('Service').click();
    await page.getByRole('option', { name: 'GitHub' }).click();
    expect(await form.getByLabel('Address').inputValue()).toBe('https://github.com');
    const help = form.getByRole('link', { name: 'How to create a token of GitHub' });
    expect(await help.getAttribute('href')).toMatch(/^https:\/\/docs\.github\.com\//);
    await form.getByLabel('Name').fill('Tracker');
    await form.getByLabel('Address').fill(github.url);
    await form.getByLabel('Repository').fill('acme');
    await form.getByLabel('Token').fill(TOKEN);
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Must be a repository such as acme/web-shop').waitFor();
    await form.getByLabel('Repository').fill('acme/web-shop');
    await form.getByRole('button', { name: 'Save' }).click();
    await card.getByRole('heading', { name: 'Issue trackers' }).waitFor();
    await card.getByText(/^GitHub · http:\/\/127\.0\.0\.1:\d+ · acme\/web-shop$/).waitFor();
    await expectAccessible(page);

    // Without a token, the stored one stays.
    await card.getByRole('button', { name: 'Actions for Tracker' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit integration' });
    expect(await edit.getByLabel('Address').inputValue()).toBe(github.url);
    expect(await edit.getByLabel('Token').inputValue()).toBe('');
    await edit.getByRole('combobox', { name: 'Labels' }).fill('security');
    await page.keyboard.press('Enter');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });

    await card.getByRole('button', { name: 'Actions for Tracker' }).click();
    await page.getByRole('menuitem', { name: 'Test the connection' }).click();
    await card.getByRole('link', { name: 'Deliveries' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Test' });
    await row.getByText('The access is sufficient.').first().waitFor();
    await expectAccessible(page);

    await page.goto(site.orgUrl(org.slug, `/findings/${finding}`));
    await issuesOf(page).getByText('No issue yet.').waitFor();
    await create(page);
    await inState(page, 'Open');
    const link = issuesOf(page).getByRole('link', { name: /^Tracker #1/ });
    expect(await link.getAttribute('href')).toBe(`${github.url}/acme/web-shop/issues/1`);
    expect(github.issues).toMatchObject([{ title: 'SQL injection in search', labels: ['security'] }]);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Fixed' }).click();
    await inState(page, 'Closed');
    await issuesOf(page).getByText('GitHub: closed as completed · Here: Fixed').waitFor();
    expect(github.issues).toMatchObject([{ state: 'closed', state_reason: 'completed' }]);

    await page.goto(site.orgUrl(org.slug, '/settings'));
    await card.getByRole('button', { name: 'Actions for Tracker' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('The issues stay at the tracker').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.getByText('No integrations yet').waitFor();
    expect(github.issues).toHaveLength(1);
  });

  it('say why they were not created, and are tried again, linked and unlinked', async () => {
    await addTracker();
    github.intercept = ({ method }) =>
      method === 'POST' ? { status: 422, body: { message: 'Validation Failed' } } : undefined;
    const page = await openFinding();
    await create(page);
    await inState(page, 'Not created');
    await issuesOf(page)
      .getByText(/Validation Failed/)
      .waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    await expect.poll(width, { message: 'nothing widens the page' }).toBeLessThanOrEqual(360);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    github.intercept = undefined;
    await issuesOf(page).getByRole('button', { name: 'Try again to create Tracker' }).click();
    await inState(page, 'Open');
    await issuesOf(page).getByRole('button', { name: 'Add issue' }).click();
    await page.getByText('This finding has an issue of each tracker').waitFor();
    await page.keyboard.press('Escape');

    const viewer = await addMember(site.api, org, 'viewer');
    const seen = await openFinding({ cookie: viewer.cookie, own: true });
    await inState(seen, 'Open');
    expect(await issuesOf(seen).getByRole('button').count()).toBe(0);

    await issuesOf(page).getByRole('button', { name: 'Unlink Tracker #1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await issuesOf(page).getByText('No issue yet.').waitFor();
    const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-labelledby')");
    await expect.poll(focused).toBe('issues');
    expect(github.issues).toHaveLength(1);

    await issuesOf(page).getByRole('button', { name: 'Add issue' }).click();
    await page.getByRole('menuitem', { name: 'Link an issue of Tracker (GitHub)…' }).click();
    const form = page.getByRole('dialog', { name: 'Link an issue of Tracker' });
    await form.getByLabel('Address of the issue').fill('https://example.com/issues/1');
    await form.getByRole('button', { name: 'Link', exact: true }).click();
    await form.getByText(/^Must be the address of an issue of acme\/web-shop/).waitFor();
    await expectAccessible(page);
    await form.getByLabel('Address of the issue').fill(`${github.url}/acme/web-shop/issues/1`);
    await form.getByRole('button', { name: 'Link', exact: true }).click();
    await inState(page, 'Open');
  });

  it('of resolved findings are created only after a question', async () => {
    await addTracker();
    const body = { status: 'fixed' };
    must(await site.api.patch(`/findings/${finding}`, { ...org.asOwner, body }));
    const page = await openFinding();
    await create(page);
    const question = page.getByRole('dialog', { name: 'Create an issue anyway?' });
    await question.getByText('This finding is resolved.').waitFor();
    expect(github.issues).toEqual([]);
    await question.getByRole('button', { name: 'Create' }).click();
    await inState(page, 'Open');
    expect(github.issues).toHaveLength(1);
  });

  it('need a tracker: admins see where to connect one, members see nothing', async () => {
    const member = await addMember(site.api, org, 'member');
    const seen = await openFinding({ cookie: member.cookie });
    await seen.getByRole('region', { name: 'Triage' }).waitFor();
    expect(await issuesOf(seen).count()).toBe(0);

    const page = await openFinding();
    await issuesOf(page).getByText('No issue tracker is connected to this project.').waitFor();
    await issuesOf(page).getByRole('link', { name: 'Connect an issue tracker' }).click();
    const card = page.getByRole('region', { name: 'Integrations' });
    await card.getByText('No integrations yet').waitFor();
  });
});
