import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addMember, createOrg, must, type TestOrg, type TestUser } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('CI systems without keys', (site) => {
  let org: TestOrg;
  let viewer: TestUser;

  beforeAll(async () => {
    org = await createOrg(site.api);
    viewer = await addMember(site.api, org, 'viewer');
  });

  async function open(path: string, user: TestUser = org.owner): Promise<Page> {
    const page = await site.open(org, path, { cookie: user.cookie });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const trusts = async () => must(await site.api.get(`/projects/${org.projectId}/ci-trusts`, org.asOwner));

  it('are added by the id of a repository, and deleted', async () => {
    const page = await open('/projects/web-shop');
    const card = page.getByRole('region', { name: 'CI without keys' });
    await card.getByText('No CI system yet').waitFor();
    await card.getByRole('button', { name: 'Add CI system' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add CI system' });
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Enter the ID').waitFor();
    await dialog.getByLabel('Repository ID').fill('acme/web-shop');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Repository_id must be a number').waitFor();
    await dialog.getByLabel('Repository ID').fill('74');
    await dialog.getByLabel('Environment').fill('production');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add' }).click();
    const row = card.getByRole('row', { name: 'GitHub Actions repository 74' });
    await row.getByText('environment production').waitFor();
    await expectAccessible(page);
    expect((await trusts())[0].claims).toEqual({ repository_id: '74', environment: 'production' });

    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete “' }).getByRole('button', { name: 'Delete' }).click();
    await card.getByText('No CI system yet').waitFor();
    expect(await trusts()).toEqual([]);
  });

  it('have an address of their own at CircleCI, and where you run them', async () => {
    const page = await open('/projects/web-shop');
    const add = async (system: string, fields: Record<string, string>) => {
      await page.getByRole('button', { name: 'Add CI system' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add CI system' });
      await dialog.getByRole('combobox', { name: 'CI system' }).click();
      await page.getByRole('option', { name: system }).click();
      for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    const [organization, id] = [crypto.randomUUID(), crypto.randomUUID()];
    await add('CircleCI', { 'Organization ID': organization, 'Project ID': id });
    await add('GitLab, self-managed', {
      ...{
        'Address of the issuer': 'https://gitlab.acme.example/',
        'Project ID': '28',
        'Branch or tag': 'main',
      },
    });
    expect(await trusts()).toMatchObject([
      { provider: 'other', issuer: 'https://gitlab.acme.example', claims: { project_id: '28', ref: 'main' } },
      {
        provider: 'circleci',
        issuer: `https://oidc.circleci.com/org/${organization}`,
        claims: { 'oidc.circleci.com/project-id': id },
      },
    ]);
    const all = await open('/tokens');
    await all
      .getByRole('row', { name: 'gitlab.acme.example project 28' })
      .getByText('CI system without a key')
      .waitFor();
  });

  it('are seen by viewers, who change nothing', async () => {
    const page = await open('/projects/web-shop', viewer);
    const card = page.getByRole('region', { name: 'CI without keys' });
    await card.getByRole('row', { name: 'gitlab.acme.example project 28' }).waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await page.getByRole('tab', { name: 'GitLab CI' }).click();
    await page.getByText('SVC_ID_TOKEN:').waitFor();
  });
});
