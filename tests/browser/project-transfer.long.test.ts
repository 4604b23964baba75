import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

describePages('the transfer of a project', (site) => {
  let org: TestOrg;
  let labs: { slug: string; asOwner: { cookie: string; org: string } };

  beforeEach(async () => {
    org = await createOrg(site.api);
    const slug = `${org.slug}-labs`;
    const { cookie } = org.owner;
    must(await site.api.post('/orgs', { cookie, body: { name: 'Acme Labs', slug } }));
    labs = { slug, asOwner: { cookie, org: slug } };
  });

  async function open(cookie = org.owner.cookie): Promise<Page> {
    const page = await site.open(org, '/projects/web-shop/settings', { cookie });
    await page.getByRole('heading', { level: 2, name: 'Close missing findings' }).waitFor();
    return page;
  }
  const card = (page: Page) => page.getByRole('region', { name: 'Transfer project' });

  it('asks where to and for the slug, and leads to the other organization', async () => {
    await push(site.api, org, await createScan(site.api, org));
    const page = await open();
    await card(page).getByRole('button', { name: 'Transfer project…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer “Web shop”?' });
    await dialog.getByText('Its API tokens are revoked. Agents need new tokens.').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Transfer project' });
    await dialog.getByRole('textbox', { name: 'Type web-shop to confirm' }).fill('web-shop');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Organization' }).click();
    await page.getByRole('option', { name: `Acme Labs (${labs.slug})` }).click();
    await expectAccessible(page);

    must(await site.api.post('/projects', { ...labs.asOwner, body: { name: 'Web shop' } }));
    await confirm.click();
    await dialog.getByText('The other organization has a project with this slug').waitFor();
    await dialog.getByRole('textbox', { name: 'Slug there' }).fill('old-shop');
    await confirm.click();
    await page.getByRole('heading', { level: 1, name: 'Project transferred' }).waitFor();
    await page.getByText('The project is in “Acme Labs” now.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Open project' }).click();
    await page.waitForURL(site.orgUrl(labs.slug, '/projects/old-shop'));
    await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
  });

  it('of a large project shows its progress, and is cancelled', async () => {
    const body = JSON.stringify({
      findings: Array.from({ length: 1_100 }, (_, i) => ({ title: `Weak cipher ${i}`, severity: 'low' })),
    });
    must(await site.api.post(`/projects/${org.projectId}/reports`, { ...org.asOwner, body }));
    const page = await open();
    const state = {
      ...{ project_id: org.projectId, slug: 'web-shop', state: 'moving', findings: 12_000, copied: 4_500 },
      ...{ organization: { slug: labs.slug, name: 'Acme Labs' }, started_at: '2026-01-01T00:00:00.000Z' },
    };
    let isCancelled = false;
    await intercept(page, '**/api/v1/projects/web-shop', async (route) => {
      const response = await route.fetch();
      const { result, ...rest } = await response.json();
      const transferring = isCancelled ? {} : { transferring: true };
      await route.fulfill({ response, json: { ...rest, result: { ...result, ...transferring } } });
    });
    await intercept(page, '**/api/v1/projects/*/transfer', async (route) => {
      if (route.request().method() === 'DELETE') {
        isCancelled = true;
        return await route.fulfill({ status: 204 });
      }
      const errors = [{ type: 'resource_error', code: 'not_found', ref: 'E40001', message: 'Not found.' }];
      return await (isCancelled
        ? route.fulfill({ status: 404, json: { success: false, errors } })
        : route.fulfill({ json: { success: true, result: state } }));
    });
    await page.reload();
    await card(page).getByText('4,500 of 12,000 findings copied.').waitFor();
    await expectAccessible(page);
    await card(page).getByRole('button', { name: 'Cancel transfer' }).click();
    await page.getByText('The transfer is cancelled. The project stays here.').waitFor();
    await card(page).getByRole('button', { name: 'Transfer project…' }).waitFor();

    await page.unrouteAll();
    await card(page).getByRole('button', { name: 'Transfer project…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Transfer “Web shop”?' });
    await dialog.getByRole('textbox', { name: 'Type web-shop to confirm' }).fill('web-shop');
    await dialog.getByRole('combobox', { name: 'Organization' }).click();
    await page.getByRole('option', { name: `Acme Labs (${labs.slug})` }).click();
    await dialog.getByRole('button', { name: 'Transfer project' }).click();
    // The task of the server moves it.
    await page.getByRole('heading', { level: 1, name: 'Project transferred' }).waitFor({ timeout: 60_000 });
    expect((await site.api.get('/projects/web-shop', labs.asOwner)).status).toBe(200);
  });

  it('is for owners, to organizations that they own', async () => {
    const { id, cookie, email } = await addMember(site.api, org, 'admin');
    const page = await open(cookie);
    expect(await card(page).count()).toBe(0);
    must(await site.api.patch(`/members/${id}`, { ...org.asOwner, body: { role: 'owner' } }));
    await page.reload();
    const slug = `own-${org.slug}`;
    must(await site.api.post('/orgs', { cookie, body: { name: 'Own', slug } }));
    must(await site.api.post('/members/invite', { ...labs.asOwner, body: { email, role: 'viewer' } }));
    await page.reload();
    await card(page).getByRole('button', { name: 'Transfer project…' }).click();
    await page.getByRole('combobox', { name: 'Organization' }).click();
    await page.getByRole('option', { name: `Own (${slug})` }).waitFor();
    expect(await page.getByRole('option', { name: 'Acme Labs' }).count()).toBe(0);
    expect(await page.getByRole('option', { name: `(${org.slug})` }).count()).toBe(0);
  });
});
