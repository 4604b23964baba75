import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { type SeededOrg, seedOrg } from '../support/database/seed.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('printed reports', (site) => {
  let sql: postgres.Sql;
  let org: TestOrg;
  let large: SeededOrg;

  beforeAll(async () => {
    sql = postgres(site.databaseUrl, { max: 1, onnotice: () => {} });
    org = await createOrg(site.api);
    const scan = await createScan(site.api, org);
    for (let n = 1; n <= 60; n++) {
      const severity = n <= 20 ? 'critical' : n <= 45 ? 'high' : 'low';
      await push(site.api, org, scan, { severity, title: `Problem ${n}`, file: `src/file-${n}.ts`, line: n });
    }
    const [first] = must(
      await site.api.get('/findings?q=Problem&severity=critical&sort=created_at', org.asOwner),
    );
    const body = { status: 'wontfix', reason: 'risk_accepted', assignee_id: org.owner.id };
    must(await site.api.patch(`/findings/${first.id}`, { ...org.asOwner, body }));
    large = await seedOrg({ sql }, site, { findings: 2_600, bytes: 1_000, isYear: true });
  });
  afterAll(() => sql?.end());

  async function open(path: string, of: TestOrg = org): Promise<Page> {
    const page = await site.visit({ cookie: of.owner.cookie, own: true, colorScheme: 'dark' });
    await page.addInitScript('window.printed = 0; window.print = () => { window.printed++; };');
    await page.goto(site.orgUrl(of.slug, path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const printed = (page: Page) => page.evaluate<number>('window.printed');
  /** The text on paper. */
  async function onPaper(page: Page): Promise<string> {
    await page.emulateMedia({ media: 'print' });
    return await page.locator('#main').innerText();
  }
  const sheets = async (page: Page) =>
    (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  const year = String(new Date().getFullYear());
  const visible = (page: Page, role: 'button' | 'navigation') =>
    page.getByRole(role).filter({ visible: true }).count();

  it('prints all findings of the list from the export menu, with the filter in words', async () => {
    const page = await open('/findings?severity=critical,high&sort=-severity');
    await page.getByText('45 findings', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Print report' }).click();
    await page.getByText('45 findings: 20 critical, 25 high').waitFor();
    await expect.poll(() => printed(page)).toBe(1);
    await expectAccessible(page);

    const paper = await onPaper(page);
    const name = must(await site.api.get('/orgs', { cookie: org.owner.cookie })).find(
      ({ slug }: { slug: string }) => slug === org.slug,
    ).name;
    expect(paper).toMatch(new RegExp(`^${name} · svc-findings · .*${year}`));
    expect(paper).toContain('All · Severity: Critical, High · Order: most severe first');
    for (let n = 1; n <= 45; n++) expect(paper).toContain(`src/file-${n}.ts:${n}`);
    expect(paper).not.toContain('Problem 46');
    const accepted = await page.getByRole('row', { name: /Problem 1\b/ }).innerText();
    expect(accepted).toContain("Won't fix");
    expect(accepted).toContain('Risk accepted');
    expect([await visible(page, 'button'), await visible(page, 'navigation')]).toEqual([0, 0]);
    expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('light');
    // No row is on two sheets, and the column headers are on each.
    const style = await page.evaluate<[string, string]>(
      `[getComputedStyle(document.querySelector('tbody tr')).breakInside, getComputedStyle(document.querySelector('thead')).display]`,
    );
    expect(style).toEqual(['avoid', 'table-header-group']);
    expect(await sheets(page)).toBeGreaterThan(1);

    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByRole('grid').waitFor();
    expect(new URL(page.url()).search).toBe('?severity=critical,high&sort=-severity');
  });

  it('shows a report from a link without printing it, and says when findings are left out', async () => {
    const page = await open('/report?sort=-created_at', large);
    await page.getByText('2,600 findings', { exact: true }).waitFor();
    await page.getByText('The report contains the first 2,000 findings').waitFor();
    expect(await page.getByRole('row').count()).toBe(2_001);
    expect(await printed(page)).toBe(0);
    await page.getByRole('button', { name: 'Print report' }).click();
    expect(await printed(page)).toBe(1);
    await page.goto(site.orgUrl(large.slug, '/report?q=nothing+like+this'));
    await page.getByText('No matching findings').waitFor();
  });

  it('prints a finding, the dashboard and metrics without controls, with tables instead of charts', async () => {
    const [finding] = must(await site.api.get('/findings?page=1&per_page=1', org.asOwner));
    const page = await open(`/findings/${finding.id}`);
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
    await page.getByRole('button', { name: 'Print' }).click();
    expect(await printed(page)).toBe(1);
    const paper = await onPaper(page);
    expect(paper).toMatch(/ · svc-findings · /);
    expect(paper).toContain(finding.title);
    expect(await visible(page, 'navigation')).toBe(0);

    const metrics = await open('/metrics?days=365', large);
    await metrics.getByRole('img', { name: /^Chart/ }).waitFor();
    await metrics.getByRole('button', { name: 'Print report' }).click();
    const numbers = await onPaper(metrics);
    expect(numbers).toMatch(/to .*\(UTC\), all projects/);
    for (const text of ['Time to resolve', 'Unresolved by age', 'Week from', 'Median'])
      expect(numbers).toContain(text);
    expect(await metrics.getByRole('img', { name: /^Chart/ }).count()).toBe(0);
    expect([await visible(metrics, 'button'), await visible(metrics, 'navigation')]).toEqual([0, 0]);
    expect(await sheets(metrics)).toBeGreaterThan(0);

    const dashboard = await open('', large);
    await dashboard.getByRole('img', { name: /^Chart/ }).waitFor();
    await dashboard.getByRole('button', { name: 'Print report' }).waitFor();
    const overview = await onPaper(dashboard);
    for (const text of [/ to .*\(UTC\), all projects/, /Week from/, /Projects by risk/])
      expect(overview).toMatch(text);
    expect(await visible(dashboard, 'button')).toBe(0);
  });
});
