import { beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, push, type TestOrg } from '../support/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages, type Site, startSite } from './support/site.ts';

describePages('every page', () => {
  let site: Site;
  let org: TestOrg;

  beforeAll(async () => {
    site = await startSite();
    org = await createOrg(site.api);
    const scan = await createScan(site.api, org);
    await push(site.api, org, scan);
  });

  it.each([
    ['Dashboard', ''],
    ['Findings', '/findings'],
    ['Scans', '/scans'],
    ['Projects', '/projects'],
    ['Members', '/members'],
    ['API tokens', '/tokens'],
    ['Features', '/features'],
  ])('%s has its heading, and no barrier', async (title, path) => {
    const page = await site.visit({ cookie: org.owner.cookie });
    await page.goto(site.orgUrl(org.slug, path));
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await expectAccessible(page);
  });

  it('sends who is not signed in to the login page, and knows where they wanted to go', async () => {
    const page = await site.visit();
    await page.goto(site.orgUrl(org.slug, '/findings?severity=high'));
    await page.waitForURL('**/login**');
    expect(new URL(page.url()).searchParams.get('return_to')).toBe(`/o/${org.slug}/findings?severity=high`);
  });
});
