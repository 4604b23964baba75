import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

describePages('the queue of findings', (site) => {
  let org: TestOrg;

  beforeAll(async () => {
    org = await createOrg(site.api);
    const scan = await createScan(site.api, org);
    const one = (title: string, severity: string) =>
      push(site.api, org, scan, { title, severity, fingerprint: title });
    await one('Low and open', 'low');
    const settled = await one('Settled', 'critical');
    const fixed = await one('Fixed', 'high');
    const back = await one('Back again', 'medium');
    await one('Critical and open', 'critical');
    await setStatus(settled.id, 'false_positive');
    for (const { id } of [fixed, back]) await setStatus(id, 'fixed');
    await one('Back again', 'medium');
  });

  const open = (search = '', of = org) => site.open(of, `/findings${search}`);
  const grid = (page: Page) => page.getByRole('grid', { name: 'Findings' });
  const row = (page: Page, name: string | RegExp) => grid(page).getByRole('row', { name });
  const titles = (page: Page) => grid(page).getByRole('link').allInnerTexts();
  const searchOf = (page: Page) => new URL(page.url()).search;
  const setStatus = async (id: string, status: string, of = org) =>
    must(await site.api.patch(`/findings/${id}`, { ...of.asOwner, body: { status } }));

  it('shows regressed findings first, and what is settled only in other views', async () => {
    const page = await open();
    await row(page, /Back again/).waitFor();
    expect(searchOf(page)).toBe('?attention=true&sort=-priority');
    expect(await titles(page)).toEqual(['Back again', 'Critical and open', 'Low and open']);
    await row(page, /Back again/)
      .getByRole('button', { name: 'Status: Regressed, was fixed. Change' })
      .waitFor();
    await row(page, /Back again/)
      .getByText('Regressed')
      .waitFor();

    const views = page.getByRole('navigation', { name: 'Views' });
    const texts = () => views.getByRole('link').allInnerTexts();
    await expect
      .poll(async () => (await texts()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual([
        ...['Needs attention 3', 'Regressed 1', 'Assigned to me 0', 'Mentions me 0', 'Overdue 0'],
        ...['To verify 1', 'All 5'],
      ]);
    expect(await views.locator('[aria-current=page]').innerText()).toMatch(/^Needs attention/);
    await expectAccessible(page);

    await views.getByRole('link', { name: 'Regressed' }).click();
    await page.waitForURL('**/findings?regressed=true&sort=-priority');
    await expect.poll(() => titles(page)).toEqual(['Back again']);
    await views.getByRole('link', { name: 'To verify' }).click();
    await expect.poll(() => titles(page)).toEqual(['Fixed']);
    await views.getByRole('link', { name: 'All' }).click();
    await page.waitForURL('**/findings?sort=-created_at');
    await row(page, /Settled/).waitFor();
    await page.goBack();
    await expect.poll(() => titles(page)).toEqual(['Fixed']);

    // The address of the default view is not a step back.
    await page.goto(site.orgUrl(org.slug, '/scans'));
    await page.getByRole('link', { name: 'Findings' }).click();
    await row(page, /Back again/).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Scans' }).waitFor();
  });

  it('understands the addresses of earlier versions', async () => {
    const page = await open('?status=open,confirmed');
    await row(page, /Low and open/).waitFor();
    expect(await titles(page)).toEqual(['Critical and open', 'Low and open']);
    expect(searchOf(page)).toBe('?status=open,confirmed');
    await page.goto(site.orgUrl(org.slug, '/findings?severity=critical'));
    await row(page, /Settled/).waitFor();
    await page.getByRole('button', { name: /Severity: Critical/ }).click();
    await row(page, /Low and open/).waitFor();
    await row(page, /Settled/).waitFor();
    expect(searchOf(page)).toBe('?sort=-created_at');
  });

  it('announces a regression within 10 s of its scan, and moves no row until it is asked to', async () => {
    const mine = await createOrg(site.api);
    const scan = await createScan(site.api, mine);
    const one = (title: string, fields = {}) =>
      push(site.api, mine, scan, { title, fingerprint: title, ...fields });
    await one('Older');
    const shown = await one('Below the pointer');
    const { id } = await one('Comes back', { severity: 'critical' });
    await setStatus(id, 'fixed', mine);
    const page = await open('', mine);
    await row(page, /Older/).hover();
    const before = await titles(page);
    expect(before).toEqual(['Below the pointer', 'Older']);
    // The list has the revision that it starts from.
    await page.waitForResponse(/\/revision$/);

    const later = await createScan(site.api, mine);
    const started = Date.now();
    await push(site.api, mine, later, {
      title: 'Comes back',
      fingerprint: 'Comes back',
      severity: 'critical',
    });
    await push(site.api, mine, later, { title: 'Brand new' });
    await setStatus(shown.id, 'confirmed', mine);
    const news = page.getByRole('button', { name: '1 regressed finding, 1 new finding' });
    await news.waitFor({ timeout: limit(12_000) });
    expect(Date.now() - started).toBeLessThan(limit(10_000));
    expect(await titles(page)).toEqual(before);
    // The changed finding is shown in its place.
    await row(page, /Below the pointer/)
      .getByRole('button', { name: 'Status: Confirmed. Change' })
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press('n');
    await expect.poll(() => titles(page)).toEqual(['Comes back', 'Brand new', 'Below the pointer', 'Older']);
    await news.waitFor({ state: 'hidden' });
    expect(await row(page, /Comes back/).getAttribute('aria-rowindex')).toBe('2');
    const first = row(page, /Comes back/);
    await first.getByText('Regressed').waitFor();
  });

  it('says on the page of a finding that someone else has changed it', async () => {
    const mine = await createOrg(site.api);
    const mei = await addMember(site.api, mine, 'member', 'Mei');
    const { id } = await push(site.api, mine, await createScan(site.api, mine), { title: 'Shared work' });
    const page = await site.visit({ cookie: mine.owner.cookie });
    // Later changes than it has are announced.
    const activity = () => page.waitForResponse(/\/activity\?page=1&per_page=10$/);
    await Promise.all([
      page.waitForResponse(/\/revision$/),
      activity(),
      page.goto(site.orgUrl(mine.slug, `/findings/${id}`)),
    ]);
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
    // A user's own changes are not announced. The page reads the activity again after them.
    await Promise.all([activity(), page.keyboard.press('c')]);
    await page.getByText('Set to Confirmed').waitFor();
    must(await site.api.patch(`/findings/${id}`, { ...mei.as, body: { status: 'fixed' } }));
    const message = page.getByRole('alert').filter({ hasText: 'Mei changed this finding' });
    await message.getByText('Status: Fixed').waitFor({ timeout: limit(12_000) });
    await page.getByRole('button', { name: 'Fixed', pressed: true }).waitFor();
    expect(await page.getByText('Status: Confirmed').count()).toBe(0);
  });

  it('does not poll while the window is hidden, and less often after errors', async () => {
    const page = await site.visit({
      cookie: org.owner.cookie,
      own: true,
      expected: /Failed to load resource/,
    });
    await page.clock.install();
    let polls = 0;
    await intercept(page, '**/api/v1/revision', async (route) => {
      polls++;
      await route.fulfill({ status: 503, json: {} });
    });
    await page.goto(site.orgUrl(org.slug, '/findings'));
    await row(page, /Low and open/).waitFor();
    await expect.poll(() => polls).toBe(1);
    for (let i = 0; i < 60; i++) await page.clock.runFor(1_000);
    // After 15, 30 and 60 seconds instead of every 7.5.
    expect(polls).toBe(3);
    const hide = (hidden: boolean) =>
      page.evaluate(`(() => {
        Object.defineProperty(document, 'visibilityState', { value: ${hidden ? "'hidden'" : "'visible'"}, configurable: true });
        dispatchEvent(new Event('visibilitychange'));
      })()`);
    await hide(true);
    for (let i = 0; i < 120; i++) await page.clock.runFor(1_000);
    expect(polls).toBe(3);
    await hide(false);
    await expect.poll(() => polls).toBe(4);
  });

  it('keeps what was decided while the list was read because of another change', async () => {
    const own = await createOrg(site.api);
    const scan = await createScan(site.api, own);
    const { id } = await push(site.api, own, scan, { title: 'Decided', severity: 'critical' });
    await push(site.api, own, scan, { title: 'Later', severity: 'low' });
    const page = await open('', own);
    await row(page, /Decided/).waitFor();

    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let held = 0;
    let answered = false;
    await intercept(page, '**/api/v1/findings?*', async (route) => {
      if (route.request().method() !== 'GET' || !route.request().url().includes('page=') || held++ > 0)
        return await route.continue();
      const response = await route.fetch();
      await isReleased;
      await route.fulfill({ response });
      answered = true;
    });
    must(await site.api.post(`/findings/${id}/comments`, { ...own.asOwner, body: { body: 'A change.' } }));
    await expect.poll(() => held, { timeout: limit(15_000) }).toBe(1);
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    await page.getByText('Set to Fixed').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Later']);
    release();
    await expect.poll(() => answered).toBe(true);
    // Longer than the page needs to show the response.
    await expect(expect.poll(() => titles(page), { timeout: 1_000 }).toContain('Decided')).rejects.toThrow();
  });

  it('does not overwrite what someone else has decided, unless the user insists', async () => {
    const mine = await createOrg(site.api);
    const scan = await createScan(site.api, mine);
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Third'])
      ids.push((await push(site.api, mine, scan, { title })).id);
    const [, second = ''] = ids;
    const statusOf = async (id: string) => must(await site.api.get(`/findings/${id}`, mine.asOwner)).status;
    const page = await open('', mine);
    await row(page, /Third/).waitFor();
    // Changes from now on are not seen before the next poll.
    await intercept(page, '**/api/v1/revision', (route) => route.fulfill({ status: 304 }));
    await page.getByLabel('Select visible findings').check();
    await setStatus(second, 'wontfix', mine);
    const bar = page.getByRole('region', { name: 'Selected findings' });
    expect((await bar.boundingBox())?.y).toBe((await grid(page).boundingBox())?.y);
    await bar.getByRole('button', { name: 'Set status' }).click();
    await page.getByRole('menuitem', { name: 'Fixed' }).click();
    const conflict = page.getByRole('dialog', { name: 'Someone else has changed this finding' });
    await conflict.getByText('Second').waitFor();
    expect(await statusOf(second)).toBe('wontfix');
    await expectAccessible(page);
    await conflict.getByRole('button', { name: 'Apply my change anyway' }).click();
    await conflict.waitFor({ state: 'hidden' });
    await expect.poll(() => statusOf(second)).toBe('fixed');
  });

  it('has rows of two heights, which the browser remembers', async () => {
    const page = await open('?sort=-created_at');
    const heightOf = async () => (await row(page, /Low and open/).boundingBox())?.height;
    await row(page, /Low and open/).waitFor();
    expect(await heightOf()).toBe(40);
    await page.keyboard.press('d');
    await expect.poll(heightOf).toBe(28);
    await expectAccessible(page);
    await page.reload();
    await row(page, /Low and open/).waitFor();
    expect(await heightOf()).toBe(28);
    expect(
      await row(page, /Low and open/)
        .getByText('Low', { exact: true })
        .count(),
    ).toBe(1);
    await page.getByRole('button', { name: 'Compact rows', pressed: true }).click();
    await expect.poll(heightOf).toBe(40);
  });

  it('shows more columns in a wide window, with names and due dates', async () => {
    const mine = await createOrg(site.api);
    const { id } = await push(site.api, mine, await createScan(site.api, mine), { title: 'Assigned' });
    const body = { assignee_id: mine.owner.id, due_at: new Date(Date.now() - 3 * 86_400_000).toISOString() };
    must(await site.api.patch(`/findings/${id}`, { ...mine.asOwner, body }));
    const page = await site.open(mine, '/findings', { viewport: { width: 2560, height: 900 } });
    await row(page, /Assigned/)
      .getByText('3 days overdue')
      .waitFor();
    await row(page, /Assigned/)
      .getByText('Ada Lovelace')
      .waitFor();
    const headers = () => grid(page).getByRole('columnheader').allInnerTexts();
    expect(await headers()).toEqual(expect.arrayContaining(['Assignee', 'Due', 'Age', 'Source', 'CWE']));
    await page.setViewportSize({ width: 1024, height: 900 });
    await expect.poll(headers).toEqual(['', 'Severity', 'Finding', 'Status', 'Project', 'Last seen']);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1024);
  });

  it('shows new scans and numbers on pages that are open, without a reload', async () => {
    const mine = await createOrg(site.api);
    await push(site.api, mine, await createScan(site.api, mine), { title: 'First', severity: 'high' });
    const dashboard = await site.open(mine);
    const ofProjects = dashboard.getByRole('region', { name: 'Projects by risk' });
    await ofProjects.getByRole('link', { name: '1 high' }).first().waitFor();
    const scans = await dashboard.context().newPage();
    await scans.goto(site.orgUrl(mine.slug, '/scans?status=failed'));
    await scans.getByText('No matching scans').waitFor();
    await scans.waitForResponse(/\/revision$/);
    const later = await createScan(site.api, mine);
    await push(site.api, mine, later, { title: 'Second', severity: 'critical' });
    const body = { status: 'failed', error_message: 'No disk' };
    must(await site.api.patch(`/agent/scans/${later}`, { ...mine.asAgent, body }));
    await scans
      .getByText('No disk')
      .first()
      .waitFor({ timeout: limit(12_000) });
    await dashboard.bringToFront();
    await ofProjects
      .getByRole('link', { name: '1 critical' })
      .first()
      .waitFor({ timeout: limit(12_000) });
    await dashboard.getByRole('region', { name: 'Highest priority' }).getByText('Second').waitFor();
  });
});
