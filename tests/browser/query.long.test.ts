import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('the query of the list of findings', (site) => {
  let org: TestOrg;

  beforeAll(async () => {
    org = await createOrg(site.api);
    const scanId = await createScan(site.api, org);
    const make = (fields: object) => push(site.api, org, scanId, { ...fields });
    await make({ title: 'SQL injection', severity: 'critical', file: 'src/Export.java', line: 193 });
    await make({ title: 'Weak hash', severity: 'high', file: 'src/Hash.java', source: 'semgrep' });
    await make({ title: 'Secret in a test', severity: 'critical', file: 'test/Key.java' });
    const assigned = await make({ title: 'Open redirect', severity: 'low', file: 'src/Login.java' });
    const body = { assignee_id: org.owner.id };
    must(await site.api.patch(`/findings/${assigned.id}`, { ...org.asOwner, body }));
  });

  async function open(search = '?sort=-severity'): Promise<Page> {
    const page = await site.open(org, `/findings${search}`);
    await page.getByRole('status').filter({ hasText: 'finding' }).waitFor();
    return page;
  }
  const field = (page: Page) => page.getByRole('combobox', { name: 'Search or filter findings' });
  const shows = (page: Page, ...titles: string[]) =>
    expect.poll(() => page.getByRole('row').getByRole('link').allTextContents()).toEqual(titles);

  it('filters by what it says, as chips and address do', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('severity:critical -path:test/**');
    await page.keyboard.press('Enter');
    await shows(page, 'SQL injection');
    expect(new URL(page.url()).searchParams.get('not_path')).toBe('test/**');
    await page.getByRole('button', { name: 'Path is not: test/**' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('severity:critical');
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe('severity:critical');
    // Words are added to what is there.
    await page.keyboard.press('/');
    await page.keyboard.type('Export.java:193');
    await shows(page, 'SQL injection');
    await field(page).fill('assignee:me');
    await shows(page, 'Open redirect');
    await field(page).fill('source:semgrep older:1d');
    await page.getByText('No matching findings').waitFor();
  });

  it('is completed by keyboard', async () => {
    const page = await open();
    await field(page).click();
    await page.keyboard.type('sev');
    await page.getByRole('option', { name: /^severity:/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'critical' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.type('hi');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await field(page).inputValue()).toBe('severity:high ');
    await page.keyboard.type('weak');
    await shows(page, 'Weak hash');
  });

  it('shows exactly what was typed, also where it is what another view shows', async () => {
    const page = await open('');
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: new RegExp(`^${name}`) });
    await page.keyboard.press('/');
    await page.keyboard.type('assignee:me severity:low');
    await page.keyboard.press('Enter');
    const expectTyped = async () => {
      await shows(page, 'Open redirect');
      await page
        .getByRole('status')
        .filter({ hasText: /^1 finding$/ })
        .waitFor();
      await page.getByRole('button', { name: 'Assignee: me' }).waitFor();
      await page.getByRole('button', { name: 'Severity: Low' }).waitFor();
      await expect
        .poll(async () => (await tab('Needs attention').innerText()).replace(/\s/g, ''))
        .toBe('Needsattention1');
      expect(await tab('Needs attention').getAttribute('aria-current')).toBe('page');
    };
    await expectTyped();
    expect((await field(page).inputValue()).trim()).toBe('assignee:me severity:low');
    await page.reload();
    await expectTyped();
    expect((await field(page).inputValue()).split(' ').sort()).toEqual(['assignee:me', 'severity:low']);
    // The finding that is opened from the list leads back to it.
    await page.getByRole('link', { name: 'Open redirect' }).click();
    await page.getByRole('heading', { name: 'Open redirect', level: 1 }).waitFor();
    await page.keyboard.press('Escape');
    await expectTyped();

    // The number of each tab is what a click shows.
    await page.getByRole('button', { name: 'Severity: Low' }).click();
    for (const name of ['Overdue', 'All', 'Assigned to me', 'Needs attention', 'Mentions me']) {
      const number = async () => /\d+$/.exec((await tab(name).innerText()).trim())?.[0];
      await expect.poll(number).toBeDefined();
      const said = await number();
      await tab(name).click();
      const count = page.getByRole('status').filter({ hasText: new RegExp(`^${said} findings?$`) });
      await count
        .or(page.getByRole('heading', { name: /^No/, level: 2 }))
        .first()
        .waitFor();
      expect(await number()).toBe(said);
    }
  });

  it('says at Enter what is wrong, understands the start of a value, and empties nothing on the way', async () => {
    const page = await open('');
    const requests: string[] = [];
    page.on('request', (request) => /[?&](q|path)=/.test(request.url()) && requests.push(request.url()));
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    const error = page.getByText('“worst” is not one of critical, high, medium, low, info');
    await field(page).click();
    await page.keyboard.type('severity:worst');
    expect(await error.isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await error.waitFor();
    expect(await focused()).toBe('Search or filter findings');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('severity:crit');
    await shows(page, 'Secret in a test', 'SQL injection');
    await page.keyboard.type(' pa');
    await page.waitForTimeout(500);
    await page.keyboard.type('th:src/Exp');
    await page.waitForTimeout(500);
    expect(requests).toEqual([]);
    await page.keyboard.type('**');
    await page.keyboard.press('Enter');
    await shows(page, 'SQL injection');
    expect(await field(page).inputValue()).toBe('severity:crit path:src/Exp**');
    // Tab goes on to the next control.
    await page.keyboard.type(' sev');
    await page.getByRole('option', { name: /^severity:/ }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Clear search');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Project');
    // A term that was not complete applies when the focus has left the field.
    await field(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('severity:crit path:test/**');
    await page.keyboard.press('Tab');
    await shows(page, 'Secret in a test');
  });

  it('says which term is wrong, and keeps the list until it is right', async () => {
    const page = await open('?severity=low');
    await field(page).fill('severity:low severity:worst');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Findings', level: 1 }).click();
    await page.getByText('“worst” is not one of critical, high, medium, low, info').waitFor();
    await expectAccessible(page);
    await shows(page, 'Open redirect');
  });
});
