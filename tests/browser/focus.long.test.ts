import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

describePages('the focus', (site) => {
  let org: TestOrg;
  let page: Page;

  beforeEach(async () => {
    org = await createOrg(site.api);
    page = await site.visit({ cookie: org.owner.cookie });
  });

  const button = (name: string) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  /** Presses a button by key, as users without a pointer do. */
  const use = async (name: string) => {
    await button(name).focus();
    await page.keyboard.press('Enter');
  };
  const leave = async () => {
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  };
  const focused = () =>
    page.evaluate<string>(
      "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
    );
  const hasFocus = (text: string) => expect.poll(focused).toContain(text);

  it('moves to the first field with an error, also below the bar that saves', async () => {
    await page.goto(site.orgUrl(org.slug, '/rules/new'));
    await page.getByRole('textbox', { name: 'Name' }).fill('Tests');
    await button('Create rule').click();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("data-path")')).toBe('title');

    await page.goto(site.orgUrl(org.slug, '/settings'));
    await page.getByRole('textbox', { name: 'Name' }).fill('');
    await button('Delete organization…').focus();
    const covered = `document.activeElement.getBoundingClientRect().bottom >
      document.querySelector('[data-bottom-bar]').getBoundingClientRect().top`;
    expect(await page.evaluate(covered)).toBe(false);
    await button('Save').click();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("data-path")')).toBe('name');
  });

  it('returns from dialogs of the list, also from those that a menu opens', async () => {
    const scan = await createScan(site.api, org);
    for (const title of ['First', 'Second']) await push(site.api, org, scan, { title });
    const body = { name: 'Mine', query: 'severity=high', shared: false };
    must(await site.api.post('/views', { ...org.asOwner, body }));
    await page.goto(site.orgUrl(org.slug, '/findings?sort=-created_at'));
    await page.getByRole('row').filter({ hasText: 'Second' }).waitFor();
    // The first time, the code of the dialog is loaded.
    for (const _ of [1, 2]) {
      await use('Keyboard shortcuts');
      await leave();
      await hasFocus('Keyboard shortcuts');
      await use('Saved views');
      await page.getByRole('menuitem', { name: 'Save view…' }).click();
      await leave();
      await hasFocus('Saved views');
    }
    await page.keyboard.press('j');
    await hasFocus('Second');
    await page.keyboard.press('e');
    await leave();
    await hasFocus('Second');

    await use('Saved views');
    await page.getByRole('menuitem', { name: 'Manage views…' }).click();
    await use('Actions for Mine');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.keyboard.press('Escape');
    await hasFocus('Actions for Mine');
    await use('Actions for Mine');
    await page.getByRole('menuitem', { name: 'Share with all members' }).click();
    await page.getByText('All members see “Mine” now.').waitFor();
    await hasFocus('Actions for Mine');
  });

  it('stays on a button while its request is in progress', async () => {
    let requests = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/api/v1/orgs/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      requests++;
      await released;
      await route.continue();
    });
    await page.goto(site.orgUrl(org.slug, '/settings'));
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Another name');
    const save = page.getByRole('button', { name: 'Save' }).first();
    await save.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
    await hasFocus('Save');
    // A second press and Enter in the field send nothing.
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name', exact: true }).press('Enter');
    await save.focus();
    release();
    await page.getByText('The name is saved.').waitFor();
    expect(requests).toBe(1);
  });

  it('stays on the buttons of a finding', async () => {
    const scan = await createScan(site.api, org);
    const { id } = await push(site.api, org, scan, { title: 'Weak hash' });
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await use('Edit or add a note…');
    await leave();
    await hasFocus('Edit or add a note…');
    await use('Assign to me');
    await hasFocus('Unassign me');
    await page.keyboard.press('Enter');
    await hasFocus('Assign to me');
    await expect
      .poll(async () => must(await site.api.get(`/findings/${id}`, org.asOwner)).assignee_id)
      .toBeUndefined();

    await page.getByRole('textbox', { name: 'Comment' }).fill('Seen');
    await page.keyboard.press('Control+Enter');
    await use('Edit comment');
    await page.keyboard.press('Escape');
    await hasFocus('Edit comment');
    await use('Delete comment');
    await leave();
    await hasFocus('Delete comment');
  });

  it('stays on the switch and the menu of a rule', async () => {
    const body = { name: 'Mine', conditions: { severity: ['high'] }, actions: { due_days: 30 } };
    must(await site.api.post('/rules', { ...org.asOwner, body }));
    await page.goto(site.orgUrl(org.slug, '/rules'));
    await page.getByRole('switch', { name: 'Enable Mine' }).press('Space');
    await expect
      .poll(async () => must(await site.api.get('/rules', org.asOwner)).rules[0].enabled)
      .toBe(false);
    await hasFocus('Enable Mine');
    await use('Actions for Mine');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await leave();
    await hasFocus('Actions for Mine');
  });
});
