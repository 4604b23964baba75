import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addMember, createOrg, must, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { heading } from './support/login.ts';
import { describePages } from './support/site.ts';

describePages('the page of the audit log', (site) => {
  let org: TestOrg;
  beforeAll(async () => {
    org = await createOrg(site.api);
    const body = { name: 'Ledger' };
    must(await site.api.post('/projects', { ...org.asOwner, body }));
    must(await site.api.patch('/projects/ledger', { ...org.asOwner, body: { name: 'Accounts' } }));
  });

  /** A text in the row of an action. Each entry also has the content of narrow screens, or of wide ones. */
  const inRow = (page: Page, action: string, text: string) =>
    page.getByRole('row').filter({ hasText: action, visible: true }).getByText(text, { exact: true });

  it('names actions and changes in words, on wide and narrow screens', async () => {
    const page = await site.open(org, '/audit');
    await heading(page, 'Audit log');
    await inRow(page, 'Project changed', 'name: Ledger → Accounts').filter({ visible: true }).waitFor();
    await inRow(page, 'Project created', 'name: Ledger').filter({ visible: true }).waitFor();
    await page.setViewportSize({ width: 360, height: 780 });
    await inRow(page, 'Project changed', 'name: Ledger → Accounts').filter({ visible: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });

  it('filters by action, and says why a page is empty', async () => {
    const page = await site.open(org, '/audit?page=7');
    await page.getByText('This page of the audit log has no entries').waitFor();
    await page.getByRole('link', { name: 'Show the whole audit log' }).click();
    await page.getByRole('combobox', { name: 'Action' }).fill('project changed');
    await page.getByRole('option', { name: 'Project changed', exact: true }).click();
    await page.waitForURL(/action=project\.changed/);
    await page.getByText('1 entry').waitFor();
    await page.getByLabel('First day').fill('2099-01-01');
    await page.getByText('No entry matches these filters').waitFor();
    await page.goto(site.orgUrl(org.slug, '/audit?action=unknown'));
    await page.getByText('The request is invalid.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('is found in the search of pages, by those who may see it', async () => {
    const member = await addMember(site.api, org, 'member');
    for (const [cookie, found] of [
      [org.owner.cookie, 1],
      [member.cookie, 0],
    ] as const) {
      const page = await site.open(org, '/rules', { cookie });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('audit');
      await page.getByRole('option', { name: 'Search findings for' }).waitFor();
      expect(await page.getByRole('option', { name: 'Audit log' }).count()).toBe(found);
    }
  });
});
