import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { addMember, createOrg, must, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

describePages('settings of projects and due dates', (site) => {
  let org: TestOrg;

  beforeEach(async () => {
    org = await createOrg(site.api);
  });

  const join = async (role: string) => (await addMember(site.api, org, role)).cookie;

  async function open(path: string, cookie = org.owner.cookie): Promise<Page> {
    const page = await site.open(org, path, { cookie });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const region = (page: Page, name: string) => page.getByRole('region', { name });
  const project = async () => must(await site.api.get('/projects/web-shop', org.asOwner));
  const dueDates = async (path: string) => must(await site.api.get(`${path}/due-dates`, org.asOwner));

  it('saves the name of a project, and when its missing findings are closed', async () => {
    const page = await open('/projects/web-shop');
    await page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Project settings' }).waitFor();
    const name = region(page, 'Name');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.isDisabled()).toBe(true);
    await name.getByLabel('Name').fill(' ');
    await save.click();
    await name.getByText('Enter a name').waitFor();
    await name.getByLabel('Name').fill(' <b>Shop</b> ');
    await save.click();
    await page.getByText('The name is saved.').waitFor();
    expect(await name.getByLabel('Name').inputValue()).toBe('<b>Shop</b>');
    expect(await save.isDisabled()).toBe(true);

    const closing = region(page, 'Close missing findings');
    await closing.getByRole('combobox').click();
    await page.getByRole('option', { name: 'After 3 scans in a row' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The setting is saved.').waitFor();
    expect(await project()).toMatchObject({ name: '<b>Shop</b>', slug: 'web-shop', close_after_scans: 3 });
    await expectAccessible(page);
    await page.getByRole('link', { name: '<b>Shop</b>' }).click();
    await page.getByRole('heading', { level: 1, name: '<b>Shop</b>' }).waitFor();
  });

  it('saves sections together, asks before unsaved values are lost, and covers no field with a toast', async () => {
    const page = await open('/projects/web-shop/settings');
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Due dates' }).click();
    await page.waitForURL(/#section-due-dates$/);
    await region(page, 'Name').getByLabel('Name').fill('Shop');
    await region(page, 'Branches').getByLabel('Default branch').fill('main');
    await page.getByText('Not saved yet: Name and Branches').waitFor();
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByText('Your changes are lost: Name and Branches.').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Stay on this page' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await region(page, 'Name').getByLabel('Name').inputValue()).toBe('Shop');

    const style = 'position: fixed; right: 10px; bottom: 10px; width: 400px; height: 200px';
    await page.evaluate(`document.body.append(Object.assign(document.createElement('textarea'),
      { ariaLabel: 'Corner', style: '${style}' }))`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const toast = page.getByRole('alert').filter({ hasText: 'The branches are saved.' });
    await toast.waitFor();
    expect(await project()).toMatchObject({ name: 'Shop', default_ref: 'main' });
    const corner = await page.getByLabel('Corner').boundingBox();
    const isFree = async () => {
      const box = await toast.boundingBox();
      if (!box || !corner) return false;
      return box.y + box.height <= corner.y || box.x + box.width <= corner.x;
    };
    await expect.poll(isFree).toBe(true);

    await region(page, 'Name').getByLabel('Name').fill('Lost');
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect((await project()).name).toBe('Shop');
  });

  it('shows the link that a repository or a template makes, and the errors of both', async () => {
    const page = await open('/projects/web-shop/settings');
    const links = region(page, 'Links to the code');
    const field = links.getByLabel('Repository');
    await field.fill('javascript:alert(1)//{path}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await links.getByText('Must begin with https:// or http://').waitFor();
    expect(await links.getByRole('link').count()).toBe(0);
    await field.fill('https://git.example.com/web/blob/{commit}/{path}#L{line}');
    const example = links.getByRole('link', {
      name: /^https:\/\/git\.example\.com\/web\/blob\/4f2a\w+\/src\/app\.ts#L42$/,
    });
    await example.waitFor();
    expect(await example.getAttribute('rel')).toBe('noopener noreferrer');

    // An older service, or one that knows other rules.
    await intercept(page, '**/api/v1/projects/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const details = [{ field: 'source_url', message: 'must be somewhere else' }];
      const errors = [
        { type: 'validation_error', code: 'field_invalid', ref: 'E50004', message: 'Invalid', details },
      ];
      await route.fulfill({ status: 400, json: { success: false, errors } });
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await links.getByText('Must be somewhere else').waitFor();
    await page.unroute('**/api/v1/projects/*');
    await field.fill(' https://github.com/acme/web-shop.git ');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The links are saved.').waitFor();
    expect((await project()).source_url).toBe('https://github.com/acme/web-shop.git');
    await field.fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(async () => 'source_url' in (await project())).toBe(false);
  });

  it('sets due dates for the organization, and others for a project', async () => {
    const page = await open('/settings');
    const ofOrg = region(page, 'Due dates');
    await ofOrg.getByText('Existing findings keep their due dates').waitFor();
    await ofOrg.getByLabel('Critical').fill('0');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await ofOrg.getByText('Enter a whole number from 1 to 3,650').waitFor();
    await ofOrg.getByLabel('Critical').fill('7');
    await ofOrg.getByLabel('High').fill('30');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The due dates are saved.').waitFor();
    const none = { critical: null, high: null, medium: null, low: null, info: null };
    expect(await dueDates('/settings')).toEqual({ ...none, critical: 7, high: 30 });
    await expectAccessible(page);

    await page.goto(site.orgUrl(org.slug, '/projects/web-shop/settings'));
    const own = region(page, 'Due dates');
    const choice = (name: string) => own.getByRole('combobox', { name: `${name}: due date` });
    await expect.poll(() => choice('Critical').inputValue()).toBe('Organization: 7 days');
    await choice('Critical').click();
    await page.getByRole('option', { name: 'Own days' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await own.getByText('Enter a whole number from 1 to 3,650').waitFor();
    await own.getByLabel('Critical: days').fill('3');
    await choice('High').click();
    await page.getByRole('option', { name: 'No due date', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The due dates are saved.').waitFor();
    expect(await dueDates(`/projects/${org.projectId}`)).toEqual({ ...none, critical: 3, high: 0 });
    await expectAccessible(page);
    await page.reload();
    await expect.poll(() => own.getByLabel('Critical: days').inputValue()).toBe('3 days');
  });

  it('is for admins: others see no entry and cannot save', async () => {
    must(await site.api.put('/settings/due-dates', { ...org.asOwner, body: { critical: 1 } }));
    for (const role of ['member', 'viewer']) {
      const page = await open('/projects/web-shop', await join(role));
      const main = page.getByRole('main');
      await main.getByRole('link', { name: 'Findings', exact: true }).waitFor();
      expect(await main.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0);
      await page.goto(site.orgUrl(org.slug, '/projects/web-shop/settings'));
      await page.getByText('Only owners and admins can change the settings of a project.').waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
      await page.goto(site.orgUrl(org.slug, '/settings'));
      await region(page, 'Due dates').getByText('Critical: 1 day').waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    }
    const admin = await open('/projects/web-shop/settings', await join('admin'));
    await admin.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await admin.goto(site.orgUrl(org.slug, '/projects/unknown/settings'));
    await admin.getByRole('heading', { level: 1, name: 'Project not found' }).waitFor();
    // The former address of the settings.
    await admin.goto(site.orgUrl(org.slug, '/features'));
    await admin.waitForURL(site.orgUrl(org.slug, '/settings'));
  });
});
