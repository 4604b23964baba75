import type { Page } from 'playwright-core';
import { beforeEach, expect, it, vi } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('deletion', (site) => {
  let org: TestOrg;
  let scan: string;

  beforeEach(async () => {
    org = await createOrg(site.api);
    scan = await createScan(site.api, org);
  });

  const open = (path: string, cookie = org.owner.cookie) => site.open(org, path, { cookie });
  async function choose(page: Page, item: string): Promise<void> {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('of a finding is confirmed, leads to the list, and leaves a clear page at its address', async () => {
    const { id } = await push(site.api, org, scan, { title: 'Weak hash' });
    await push(site.api, org, scan, { title: 'Weak cipher' });
    const page = await open(`/findings/${id}`);
    await choose(page, 'Delete finding…');
    await page.getByRole('dialog', { name: 'Delete this finding?' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await site.api.get(`/findings/${id}`, org.asOwner)).status).toBe(200);

    await choose(page, 'Delete finding…');
    await page.getByRole('button', { name: 'Delete finding' }).click();
    await page.getByText('The finding was deleted.').waitFor();
    await heading(page, 'Findings');
    await page.getByText('Weak cipher').first().waitFor();
    expect(await page.getByText('Weak hash').count()).toBe(0);
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await heading(page, 'Finding not found');
  });

  it('of a scan is offered when it has ended', async () => {
    await push(site.api, org, scan);
    const page = await open(`/scans/${scan}`);
    await page.getByRole('heading', { level: 2, name: 'Findings' }).waitFor();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    must(await site.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status: 'failed' } }));
    await page.reload();
    await choose(page, 'Delete scan…');
    await page.getByRole('button', { name: 'Delete scan' }).click();
    await page.getByText(/^“Full audit, .+” was deleted\.$/).waitFor();
    await heading(page, 'Scans');
    await page.goto(site.orgUrl(org.slug, `/scans/${scan}`));
    await heading(page, 'Scan not found');
  });

  it('of a scan with the findings that only it reported is undone by the toast', async () => {
    await push(site.api, org, scan, { fingerprint: 'shared', title: 'Weak cipher' });
    const wrong = await createScan(site.api, org);
    await push(site.api, org, wrong, { fingerprint: 'shared', title: 'Weak cipher' });
    await push(site.api, org, wrong, { title: 'Weak hash' });
    must(await site.api.patch(`/agent/scans/${wrong}`, { ...org.asAgent, body: { status: 'completed' } }));
    const page = await open(`/scans/${wrong}`);
    await choose(page, 'Delete scan…');
    const dialog = page.getByRole('dialog', { name: 'Delete this scan?' });
    await dialog.getByRole('checkbox', { name: 'With the 1 finding that only this scan reported' }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete scan' }).click();
    await page.getByText(/^“Full audit, .+” and 1 finding were deleted\.$/).waitFor();
    await heading(page, 'Scans');
    const titles = async () =>
      must(await site.api.get('/findings', org.asOwner)).map(({ title }: { title: string }) => title);
    expect(await titles()).toEqual(['Weak cipher']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 finding was restored.').waitFor();
    expect((await titles()).toSorted()).toEqual(['Weak cipher', 'Weak hash']);
    await page.locator('main').getByRole('link').nth(1).waitFor();
    expect((await site.api.get(`/scans/${wrong}`, org.asOwner)).status).toBe(200);
  });

  it('of selected findings is listed for 30 days, where it is undone or made final', async () => {
    for (const title of ['Weak hash', 'Weak cipher']) await push(site.api, org, scan, { title });
    const page = await open('/findings?attention=true');
    await page.getByText('Weak cipher').first().waitFor();
    const remove = async () => {
      await page
        .getByRole('checkbox', { name: /Select/ })
        .first()
        .click();
      const bar = page.getByRole('region', { name: 'Selected findings' });
      await bar.getByRole('button', { name: 'Delete…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete findings' }).click();
      await page.getByText(/findings? (was|were) deleted/).waitFor();
    };
    await remove();
    await page.goto(site.orgUrl(org.slug, '/scans'));
    await page.getByRole('link', { name: 'Recently deleted' }).click();
    await heading(page, 'Recently deleted');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Undo the deletion of/ }).click();
    await page.getByText('Undone', { exact: true }).waitFor();
    expect(must(await site.api.get('/findings', org.asOwner))).toHaveLength(2);

    await page.goto(site.orgUrl(org.slug, '/findings?attention=true'));
    await remove();
    await page.goto(site.orgUrl(org.slug, '/deletions'));
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete for good…' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await vi.waitFor(async () =>
      expect(must(await site.api.get('/deletions', org.asOwner))).toMatchObject([{ state: 'restored' }]),
    );
  });

  it('of a project needs its slug, and a change of the slug keeps the page', async () => {
    const page = await open('/projects/web-shop/settings');
    await page.getByRole('textbox', { name: 'Slug' }).fill('shop');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The slug is saved.').waitFor();
    await page.waitForURL(/\/projects\/shop\/settings/);
    await page.getByRole('button', { name: 'Delete project…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Web shop”?' });
    const confirm = dialog.getByRole('button', { name: 'Delete project' });
    await dialog.getByRole('textbox', { name: 'Type shop to confirm' }).fill('web-shop');
    expect(await confirm.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByRole('textbox', { name: 'Type shop to confirm' }).fill('shop');
    await confirm.click();
    await page.getByText('The project was deleted.').waitFor();
    await heading(page, 'Projects');
    expect(must(await site.api.get('/projects', org.asOwner))).toEqual([]);
    await page.goto(site.orgUrl(org.slug, '/projects/shop'));
    await heading(page, 'Project not found');
  });

  it('is for admins', async () => {
    const { id } = await push(site.api, org, scan);
    const { cookie } = await addMember(site.api, org, 'member');
    const page = await open(`/findings/${id}`, cookie);
    await page.getByRole('heading', { level: 1, name: 'SQL injection in search' }).waitFor();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  });
});
