import postgres from 'postgres';
import { beforeAll, expect, it } from 'vitest';
import { type SeededOrg, seedOrg } from '../support/database/seed.ts';
import { describePages } from './support/site.ts';

/** The service counts 10,000 matches of a search by words. */
const FINDINGS = 10_050;

describePages('a search with more than 10,000 findings', (site) => {
  let org: SeededOrg;
  beforeAll(async () => {
    const sql = postgres(site.databaseUrl, { max: 2, onnotice: () => {} });
    org = await seedOrg({ sql }, site, { findings: FINDINGS, bytes: 1_000 });
    await sql.end();
  });

  it('says so, and selects all of them with their exact number', async () => {
    const page = await site.open(org, '/findings?q=injection&sort=-created_at');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByText('More than 10,000 findings, the first 10,000 are listed').waitFor();
    await page.getByRole('link', { name: 'All 10,000+', exact: true }).waitFor();
    await page
      .getByRole('row', { name: /handler 10050/ })
      .getByRole('checkbox')
      .check();
    await button('Select all matching findings').click();
    await page.getByText('10,050 selected: all that match').waitFor();
    expect(await button('Select all matching findings').count()).toBe(0);
    await button('Set status').click();
    await page.getByRole('menuitem', { name: 'Fixed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set 10,050 findings to Fixed?' });
    await dialog.getByRole('button', { name: 'Set status' }).click();
    await page.getByText(/^Set to Fixed: [\d,]+ findings/).waitFor();
    const { json } = await site.api.get('/findings?status=fixed&page=1', org.asOwner);
    expect(json.result_info.total).toBe(FINDINGS);
  });

  it('is exact in another order and without words', async () => {
    const page = await site.open(org, '/findings?q=injection&sort=-last_seen_at');
    await page.getByText('10,050 findings', { exact: true }).waitFor();
    await page.goto(site.orgUrl(org.slug, '/findings?sort=-created_at'));
    await page.getByText('10,050 findings', { exact: true }).waitFor();
  });
});
