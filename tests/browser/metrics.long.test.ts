import type { Locator, Page } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrg, must, type TestOrg } from '../support/api/client.ts';
import { type SeededOrg, seedOrg } from '../support/database/seed.ts';
import { expectAccessible } from './support/axe.ts';
import { inEachScheme } from './support/look.ts';
import { describePages } from './support/site.ts';

describePages('the metrics', (site) => {
  let sql: postgres.Sql;
  let org: SeededOrg;

  beforeAll(async () => {
    sql = postgres(site.databaseUrl, { max: 1, onnotice: () => {} });
    org = await seedOrg({ sql }, site, { findings: 2_000, bytes: 1_000, isYear: true });
  });
  afterAll(() => sql?.end());

  async function open(search = '', of: TestOrg = org, width = 1280): Promise<Page> {
    const page = await site.visit({ cookie: of.owner.cookie });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(site.orgUrl(of.slug, `/metrics${search}`));
    await page.getByRole('heading', { level: 1, name: 'Metrics' }).waitFor();
    return page;
  }
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const read = async (query: string) => must(await site.api.get(`/dashboard/metrics?${query}`, org.asOwner));
  const number = (value: number) => value.toLocaleString('en');
  const resolvedIn = ({ weeks }: { weeks: { resolved: number }[] }) =>
    weeks.reduce((sum, week) => sum + week.resolved, 0);
  const cell = (page: Page, name: string) =>
    page
      .getByRole('term')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .locator('xpath=..')
      .getByRole('definition')
      .innerText();
  const table = (page: Page, name: string) => page.getByRole('region', { name }).getByRole('table');
  const searchOf = (page: Page) => new URL(page.url()).search;

  it('shows the numbers of the range, as text and as tables behind the chart', async () => {
    const page = await open();
    const data = await read(`from=${day(89)}&to=${day(0)}`);
    const all = data.time_to_resolve.all;
    const found = data.weeks.reduce((sum: number, week: { found: number }) => sum + week.found, 0);
    await expect.poll(() => cell(page, 'Found')).toContain(number(found));
    expect(await cell(page, 'Resolved')).toContain(number(resolvedIn(data)));
    // A comma follows if rules have resolved others.
    expect(await cell(page, 'Median time to resolve')).toMatch(new RegExp(`of ${number(all.resolved)}[ ,]`));
    const { in_time, resolved, share } = data.within_due_date;
    expect(resolved).toBeGreaterThan(0);
    expect(await cell(page, 'Resolved within due date')).toContain(`${Math.round(share * 100)}%`);
    expect(await cell(page, 'Resolved within due date')).toContain(
      `${number(in_time)} in time, ${number(resolved - in_time)} late`,
    );

    const times = table(page, 'Time to resolve');
    const high = await times.getByRole('row', { name: /High/ }).getByRole('cell').allInnerTexts();
    expect(high[0]).toBe(number(data.resolved.high));
    expect(high[1]).toMatch(/^[\d.]+ (min|h|days)$/);
    const oldest = await table(page, 'Unresolved by age')
      .getByRole('row', { name: /More than 90 days/ })
      .getByRole('cell')
      .allInnerTexts();
    const { total, critical } = data.open_by_age.at(-1);
    expect(oldest.slice(0, 2)).toEqual([number(total), number(critical)]);

    await page.getByRole('img', { name: /^Chart of found, resolved and unresolved/ }).waitFor();
    await inEachScheme(page, () => expectAccessible(page));
    await page.getByRole('button', { name: 'Show as a table' }).click();
    const weeks = table(page, 'Found and resolved per week');
    expect(await weeks.getByRole('row').count()).toBe(data.weeks.length + 1);
    const last = data.weeks.at(-1);
    const first = await weeks.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
    expect(first).toEqual([last.found, last.resolved, last.open].map(number));
    await expectAccessible(page);
  });

  it('has the same numbers as the lists that they lead to', async () => {
    const page = await open('?days=365');
    const follow = async (place: Locator) => {
      const link = place.getByRole('link').first();
      const count = await link.innerText();
      await link.click();
      await page.getByText(new RegExp(`^${count} findings?$`)).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Metrics' }).waitFor();
    };
    const cellOf = (name: string) =>
      page
        .getByRole('term')
        .filter({ hasText: new RegExp(`^${name}$`) })
        .locator('xpath=..');
    for (const name of ['Found', 'Resolved', 'Unresolved', 'Resolved within due date'])
      await follow(cellOf(name));
    await follow(table(page, 'Time to resolve').getByRole('row', { name: /High/ }));
    await follow(table(page, 'Unresolved by age').getByRole('row', { name: /31 to 90 days/ }));
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await follow(table(page, 'Found and resolved per week').getByRole('row').nth(3));
  });

  it('keeps range and project in the address', async () => {
    const page = await open();
    await page.getByText('365 days').click();
    await expect.poll(() => searchOf(page)).toBe('?days=365');
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option', { name: 'Project 3' }).click();
    await expect.poll(() => searchOf(page)).toMatch(/^\?days=365&project_id=/);
    const projectId = new URL(page.url()).searchParams.get('project_id');
    const one = await read(`from=${day(364)}&to=${day(0)}&project_id=${projectId}`);
    await expect.poll(() => cell(page, 'Resolved')).toContain(number(resolvedIn(one)));
    await page.getByText(/, Project 3$/).waitFor();

    await page.getByText('Custom').click();
    await page.getByRole('textbox', { name: 'First day' }).fill(day(20));
    await expect.poll(() => searchOf(page)).toContain(`from=${day(20)}&to=${day(0)}`);
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'First day' }).inputValue()).toBe(day(20));
    const short = await read(`from=${day(20)}&to=${day(0)}&project_id=${projectId}`);
    await expect.poll(() => cell(page, 'Resolved')).toContain(number(resolvedIn(short)));
    await page.goBack();
    await page.goBack();
    await expect.poll(() => searchOf(page)).toMatch(/^\?days=365&project_id=/);
  });

  it('says what is wrong with a range, and asks nothing of the service', async () => {
    let asked = 0;
    const page = await open('?from=2026-02-01&to=2026-01-01');
    page.on('request', (request) => request.url().includes('/dashboard/metrics') && asked++);
    await page.getByText('The first day must not be after the last day.').waitFor();
    await page.getByRole('textbox', { name: 'First day' }).fill('2024-01-01');
    await page.getByText('Choose at most 366 days.').waitFor();
    await expectAccessible(page);
    expect(asked).toBe(0);
    await page.goto(site.orgUrl(org.slug, `/metrics?from=nonsense&days=31&project_id=`));
    await page.getByRole('link', { name: 'Remove from the address' }).click();
    await expect.poll(() => page.getByRole('radio', { name: '90 days' }).isChecked()).toBe(true);
  });

  it('explains what is missing in an organization without findings, and fits into 360 px', async () => {
    const empty = await createOrg(site.api);
    const page = await open('', empty);
    await page.getByText('No findings in this range').waitFor();
    await expectAccessible(page);
    const narrow = await open('?days=30', org, 360);
    await table(narrow, 'Unresolved by age').waitFor();
    await inEachScheme(narrow, async () => {
      await expectAccessible(narrow);
      expect(await narrow.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    });
  });
});
