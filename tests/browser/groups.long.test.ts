import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { seedOrg } from '../support/database/seed.ts';
import { beforeAllAndRetries } from '../support/run/retries.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

describePages('the list of findings in groups', (site) => {
  let org: TestOrg;
  let database: postgres.Sql;

  beforeAll(async () => {
    database = postgres(site.databaseUrl, { max: 2, onnotice: () => {} });
  });
  beforeAllAndRetries(async () => {
    org = await createOrg(site.api);
    const scanId = await createScan(site.api, org);
    for (let i = 0; i < 8; i++) {
      const fields = {
        title: 'SQL injection',
        severity: 'critical',
        file: `src/search-${i}.ts`,
        line: i + 1,
      };
      await push(site.api, org, scanId, fields);
    }
    await push(site.api, org, scanId, { title: 'Weak hash', severity: 'high', cve: 'CVE-2026-1234' });
  });

  afterAll(() => database?.end());

  async function open(search = ''): Promise<Page> {
    const page = await site.open(org, `/findings${search}`);
    await page.getByRole('status').filter({ hasText: 'findings' }).waitFor();
    return page;
  }

  it('has one row for eight identical findings, which opens to them', async () => {
    const page = await open();
    await page.getByLabel('Group findings').selectOption('rule');
    await page.getByText('9 findings in 2 groups').waitFor();
    const group = page.getByRole('button', { name: /SQL injection.*8 findings/ });
    await group.click();
    const findings = page.getByRole('region', { name: 'Findings of SQL injection' });
    await expect.poll(() => findings.getByRole('link').count()).toBe(8);
    await expectAccessible(page);
    // The grouping is a part of the address.
    await page.reload();
    await page.getByText('9 findings in 2 groups').waitFor();
    await page.goBack();
    await page.getByRole('grid').waitFor();
  });

  it('groups by the rule of the scanner, which the page of a finding and a new rule have too', async () => {
    const own = await createOrg(site.api);
    const scanId = await createScan(site.api, own);
    for (const title of ['Name reaches a log', 'Address reaches a log'])
      await push(site.api, own, scanId, { title, rule_id: 'js/log-injection', file: 'src/log.ts' });
    await push(site.api, own, scanId, { title: 'Weak hash' });
    const page = await site.open(own, '/findings?group_by=rule');
    await page.getByText('3 findings in 2 groups').waitFor();
    await page.getByRole('button', { name: /js\/log-injection.*Address reaches a log.*2 findings/ }).click();
    await page.getByRole('link', { name: /Name reaches a log/ }).click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('js/log-injection').waitFor();
    await expectAccessible(page);
    await details.getByRole('link', { name: 'Findings of this rule' }).click();
    await page.getByText('2 findings').first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /Create a rule for findings like this/ }).click();
    await page.getByText('2 open findings would be changed now.').waitFor();
    await page.getByText('js/log-injection').waitFor();
    await expectAccessible(page);
  });

  it('shows findings without a CVE as a group of their own', async () => {
    const page = await open('?sort=-priority&group_by=cve');
    await page.getByRole('button', { name: /CVE-2026-1234.*1 finding/ }).waitFor();
    await page.getByRole('button', { name: /Without a CVE.*8 findings/ }).click();
    const findings = page.getByRole('region', { name: 'Findings of Without a CVE' });
    await expect.poll(() => findings.getByRole('link').count()).toBe(8);
  });

  it('is triaged as one, with a reason', async () => {
    const page = await open('?attention=true&sort=-priority&group_by=rule');
    await page.getByRole('button', { name: 'Triage 8: SQL injection' }).click();
    const dialog = page.getByRole('dialog', { name: 'Triage 8 findings' });
    await dialog.getByRole('button', { name: "Won't fix" }).click();
    await dialog.getByRole('button', { name: 'No fix available' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 finding in 1 group').waitFor();
    const list = must(await site.api.get('/findings?status=wontfix', org.asOwner));
    expect(list.map(({ reason }: { reason: string }) => reason)).toEqual(Array(8).fill('no_fix_available'));
    await page.keyboard.press('u');
    await page.getByText('9 findings in 2 groups').waitFor();
    expect(must(await site.api.get('/findings?status=wontfix', org.asOwner))).toEqual([]);
  });

  it('changes a group of thousands by its filter, with progress', async () => {
    const large = await seedOrg({ sql: database }, site, { findings: 1_400, bytes: 1_000 });
    await database.unsafe(`update ${large.schema}.findings set title = 'Same title', file = 'same.ts'`);
    const page = await site.open(large, '/findings?sort=-created_at&group_by=rule');
    const patches: Record<string, unknown>[] = [];
    await intercept(page, '**/api/v1/findings', async (route) => {
      patches.push(route.request().postDataJSON());
      await page.getByText('Changing: 0 of 1,400 findings').waitFor();
      await route.continue();
    });
    await page.getByRole('button', { name: 'Triage 1,400: Same title' }).click();
    const dialog = page.getByRole('dialog', { name: 'Triage 1,400 findings' });
    await dialog.getByRole('button', { name: 'Confirmed' }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Set to Confirmed: 1,400 findings').waitFor();
    expect(patches).toEqual([
      { filter: { rule: 'Same title' }, expected_count: 1_400, limit: 2_000, status: 'confirmed' },
    ]);
    await page.keyboard.press('u');
    await page.getByText('Undone for 1,400 findings').waitFor();
  });
});
