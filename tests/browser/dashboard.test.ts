import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { beforeAll, expect, inject, it } from 'vitest';
import { createWorkspace } from '../support/agent/agent.ts';
import { createOrg, createScan, createUser, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages, type Site, startSite } from './support/site.ts';

const REPORT = resolve(import.meta.dirname, '../fixtures/several-runs.sarif');
const HOSTILE = '<img src=x onerror=alert(1)>\u202Etxet';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

let site: Site;
beforeAll(async () => {
  if (inject('browser')) site = await startSite();
});

describePages('the first steps', () => {
  let slug: string;
  let cookie: string;
  beforeAll(async () => {
    ({ cookie } = await createUser(site.api));
    slug = must(await site.api.post('/orgs', { cookie, body: { name: 'Acme', slug: 'acme' } })).slug;
  });

  it('lead a newcomer to the first finding, with commands to copy', async () => {
    const page = await site.visit({ cookie });
    await page.goto(site.orgUrl(slug));
    await heading(page, 'First steps');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByText('Enter a name').waitFor();
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
    await page.getByRole('button', { name: 'Open dashboard' }).click();
    await heading(page, 'Dashboard');
  });

  it('go on where they were after a reload, without the token, which is shown once', async () => {
    const org = must(await site.api.post('/orgs', { cookie, body: { name: 'Later', slug: 'later' } }));
    const as = { cookie, org: org.slug };
    const project = must(await site.api.post('/projects', { ...as, body: { name: HOSTILE } }));
    const page = await site.visit({ cookie });
    await page.goto(site.orgUrl(org.slug));
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

  it('tell a viewer who can create a project', async () => {
    const viewer = await createUser(site.api, 'Vera');
    const org = must(await site.api.post('/orgs', { cookie, body: { name: 'Seen', slug: 'seen' } }));
    const body = { email: viewer.email, role: 'viewer' };
    must(await site.api.post('/members/invite', { cookie, org: org.slug, body }));
    const page = await site.visit({ cookie: viewer.cookie });
    await page.goto(site.orgUrl(org.slug));
    await page.getByText('Only owners, admins and members can create projects').waitFor();
    expect(await page.getByLabel('Project name').count()).toBe(0);
  });
});

describePages('the dashboard and scans', () => {
  let org: TestOrg;
  let first: string;
  let second: string;

  const end = async (scan: string, body: Record<string, string>) =>
    must(await site.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body }));
  const open = async (path = '') => {
    const page = await site.visit({ cookie: org.owner.cookie });
    await page.goto(site.orgUrl(org.slug, path));
    return page;
  };

  // Two scans of which the second has one finding in common with the first, one new, and misses one.
  beforeAll(async () => {
    org = await createOrg(site.api);
    const stays = { fingerprint: 'stays', severity: 'critical', title: `${HOSTILE} stays` };
    first = await createScan(site.api, org, 'first');
    await push(site.api, org, first, stays);
    await push(site.api, org, first, { title: 'Goes away', severity: 'high' });
    await end(first, { status: 'completed' });
    second = await createScan(site.api, org, 'second');
    await push(site.api, org, second, stays);
    const settled = await push(site.api, org, second, { title: 'Comes', severity: 'critical' });
    await end(second, { status: 'completed' });
    const body = { status: 'false_positive' };
    must(await site.api.patch(`/findings/${settled.id}`, { ...org.asOwner, body }));
  });

  it('shows what needs attention first, each number a link to its findings', async () => {
    const page = await open();
    await heading(page, 'Dashboard');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('2 findings').waitFor();
    const critical = attention.getByRole('link', { name: 'Critical 1' });
    await page.getByRole('region', { name: 'Highest priority' }).getByText(`${HOSTILE} stays`).waitFor();
    await page.getByText('In total: 3 findings of every status, and').waitFor();
    await page.getByRole('img', { name: /Chart of new findings.* 3 new in 30 days/ }).waitFor();
    await expectAccessible(page);

    await page.getByText('7 days').click();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    const today = page.getByRole('region', { name: 'New findings' }).getByRole('row').nth(1);
    expect(await today.getByRole('cell').allInnerTexts()).toEqual(['3', '2', '1', '0', '0', '0']);
    await expectAccessible(page);

    await critical.click();
    await page.waitForURL('**/findings?attention=true&sort=-priority&severity=critical');
  });

  it('leads to the work of today, each number to its list', async () => {
    const mine = await createOrg(site.api);
    const scan = await createScan(site.api, mine);
    const one = (title: string, severity: string) =>
      push(site.api, mine, scan, { title, severity, fingerprint: title });
    const set = async (id: string, status: string) =>
      must(await site.api.patch(`/findings/${id}`, { ...mine.asOwner, body: { status } }));
    await one('New and critical', 'critical');
    await one('New and high', 'high');
    const { id: back } = await one('Back again', 'medium');
    const { id: fixed } = await one('Only fixed', 'low');
    for (const id of [back, fixed]) await set(id, 'fixed');
    await one('Back again', 'medium');
    const page = await site.visit({ cookie: mine.owner.cookie });
    await page.goto(site.orgUrl(mine.slug));
    const today = page.getByRole('navigation', { name: 'Work today' });
    const numbers = async () =>
      (await today.getByRole('link').allInnerTexts()).map((text) => text.split(/\n+/).slice(0, 2).join(' '));
    await expect
      .poll(numbers)
      .toEqual(['1 Regressed', '0 Overdue', '2 New critical and high', '1 Waiting for verification']);
    await today.getByText('1 medium').waitFor();
    await expectAccessible(page);
    const grid = page.getByRole('grid', { name: 'Findings' });
    const lists = [
      ['Regressed', ['Back again']],
      ['New critical and high', ['New and high', 'New and critical']],
      ['Waiting for verification', ['Only fixed']],
    ] as const;
    for (const [label, titles] of lists) {
      await today.getByRole('link', { name: label }).click();
      await expect.poll(() => grid.getByRole('link').allInnerTexts()).toEqual(titles);
      await page.goBack();
    }
  });

  it.each([1440, 768, 360])('has room for any number, %d pixels wide', async (width) => {
    const page = await site.visit({ cookie: org.owner.cookie, viewport: { width, height: 900 } });
    const many = {
      total: 1_000_005,
      critical: 200_001,
      high: 200_001,
      medium: 200_001,
      low: 200_001,
      info: 200_001,
    };
    await page.route('**/api/v1/dashboard/projects', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const one of json.result) Object.assign(one, { ...many, attention: many, regressed: many });
      await route.fulfill({ response, json });
    });
    await page.goto(site.orgUrl(org.slug));
    await page.getByRole('link', { name: 'Critical 200,001' }).waitFor();
    await page.getByRole('navigation', { name: 'Work today' }).getByText('1,000,005').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    // No number is cut off, covers another one, or leaves its card.
    const wrong = await page.evaluate(`(() => {
      const boxes = [...document.querySelectorAll('main a, main td, main th')].flatMap((element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let node; (node = walker.nextNode()); ) {
          if (!/\\d,\\d{3}/.test(node.data) || node.parentElement.closest('a, td, th') !== element) continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const box = range.getBoundingClientRect();
          if (box.width > 0) found.push({ text: node.data, box, card: element.closest('section, nav').getBoundingClientRect() });
        }
        return found;
      });
      const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
      if (boxes.length < 8) return ['too few numbers: ' + boxes.length];
      return boxes.flatMap(({ text, box, card }, i) => [
        ...(box.right > card.right || box.left < card.left ? [text + ' leaves its card'] : []),
        ...(boxes.some((other, k) => k > i && overlaps(box, other.box)) ? [text + ' overlaps'] : []),
      ]);
    })()`);
    expect(wrong).toEqual([]);
  });

  it('shows what runs, and notices by itself that it has ended', async () => {
    const scan = await createScan(site.api, org, 'runs');
    const page = await open();
    const scans = page.getByRole('region', { name: 'Scans' });
    await scans.getByRole('link', { name: '1 running' }).waitFor();
    // A generated name, in the time zone of the user.
    await scans.getByRole('link', { name: /^Sharingan, \d{1,2} \w{3,4} \d\d:\d\d$/ }).waitFor();
    const ofScan = await page.context().newPage();
    await ofScan.goto(site.orgUrl(org.slug, `/scans/${scan}`));
    await ofScan.getByText('No findings so far').waitFor();
    await push(site.api, org, scan, { title: 'At the last moment' });
    await end(scan, { status: 'failed', error_message: `No memory ${HOSTILE}` });
    await scans.getByText('No scan is running').waitFor();
    await scans.getByText('Failed').waitFor();
    await ofScan.getByRole('link', { name: 'At the last moment' }).waitFor();
    await ofScan.close();

    await page.goto(site.orgUrl(org.slug, '/scans?status=failed'));
    await page.getByText(`No memory ${HOSTILE}`).waitFor();
    await page.getByText('1 scan', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('marks a scan that completed with warnings, and shows them', async () => {
    const scan = await createScan(site.api, org, 'warned');
    const failed = await createScan(site.api, org, 'broken');
    await end(scan, { status: 'completed', error_message: `a.py: no parse ${HOSTILE}` });
    await end(failed, { status: 'failed', error_message: 'No disk' });
    const page = await open('/scans');
    const row = page.getByRole('row').filter({ hasText: `a.py: no parse ${HOSTILE}` });
    await row.getByText('Completed with warnings', { exact: true }).filter({ visible: true }).waitFor();
    await expectAccessible(page);
    expect(await page.getByText('Completed with warnings').filter({ visible: true }).count()).toBe(1);

    await page.goto(site.orgUrl(org.slug, `/scans/${scan}`));
    await page.getByText('Completed with warnings', { exact: true }).waitFor();
    const alert = page.getByRole('alert', { name: 'The scan completed with warnings' });
    await alert.getByText(`a.py: no parse ${HOSTILE}`).waitFor();
    expect(await page.getByText('The scan failed').count()).toBe(0);
    await expectAccessible(page);

    await page.goto(site.orgUrl(org.slug, `/scans/${failed}`));
    await page.getByRole('alert', { name: 'The scan failed' }).getByText('No disk').waitFor();
  });

  it('keeps the filter of scans in the address, and marks what runs for too long', async () => {
    const scan = await createScan(site.api, org, 'died');
    const sql = postgres(site.databaseUrl, { max: 1 });
    const schema = `org_${org.id.replaceAll('-', '')}`;
    await sql`update ${sql(schema)}.scans set created_at = created_at - interval '3 hours' where scan_id = ${scan}`;
    await sql.end();
    const page = await open('/scans');
    await page.getByText('Running', { exact: true }).first().click();
    await page.waitForURL('**/scans?status=running');
    await page.getByRole('cell', { name: 'Stale', exact: true }).waitFor();
    await page.getByText('1 scan', { exact: true }).waitFor();
    await page.goBack();
    await page.waitForURL('**/scans');
    await page
      .getByRole('link', { name: /^Sharingan, / })
      .nth(2)
      .waitFor();
    await expectAccessible(page);

    await page.goto(site.orgUrl(org.slug, '/scans?project_id=00000000-0000-7000-8000-000000000000'));
    await page.getByRole('link', { name: 'Show all scans' }).click();
    await page.waitForURL('**/scans');
    await end(scan, { status: 'failed' });
  });

  it('compares a scan with the one before, or with another', async () => {
    const page = await open(`/scans/${second}`);
    const changed = page.getByRole('region', { name: 'Changes' });
    await changed.getByRole('link', { name: /^1\s*Seen again/ }).waitFor();
    await changed.getByRole('link', { name: /^1\s*Gone/ }).waitFor();
    await page.getByRole('region', { name: 'Findings' }).getByText(`${HOSTILE} stays`).waitFor();
    await expectAccessible(page);
    await changed.getByRole('link', { name: /^1\s*New/ }).click();
    await page.waitForURL(`**/findings?scan_id=${second}&against=${first}&change=new`);

    await page.goto(site.orgUrl(org.slug, `/scans/${first}`));
    await page.getByText('so all findings are new').waitFor();
    await page.getByRole('combobox', { name: 'Compare with' }).click();
    await page.getByRole('option').first().click();
    await page.waitForURL(`**/scans/${first}?against=*`);
    await changed.getByRole('link', { name: /Gone/ }).waitFor();

    await page.goto(site.orgUrl(org.slug, '/scans/no-such-scan'));
    await page.getByRole('alert').getByText('Not found').waitFor();
  });

  it('makes no link of a target that is none', async () => {
    const target = { url: 'javascript:alert(1)', path: HOSTILE };
    const body = { scan_id: 'odd', project_id: org.projectId, persona: 'killua', name: HOSTILE, target };
    must(await site.api.post('/agent/scans', { ...org.asAgent, body }));
    const page = await open('/scans/odd');
    await heading(page, HOSTILE);
    await page.getByText('javascript:alert(1)').waitFor();
    expect(await page.getByRole('link', { name: 'javascript:alert(1)' }).count()).toBe(0);
    await end('odd', { status: 'completed' });
  });

  it('leads everywhere by the keyboard', async () => {
    const page = await open('/scans');
    await heading(page, 'Scans');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search' });
    await search.fill('member');
    await page.getByRole('option', { name: 'Members' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Members');

    await page.getByRole('button', { name: 'Search' }).click();
    await search.fill('goes away');
    await page.getByRole('option', { name: 'Goes away', exact: false }).last().waitFor();
    await page.getByRole('option').nth(1).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/findings/*?q=goes+away&at=1'.replace('+', '%20'));

    await page.keyboard.press('Control+k');
    await search.fill('nothing of this name');
    await page.getByRole('option', { name: 'Search findings for “nothing of this name”' }).waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
  });
});
