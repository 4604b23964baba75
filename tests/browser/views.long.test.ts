import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import {
  addMember,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { inEachScheme } from './support/look.ts';
import { describePages } from './support/site.ts';

describePages('saved views of the list of findings', (site) => {
  let org: TestOrg;
  let member: TestUser;
  let viewer: TestUser;

  beforeAll(async () => {
    org = await createOrg(site.api);
    const scan = await createScan(site.api, org);
    for (const severity of ['critical', 'high', 'low'])
      await push(site.api, org, scan, { severity, title: severity });
    member = await addMember(site.api, org, 'member', 'Grace Hopper');
    viewer = await addMember(site.api, org, 'viewer', 'Vera Viewer');
  });

  beforeEach(async () => {
    for (const who of [org.owner, member, viewer])
      for (const { id, owner_id } of await views(who))
        if (owner_id === who.id) await site.api.delete(`/views/${id}`, asUser(who));
  });

  const asUser = ({ cookie }: { cookie: string }) => ({ cookie, org: org.slug });
  const views = async (who: { cookie: string }) => must(await site.api.get('/views', asUser(who)));
  const save = async (who: { cookie: string }, name: string, query: string, shared = false) =>
    must(await site.api.post('/views', { ...asUser(who), body: { name, query, shared } }));

  async function open(search = '', who: { cookie: string } = org.owner, width = 1280): Promise<Page> {
    const page = await site.visit({ cookie: who.cookie });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${site.orgUrl(org.slug)}/findings${search}`);
    await page.getByRole('status').filter({ hasText: 'finding' }).waitFor();
    return page;
  }
  const tabs = (page: Page) => page.getByRole('navigation', { name: 'Views' });
  const tab = (page: Page, name: RegExp) => tabs(page).getByRole('link', { name });
  const current = (page: Page) => tabs(page).locator('[aria-current=page]').innerText();
  const menu = async (page: Page, name: string | RegExp) => {
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  const act = async (page: Page, view: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${view}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const manager = (page: Page) => page.getByRole('dialog', { name: 'Saved views' });

  it('saves filters, order and grouping with keys alone, and shows them again', async () => {
    const page = await open('?severity=critical,high&sort=-cvss_score');
    await page.keyboard.press('v');
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    await dialog.getByText('All · Severity: Critical, High · Order: highest CVSS first').waitFor();
    await expectAccessible(page);
    await page.keyboard.type('Urgent');
    await page.keyboard.press('Enter');
    await page.getByText('View “Urgent” was saved.').waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(await views(org.owner)).toMatchObject([
      { name: 'Urgent', query: 'severity=critical,high&sort=-cvss_score', shared: false },
    ]);
    await expect.poll(() => current(page)).toMatch(/^Urgent\s*2$/);

    await tab(page, /^All/).click();
    await expect.poll(() => current(page)).toMatch(/^All/);
    await page.getByLabel('Group findings').selectOption('project');
    await page.getByText('in 1 group').waitFor();
    await page.keyboard.press('Escape');
    await menu(page, 'Save view…');
    await dialog.getByText('Grouped by project').waitFor();
    await dialog.getByLabel('Name').fill('By project');
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await expect.poll(() => current(page)).toMatch(/^By project/);

    await tab(page, /^Urgent/).click();
    await page.getByRole('grid').waitFor();
    expect(new URL(page.url()).search).toBe('?severity=critical,high&sort=-cvss_score');
    await page.goBack();
    await page.getByText('in 1 group').waitFor();
    expect(new URL(page.url()).searchParams.get('group_by')).toBe('project');
  });

  it('shares a view, which members open and admins change, until it is deleted', async () => {
    await save(member, 'Private of Grace', 'status=fixed');
    await save(member, 'Low ones', 'severity=low&sort=-created_at');
    const page = await open('?severity=low&sort=-created_at', member);
    await menu(page, 'Manage views…');
    await act(page, 'Low ones', 'Share with all members');
    await page.getByText('All members see “Low ones” now.').waitFor();
    await expectAccessible(page);

    const theirs = await open('', viewer);
    await tab(theirs, /^Low ones/).click();
    await theirs.getByText('1 finding', { exact: true }).waitFor();
    expect(await tab(theirs, /Private of Grace/).count()).toBe(0);
    await menu(theirs, 'Manage views…');
    await manager(theirs).getByText('by Grace Hopper').waitFor();
    expect(
      await manager(theirs)
        .getByRole('button', { name: /Actions/ })
        .count(),
    ).toBe(0);

    // The owner of the organization changes what Grace has shared.
    const owners = await open('?severity=critical&sort=-priority');
    await menu(owners, 'Manage views…');
    await act(owners, 'Low ones', 'Rename');
    await owners.keyboard.press('Control+A');
    await owners.keyboard.type('Critical ones');
    await owners.keyboard.press('Enter');
    await manager(owners).getByRole('link', { name: 'Critical ones' }).waitFor();
    await act(owners, 'Critical ones', 'Replace with the current list');
    await owners.getByText('“Critical ones” shows the current list now.').waitFor();
    expect(await views(viewer)).toMatchObject([
      { name: 'Critical ones', query: 'severity=critical&sort=-priority', shared: true },
    ]);
    await act(owners, 'Critical ones', 'Delete');
    await owners
      .getByRole('dialog', { name: /Delete the view/ })
      .getByText('All members lose it')
      .waitFor();
    await owners.getByRole('button', { name: 'Delete view' }).click();
    await owners.getByText('View “Critical ones” was deleted.').waitFor();
    expect((await views(member)).map(({ name }: { name: string }) => name)).toEqual(['Private of Grace']);
    await manager(owners).getByText('No saved views').waitFor();
  });

  it('lets viewers save views for themselves only', async () => {
    const page = await open('?severity=high', viewer);
    await menu(page, 'Save view…');
    await page.getByText('Viewers cannot share views. Only you see this view.').waitFor();
    expect(await page.getByRole('switch', { name: /Share with all members/ }).isDisabled()).toBe(true);
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByText('View “Mine” was saved.').waitFor();
    await menu(page, 'Manage views…');
    await page.getByRole('button', { name: 'Actions for Mine' }).click();
    expect(await page.getByRole('menuitem', { name: 'Share with all members' }).count()).toBe(0);
    expect(await views(org.owner)).toEqual([]);
  });

  it('offers members who have become viewers only what they may do with views that they shared', async () => {
    const former = await addMember(site.api, org, 'member', 'Fred Former');
    await save(former, 'Shared once', 'severity=high', true);
    await save(former, 'Still private', 'severity=low');
    must(await site.api.patch(`/members/${former.id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    const page = await open('?severity=critical', former);
    await menu(page, 'Manage views…');
    const offered = async (name: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      const items = await page.getByRole('menuitem').allInnerTexts();
      await page.keyboard.press('Escape');
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor({ state: 'detached' });
      return items;
    };
    expect(await offered('Shared once')).toEqual(['Make private', 'Delete']);
    expect(await offered('Still private')).toEqual(['Rename', 'Replace with the current list', 'Delete']);
    await page.getByRole('button', { name: 'Actions for Shared once' }).click();
    await page.getByRole('menuitem', { name: 'Make private' }).click();
    await page.getByText('Only the owner sees “Shared once” now.').waitFor();
    expect(await offered('Shared once')).toContain('Rename');
  });

  it('shows no number of another tab during a search, because a click on it keeps the search', async () => {
    const page = await open('?sort=-created_at');
    await tab(page, /^All ?3$/).waitFor();
    await page.getByRole('combobox', { name: 'Search or filter findings' }).fill('critical');
    await tab(page, /^All ?1$/).waitFor();
    await tab(page, /^Needs attention$/).click();
    await tab(page, /^Needs attention ?1$/).waitFor();
    await tab(page, /^All$/).waitFor();
    await page.getByRole('button', { name: 'Text: critical' }).click();
    await tab(page, /^All ?3$/).waitFor();
  });

  it('tells why a view cannot be saved, and that somebody has deleted one', async () => {
    const saved = await save(org.owner, 'Short-lived', 'severity=low');
    const page = await open(`?q=${'x'.repeat(150)}&rule=${'é'.repeat(400)}`);
    await page.keyboard.press('v');
    await page.getByRole('dialog', { name: 'Save view' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name').waitFor();
    await page.keyboard.type('Too long');
    await page.keyboard.press('Enter');
    await page.getByText(/at most 2,?000 characters/).waitFor();
    await page.keyboard.press('Escape');
    await menu(page, 'Manage views…');
    must(await site.api.delete(`/views/${saved.id}`, org.asOwner));
    await act(page, 'Short-lived', 'Share with all members');
    await page.getByText('Not found').waitFor();
    await manager(page).getByText('No saved views').waitFor();
  });

  it('shows views of other clients, and fits into 360 px', async () => {
    await save(
      org.owner,
      'An unusually long name of a view, which is longer than a phone is wide',
      'severity=critical&severity=high&format=csv&page=3',
    );
    const page = await open('', org.owner, 360);
    await tab(page, /unusually long/).click();
    await page.getByText('2 findings', { exact: true }).waitFor();
    await expect.poll(() => current(page)).toMatch(/unusually long/);
    expect(new URL(page.url()).search).toBe('?severity=critical,high');
    await inEachScheme(page, async () => {
      await expectAccessible(page);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(360);
    });
    await menu(page, 'Manage views…');
    await manager(page).getByText('Severity: Critical, High').waitFor();
    await expectAccessible(page);
  });
});
