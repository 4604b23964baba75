import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { createWorkspace } from '../support/agent/agent.ts';
import { addMember, createOrg, createScan, createUser, must, push } from '../support/api/client.ts';
import { beforeAllAndRetries } from '../support/run/retries.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { shiftsOf, watchShifts } from './support/shifts.ts';
import { describePages } from './support/site.ts';

const REPORT = resolve(import.meta.dirname, '../fixtures/several-runs.sarif');
const HOSTILE = '<img src=x onerror=alert(1)>\u202Etxet';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

describePages('the first steps', (site) => {
  let slug: string;
  let cookie: string;
  beforeAllAndRetries(async () => {
    ({ cookie } = await createUser(site.api));
    const body = { name: 'Acme', slug: `acme-${Date.now()}` };
    slug = must(await site.api.post('/orgs', { cookie, body })).slug;
  });

  it('lead a newcomer to the first finding, with commands to copy', async () => {
    const page = await site.visit({ cookie });
    await watchShifts(page);
    await page.goto(site.orgUrl(slug));
    await heading(page, 'First steps');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByText('Enter a name').waitFor();
    // The next step opens before the project and its tokens are read.
    const reads = (route: Route) => route.request().method() === 'GET' || route.continue();
    await intercept(page, /\/api\/v1\/projects(?:\/[^/]+\/tokens)?$/, reads);
    await page.getByLabel('Project name').fill('Web shop');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create token' }).click();

    // The commands do what they say, as they stand there.
    const setUp = await page.getByText('curl -fsSLO').innerText();
    expect(setUp).toContain(`SVC_ORG=${slug}\n`);
    expect(setUp).toMatch(/SVC_API_KEY=svc_\w+$/);
    await page.getByText('Waiting for the first finding').waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Existing report' }).click();
    const report = await page.getByText('node svc-agent.mjs report').innerText();
    const before = await shiftsOf(page);
    const cwd = createWorkspace();
    const [download = '', ...settings] = setUp.split('\n');
    const urls = [...download.matchAll(/https?:\S+/g)].map(([url]) => url);
    expect(urls).toHaveLength(2);
    for (const url of urls) await writeFile(join(cwd, basename(url)), await (await fetch(url)).text());
    await copyFile(REPORT, join(cwd, 'results.sarif'));
    // The files are there already; the rest of the line checks them.
    const commands = ['curl() { :; }', download, ...settings, report];
    await promisify(execFile)('sh', ['-ec', commands.join('\n')], { cwd });
    // A file that was changed on the way is not kept.
    await appendFile(join(cwd, 'svc-agent.mjs'), '//');
    await promisify(execFile)('sh', ['-c', commands.slice(0, 2).join('\n')], { cwd });
    expect(existsSync(join(cwd, 'svc-agent.mjs'))).toBe(false);

    await page.getByRole('heading', { name: 'First finding received' }).waitFor();
    await expectAccessible(page);
    // The token is never shown again, so it stays, and nothing moves while the user is in the terminal.
    expect(await page.getByText('curl -fsSLO').innerText()).toBe(setUp);
    expect((await shiftsOf(page)).sum - before.sum).toBeLessThan(0.02);
    expect(await page.getByRole('button', { name: 'Add demo data' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Open dashboard' }).click();
    await heading(page, 'Dashboard');
  });

  it('go on where they were after a reload, without the token, which is shown once', async () => {
    const org = must(
      await site.api.post('/orgs', { cookie, body: { name: 'Later', slug: `later-${Date.now()}` } }),
    );
    const as = { cookie, org: org.slug };
    const project = must(await site.api.post('/projects', { ...as, body: { name: HOSTILE } }));
    const page = await site.open(org, '', { cookie });
    await heading(page, 'First steps');
    await page.getByText(HOSTILE).waitFor();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText(/SVC_API_KEY=svc_/).waitFor();
    await page.reload();
    await page.getByText("SVC_API_KEY='<your token>'").waitFor();
    await page.getByRole('button', { name: 'Create another token' }).click();
    await page.getByText(/SVC_API_KEY=svc_/).waitFor();

    // A token that is revoked is none.
    for (const { id } of must(await site.api.get(`/projects/${project.id}/tokens`, as)))
      await site.api.delete(`/projects/${project.id}/tokens/${id}`, as);
    await page.reload();
    await page.getByRole('button', { name: 'Create token' }).waitFor();
  });

  it('move nothing when the first finding arrives in a page that was opened without the token', async () => {
    const org = await createOrg(site.api);
    const page = await site.visit({ cookie: org.owner.cookie });
    await watchShifts(page);
    await page.goto(site.orgUrl(org.slug));
    await page.getByText('Waiting for the first finding').waitFor();
    await push(site.api, org, await createScan(site.api, org));
    await page.getByRole('heading', { name: 'First finding received' }).waitFor();
    await page.getByText('curl -fsSLO').waitFor();
    expect((await shiftsOf(page)).sum).toBeLessThan(0.02);
  });

  it('offer demo data with a tour by keyboard, which is removed again', async () => {
    const org = must(
      await site.api.post('/orgs', { cookie, body: { name: 'Demo', slug: `demo-${Date.now()}` } }),
    );
    const page = await site.visit({ cookie });
    await watchShifts(page);
    await page.goto(site.orgUrl(org.slug));
    const button = (name: string) => page.getByRole('button', { name });
    await heading(page, 'First steps');
    await button('Add demo data').press('Enter');
    await heading(page, 'Dashboard');
    const tour = page.getByRole('region', { name: 'Tour of the demo data' });
    await tour.waitFor();
    expect((await shiftsOf(page)).sum).toBeLessThan(0.02);
    await expectAccessible(page);
    const other = await site.visit({ cookie, own: true });
    await watchShifts(other);
    await other.goto(site.orgUrl(org.slug));
    await other.getByText('Projects by risk').waitFor();
    expect((await shiftsOf(other)).sum).toBeLessThan(0.02);

    await tour.getByRole('checkbox', { name: 'Open a finding' }).press('Space');
    await tour.getByRole('link', { name: 'Group by rule' }).press('Enter');
    await page.waitForURL(/group_by=rule/);
    await page.goBack();
    for (const [name, isDone] of [
      ['Open a finding', true],
      ['Decide with a key', false],
      ['See findings by rule', true],
    ] as const)
      expect(await tour.getByRole('checkbox', { name }).isChecked()).toBe(isDone);

    await button('Hide the tour').press('Enter');
    await page.reload();
    await page.getByText('This organization has demo data.').waitFor();
    expect(await tour.count()).toBe(0);
    await button('Show the tour').press('Enter');
    await tour.waitFor();
    await button('Remove demo data').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await heading(page, 'First steps');
    await button('Add demo data').waitFor();
    expect((await site.api.get('/projects', { cookie, org: org.slug })).result).toEqual([]);
  });

  it('tell a viewer who can create a project', async () => {
    const org = must(
      await site.api.post('/orgs', { cookie, body: { name: 'Seen', slug: `seen-${Date.now()}` } }),
    );
    const asOwner = { cookie, org: org.slug };
    const viewer = await addMember(site.api, { slug: org.slug, asOwner }, 'viewer');
    const page = await site.open(org, '', { cookie: viewer.cookie });
    await page.getByText('Only owners, admins and members can create projects').waitFor();
    expect(await page.getByLabel('Project name').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add demo data' }).count()).toBe(0);
  });
});
