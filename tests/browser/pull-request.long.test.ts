import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { heading } from './support/login.ts';
import { describePages } from './support/site.ts';

const INJECTION = 'SQL injection in search';
const TRAVERSAL = 'Path traversal in downloads';
const HASH = 'Weak hash of passwords';

describePages('findings on branches', (site) => {
  let org: TestOrg;

  beforeEach(async () => {
    org = await createOrg(site.api);
  });

  /** A completed scan of a branch, which has these findings. */
  async function scan(
    ref: string,
    titles: string[],
    { commit, ...target }: { commit: string; base_ref?: string; default_ref?: string },
  ): Promise<string> {
    const scan_id = `scan-${commit}`;
    const fields = { scan_id, project_id: org.projectId, persona: 'sharingan', name: `Scan of ${ref}` };
    const body = { ...fields, commit, target: { ref, ...target }, sources: ['semgrep'] };
    must(await site.api.post('/agent/scans', { ...org.asAgent, body }));
    for (const title of titles)
      await push(site.api, org, scan_id, { title, fingerprint: title, source: 'semgrep' });
    const end = { ...org.asAgent, body: { status: 'completed' } };
    must(await site.api.patch(`/agent/scans/${scan_id}`, end));
    return scan_id;
  }

  const project = async () => must(await site.api.get(`/projects/${org.projectId}`, org.asOwner));
  const setProject = async (body: object) =>
    must(await site.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body }));
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const gate = (page: Page) => region(page, 'Gate');
  const branch = (page: Page, name: string) =>
    region(page, 'Branches').getByRole('listitem').filter({ hasText: name });

  async function openFinding(page: Page, title: string): Promise<void> {
    const all: { id: string; title: string }[] = must(await site.api.get('/findings', org.asOwner));
    await page.goto(site.orgUrl(org.slug, `/findings/${all.find((finding) => finding.title === title)?.id}`));
    await heading(page, title);
  }

  /** Filters the list by what is typed into it. */
  async function expectListed(page: Page, query: string, titles: string[]): Promise<void> {
    await page.goto(site.orgUrl(org.slug, '/findings?sort=-created_at'));
    const field = page.getByRole('combobox', { name: 'Search or filter findings' });
    await field.fill(query);
    await field.press('Enter');
    await page.getByRole('list', { name: 'Active filters' }).waitFor();
    const rows = page.getByRole('grid', { name: 'Findings' }).getByRole('row').getByRole('link');
    await expect.poll(async () => (await rows.allInnerTexts()).toSorted()).toEqual(titles.toSorted());
  }

  it('a pull request passes its gate once its false positive is marked, and its fix is seen once it is merged', async () => {
    await setProject({ close_after_scans: 1 });
    await scan('main', [TRAVERSAL, HASH], { commit: 'c1', default_ref: 'main' });
    const target = { base_ref: 'main', commit: 'c2' };
    const ofRequest = await scan('fix-downloads', [INJECTION, HASH], target);

    const page = await site.open(org, `/scans/${ofRequest}`);
    await gate(page).getByText('Failed: 1 finding is not on main (1 high)').waitFor();
    await gate(page).getByText('Compared with main (latest scan: Scan of main).').waitFor();
    expect(await gate(page).getByRole('listitem').getByRole('link').allInnerTexts()).toEqual([INJECTION]);
    await expectAccessible(page);
    const failsOn = gate(page).getByRole('combobox', { name: 'Fails on' });
    await failsOn.selectOption('Critical and above');
    await gate(page).getByText('Passed: no new findings').waitFor();
    expect(page.url()).toContain('fail_on=critical');
    await failsOn.selectOption('High and above');
    await gate(page).getByText('Failed').waitFor();

    // A finding that only the pull request has is proposed.
    const other = await page.context().newPage();
    await openFinding(other, INJECTION);
    await other.getByText('Proposed: neither the default branch nor a tracked branch has it yet').waitFor();
    await branch(other, 'fix-downloads').getByText('Present, last seen').waitFor();
    expect(await region(other, 'Branches').getByRole('listitem').count()).toBe(1);
    await expectAccessible(other);

    // The page of the scan follows a decision that is made elsewhere.
    await other.keyboard.press('p');
    await other.getByRole('dialog', { name: /^Triage/ }).waitFor();
    for (const key of ['1', 'Control+Enter']) await other.keyboard.press(key);
    await other.getByRole('alert').filter({ hasText: 'Set to False positive' }).waitFor();
    await other.getByRole('button', { name: 'False positive', pressed: true }).waitFor();
    await gate(page).getByText('Passed: no new findings').waitFor();
    expect(await gate(page).getByRole('listitem').count()).toBe(0);
    await expectAccessible(page);

    // A branch that has fixed a finding says nothing about the others.
    await openFinding(page, TRAVERSAL);
    await branch(page, 'main default').getByText('Present, last seen').waitFor();
    await page.getByRole('button', { name: 'Open', pressed: true }).waitFor();
    await expectListed(page, 'ref:fix-downloads', [HASH, INJECTION]);
    await page.getByRole('button', { name: 'Present on: fix-downloads' }).waitFor();
    await expectAccessible(page);
    await expectListed(page, 'ref:main', [HASH, TRAVERSAL]);
    await expectListed(page, 'proposed:true', [INJECTION]);
    await page
      .getByRole('row')
      .filter({ hasText: INJECTION })
      .getByText('Proposed', { exact: true })
      .waitFor();
    await expectListed(page, 'proposed:false', [HASH, TRAVERSAL]);

    await scan('main', [INJECTION, HASH], { commit: 'c3' });
    await openFinding(page, TRAVERSAL);
    await page.getByRole('button', { name: 'Fixed', pressed: true }).waitFor();
    await branch(page, 'main default').getByText('Missing since').waitFor();
    await openFinding(page, INJECTION);
    await page.getByRole('button', { name: 'False positive', pressed: true }).waitFor();
    await page
      .getByText('reported it on the default branch or a tracked branch for the first time')
      .waitFor();
    expect(await page.getByText('Proposed').count()).toBe(0);
    // The name of a branch leads to what it has now.
    await branch(page, 'main').getByRole('link', { name: 'main', exact: true }).click();
    await page.waitForURL(/[?&]ref=main/);
    await page.getByText('2 findings', { exact: true }).waitFor();
  });

  it('the settings name the branches that count', async () => {
    await scan('main', [HASH], { commit: 'c1', default_ref: 'main' });
    await scan('release/1.0', [TRAVERSAL], { commit: 'c2' });
    const page = await site.open(org, '/projects/web-shop/settings');
    const branches = region(page, 'Branches');
    const patterns = branches.getByLabel('Tracked branches');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    // The scan has named it.
    expect(await branches.getByLabel('Default branch').inputValue()).toBe('main');
    await patterns.fill(Array.from({ length: 21 }, (_, i) => `release/${i}`).join('\n'));
    await save.click();
    await branches.getByText('Must have at most 20 patterns').waitFor();
    await patterns.fill(' release/* \n\n');
    await save.click();
    await page.getByText('The branches are saved.').waitFor();
    expect(await patterns.inputValue()).toBe('release/*');
    expect(await project()).toMatchObject({ default_ref: 'main', tracked_refs: ['release/*'] });
    await expectAccessible(page);

    await openFinding(page, TRAVERSAL);
    await branch(page, 'release/1.0 tracked').getByText('Present, last seen').waitFor();
    expect(await page.getByText('Proposed').count()).toBe(0);
  });

  it('says nothing about branches where no scan has named one', async () => {
    const { id } = await push(site.api, org, await createScan(site.api, org), { title: HASH });
    const page = await site.open(org, `/findings/${id}`);
    await heading(page, HASH);
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByText('found it').waitFor();
    expect(await region(page, 'Branches').count()).toBe(0);
  });
});
