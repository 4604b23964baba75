import postgres from 'postgres';
import { beforeEach, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('an organization', (site) => {
  let org: TestOrg;

  beforeEach(async () => {
    org = await createOrg(site.api);
  });

  const open = (path: string, cookie = org.owner.cookie) => site.open(org, path, { cookie });

  it('is deleted after its slug was typed, and restored from the list of organizations', async () => {
    const page = await open('/settings');
    await page.getByRole('button', { name: 'Delete organization…' }).click();
    const dialog = page.getByRole('dialog', { name: `Delete “${org.slug}”?` });
    const confirm = dialog.getByRole('button', { name: 'Delete organization' });
    const field = dialog.getByRole('textbox', { name: `Type ${org.slug} to confirm` });
    await field.fill('other');
    expect(await confirm.isDisabled()).toBe(true);
    await expectAccessible(page);
    await field.fill(org.slug);
    await confirm.click();

    await page.getByRole('heading', { level: 2, name: 'Deleted organizations' }).waitFor();
    await expectAccessible(page);
    expect((await site.api.get('/projects', org.asOwner)).error).toBe('tenant_error/deleted');
    await page.getByRole('button', { name: `Restore ${org.slug}` }).click();
    await page.getByText(`“${org.slug}” was restored.`).waitFor();
    await page.getByRole('main').getByRole('link', { name: org.slug }).click();
    // It has no findings.
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    expect((await site.api.get('/projects', org.asOwner)).status).toBe(200);
  });

  it('is renamed, and links with the former slug lead to it', async () => {
    const page = await open('/settings');
    const slug = `${org.slug}-2`;
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    await region('Name').getByRole('textbox').fill('Acme & Sons');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The name is saved.').waitFor();
    await region('Slug').getByRole('textbox').fill(slug);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(`**/${slug}/settings`);
    await page.goto(site.orgUrl(org.slug, '/findings'));
    await page.waitForURL(`**/${slug}**`);
    expect(must(await site.api.get(`/orgs/${slug}`, org.asOwner)).name).toBe('Acme & Sons');
  });

  it('asks before a retention removes anything', async () => {
    const scan = await createScan(site.api, org);
    const { id } = await push(site.api, org, scan);
    must(await site.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const sql = postgres(site.databaseUrl, { max: 1 });
    const schema = `org_${org.id.replaceAll('-', '')}`;
    await sql`update ${sql(schema)}.findings
      set status_changed_at = now() - interval '9 days', last_seen_at = now() - interval '9 days'`;
    await sql.end();
    const page = await open('/settings');
    const region = page.getByRole('region', { name: 'Retention' });
    const days = region.getByRole('textbox', { name: 'Resolved findings' });
    await days.fill('7');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove what has expired?' });
    await dialog.getByText('1 finding will be removed within minutes.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(must(await site.api.get('/settings/retention', org.asOwner)).resolved_findings).toBeNull();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('button', { name: 'Save and remove' }).click();
    await page.getByText('The retention is saved.').waitFor();
    expect(must(await site.api.get('/settings/retention', org.asOwner)).resolved_findings).toBe(7);
  });

  it('is deleted and renamed by owners only', async () => {
    const { cookie } = await addMember(site.api, org, 'member');
    const page = await open('/settings', cookie);
    await page.getByRole('heading', { level: 2, name: 'Retention' }).waitFor();
    await page.getByText('Resolved findings: Kept forever').waitFor();
    expect(await page.getByRole('button', { name: 'Delete organization…' }).count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
  });
});
