import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { beforeAll, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { inEachScheme } from './support/look.ts';
import { describePages } from './support/site.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u202Etxet';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

describePages('the dashboard and scans', (site) => {
  let org: TestOrg;
  let first: string;
  let second: string;

  const end = async (scan: string, body: Record<string, string>) =>
    must(await site.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body }));
  const open = async (path = '') => {
    const page = await site.open(org, path);
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

  it('shows the projects with the most severe findings, each number a link to its findings', async () => {
    const page = await open();
    await heading(page, 'Dashboard');
    const projects = page.getByRole('region', { name: 'Projects by risk' });
    const row = projects.getByRole('row', { name: 'Web shop' });
    const cells = () => row.getByRole('cell').allInnerTexts();
    await expect.poll(async () => (await cells()).slice(1)).toEqual(['1', '1', '0', '0', '0', '0']);
    await row
      .getByRole('img', { name: /^Unresolved findings: from 0 to 2 in \d+ weeks, at most 2$/ })
      .waitFor();
    await page.getByRole('region', { name: 'Highest priority' }).getByText(`${HOSTILE} stays`).waitFor();
    await page.getByText('In total: 3 findings of every status, and 2 scans.').waitFor();
    await page.getByRole('img', { name: /^Chart of found.* 3 found, 1 resolved, 2 unresolved/ }).waitFor();
    await inEachScheme(page, () => expectAccessible(page));

    await page.getByRole('button', { name: 'Show as a table' }).click();
    const weeks = page.getByRole('region', { name: 'Found and resolved per week' });
    const thisWeek = weeks.getByRole('row').nth(1).getByRole('cell');
    expect(await thisWeek.allInnerTexts()).toEqual(['3', '1', '2']);
    const times = page.getByRole('region', { name: 'Time to resolve' });
    const critical = times.getByRole('row', { name: 'Critical' }).getByRole('cell');
    expect((await critical.allInnerTexts())[0]).toBe('1');
    await expectAccessible(page);

    await row.getByRole('link', { name: '1 critical' }).click();
    await page.waitForURL(
      `**/findings?attention=true&sort=-priority&project_id=${org.projectId}&severity=critical`,
    );
  });

  it('counts the own work as the lists do, and leads to what everybody has decided', async () => {
    const own = await createOrg(site.api);
    const grace = await addMember(site.api, own, 'member', 'Grace Hopper');
    const scan = await createScan(site.api, own);
    const ids: string[] = [];
    for (const title of ['One', 'Two', 'Three', 'Four'])
      ids.push((await push(site.api, own, scan, { title })).id);
    const change = async (body: object, as: object = own.asOwner) =>
      must(await site.api.patch('/findings', { ...as, body }));
    await change({ ids: ids.slice(0, 3), assignee_id: own.owner.id }, grace.as);
    await change({ ids: [ids[2]], status: 'fixed' });
    const body = { body: `@[Ada](${own.owner.id}) please look` };
    must(await site.api.post(`/findings/${ids[3]}/comments`, { ...grace.as, body }));

    const page = await site.open(own);
    const work = page.getByRole('navigation', { name: 'My work' });
    for (const [label, titles] of [
      ['Assigned to me', ['One', 'Two']],
      ['Mentions', ['Four']],
      ['Waiting for my verification', ['Three']],
    ] as const) {
      const link = work.getByRole('link', { name: label });
      await link.filter({ hasText: String(titles.length) }).click();
      for (const title of titles) await page.getByRole('grid').getByText(title).waitFor();
      const found = page.getByRole('grid').getByText(/^(One|Two|Three|Four)$/);
      expect(await found.count(), label).toBe(titles.length);
      await page.goBack();
      await link.waitFor();
    }

    const latest = page.getByRole('region', { name: 'Latest decisions' });
    await latest.getByText('changed the status from Open to Fixed').waitFor();
    await latest.getByRole('link', { name: 'All activity' }).click();
    await heading(page, 'Activity');
    const items = page.getByRole('list', { name: 'Activity, newest first' }).getByRole('listitem');
    await expect.poll(() => items.count()).toBe(3);
    await items.first().getByText('please look').waitFor();
    // One request for three findings is one item.
    await items.last().getByText('assigned it to').waitFor();
    for (const title of ['One', 'Two', 'Three'])
      await items.last().getByRole('link', { name: title }).waitFor();
    await inEachScheme(page, () => expectAccessible(page));

    await page.getByRole('combobox', { name: 'Person' }).fill('ada');
    await page.getByRole('option', { name: /you/ }).click();
    await expect.poll(() => items.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('actor')).toBe(own.owner.id);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^activity-.*\.csv$/);

    await page.goto(site.orgUrl(own.slug, '/members'));
    await page.getByRole('link', { name: 'Activity of Grace Hopper' }).click();
    await expect.poll(() => items.count()).toBe(2);
    await page.goto(site.orgUrl(own.slug, '/activity?kind=comments'));
    await expect.poll(() => items.count()).toBe(1);
    await page.goto(site.orgUrl(own.slug, '/findings?sort=-created_at'));
    const query = page.getByRole('combobox', { name: 'Search or filter findings' });
    await query.fill('changed_by:');
    await page.getByRole('option', { name: /Grace Hopper/ }).waitFor();
    await query.fill(`changed_by:"Grace Hopper" changed:7d`);
    await query.press('Enter');
    await page.getByRole('button', { name: 'Changed by: Grace Hopper' }).waitFor();
    for (const title of ['One', 'Two', 'Three', 'Four'])
      await page.getByRole('grid').getByText(title).waitFor();
    await query.fill('changed_by:me changed:7d');
    await query.press('Enter');
    await page.getByRole('grid').getByText('One').waitFor({ state: 'detached' });
    await page.getByRole('grid').getByText('Three').waitFor();
  });

  it('keeps range and project in the address, and applies them to everything', async () => {
    const mine = await createOrg(site.api);
    const body = { name: HOSTILE };
    const other = must(await site.api.post('/projects', { ...mine.asOwner, body }));
    const made = must(
      await site.api.post(`/projects/${other.id}/tokens`, { ...mine.asOwner, body: { name: 'ci' } }),
    );
    const ofOther = { ...mine, projectId: other.id, asAgent: { token: made.token, org: mine.slug } };
    const scan = await createScan(site.api, mine);
    await push(site.api, mine, scan, { title: 'In the shop', severity: 'critical' });
    const scanOfOther = await createScan(site.api, ofOther);
    const done = await push(site.api, ofOther, scanOfOther, { title: 'Elsewhere, fixed', severity: 'high' });
    must(await site.api.patch(`/findings/${done.id}`, { ...mine.asOwner, body: { status: 'fixed' } }));
    await push(site.api, ofOther, scanOfOther, { title: 'Elsewhere', severity: 'high' });

    const page = await site.open(mine);
    const rows = page.getByRole('region', { name: 'Projects by risk' }).getByRole('row');
    await expect
      .poll(() => rows.getByRole('rowheader').allInnerTexts())
      .toEqual(['All projects', 'Web shop', HOSTILE]);
    await page.getByText('30 days').click();
    await page.waitForURL('**?days=30');
    await rows
      .getByRole('img', { name: /from 0 to 2 in [56] weeks/ })
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option', { name: HOSTILE }).click();
    await page.waitForURL(`**?days=30&project_id=${other.id}`);

    await expect.poll(() => rows.getByRole('rowheader').allInnerTexts()).toEqual([HOSTILE]);
    const today = page.getByRole('navigation', { name: 'Work today' });
    const numbers = async () =>
      (await today.getByRole('link').allInnerTexts()).map((text) => text.split(/\n+/)[0]);
    await expect.poll(numbers).toEqual(['0', '0', '2', '1']);
    await page.getByRole('img', { name: /^Chart of found.* 2 found, 1 resolved, 1 unresolved/ }).waitFor();
    await rows.getByRole('img', { name: /from 0 to 1 in [56] weeks/ }).waitFor();
    await page.getByRole('region', { name: 'Scans' }).getByText('1 running').waitFor();
    await page.getByText('In total: 2 findings of every status, and 1 scan.').waitFor();
    const first = page.getByRole('region', { name: 'Highest priority' }).getByRole('listitem');
    expect(await first.getByRole('link').allInnerTexts()).toEqual(['Elsewhere']);
    await expectAccessible(page);

    await today.getByRole('link', { name: 'Waiting for verification' }).click();
    const grid = page.getByRole('grid', { name: 'Findings' });
    await expect.poll(() => grid.getByRole('link').allInnerTexts()).toEqual(['Elsewhere, fixed']);
    await page.goBack();
    await page.getByRole('link', { name: 'All metrics' }).click();
    await page.waitForURL(`**/metrics?days=30&project_id=${other.id}`);
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**?days=30');
    await expect.poll(numbers).toEqual(['0', '0', '3', '1']);
  });

  it('wraps long titles of findings to two lines', async () => {
    const title = 'SQL injection in the search of orders through the parameter that sorts columns by name';
    const own = await createOrg(site.api);
    const scan = await createScan(site.api, own);
    for (const one of [title, title.repeat(4)]) await push(site.api, own, scan, { title: one });
    const page = await site.open(own);
    const first = page.getByRole('region', { name: 'Highest priority' });
    const linesOf = (name: string) =>
      first
        .getByRole('link', { name, exact: true })
        .evaluate((link: { clientHeight: number; scrollHeight: number }) =>
          [link.clientHeight, link.scrollHeight].map((height) => Math.round(height / 20)),
        );
    expect(await linesOf(title)).toEqual([2, 2]);
    const [shown, all] = await linesOf(title.repeat(4));
    expect(shown).toBe(2);
    expect(all).toBeGreaterThan(2);
    expect(await first.getByTitle(title.repeat(4)).count()).toBe(1);
  });

  it('explains a range or project that there is not', async () => {
    const page = await open('?project_id=00000000-0000-7000-8000-000000000000');
    await page.getByText('This project does not exist').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Show all projects' }).click();
    await page.getByRole('region', { name: 'Projects by risk' }).getByText('Web shop').waitFor();
    await page.goto(site.orgUrl(org.slug, '?from=2026-02-01&to=2026-01-01'));
    await page.getByText('The first day must not be after the last day.').waitFor();
  });

  it.each([1440, 360])('moves nothing while it loads, %d pixels wide', async (width) => {
    const page = await site.visit({ cookie: org.owner.cookie, viewport: { width, height: 900 } });
    await page.addInitScript({
      content: `window.shift = 0; new PerformanceObserver((list) => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
      }).observe({ type: 'layout-shift', buffered: true })`,
    });
    // The rows arrive one after the other.
    for (const [part, ms] of [
      ['metrics', 600],
      ['projects?from', 900],
      ['trend', 300],
    ] as const)
      await intercept(page, `**/api/v1/dashboard/${part}*`, async (route) => {
        await new Promise((later) => setTimeout(later, ms));
        await route.continue();
      });
    await page.goto(site.orgUrl(org.slug));
    await page.getByRole('img', { name: /^Chart of found/ }).waitFor();
    await page.getByRole('img', { name: /^Unresolved findings/ }).waitFor();
    expect(await page.evaluate('window.shift')).toBeLessThan(0.02);
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
    const page = await site.open(mine);
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
    await intercept(page, '**/api/v1/dashboard/projects', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const one of json.result) Object.assign(one, { ...many, attention: many, regressed: many });
      await route.fulfill({ response, json });
    });
    await page.goto(site.orgUrl(org.slug));
    const row = page.getByRole('row', { name: 'Web shop' });
    await row.getByRole('link', { name: '200,001 critical' }).waitFor();
    await page.getByRole('navigation', { name: 'Work today' }).getByText('1,000,005').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    // No number is cut off, covers another one, or leaves its card.
    const wrong = () =>
      page.evaluate(`(() => {
      const boxes = [...document.querySelectorAll('main a, main td, main th')].flatMap((element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const found = [];
        for (let node; (node = walker.nextNode()); ) {
          if (!/\\d,\\d{3}/.test(node.data) || node.parentElement.closest('a, td, th') !== element) continue;
          const range = document.createRange();
          range.selectNodeContents(node);
          const box = range.getBoundingClientRect();
          if (box.width > 0) found.push({ text: node.data, box, card: element.closest('section, nav, main').getBoundingClientRect() });
        }
        return found;
      });
      const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
      if (boxes.length < 5) return ['too few numbers: ' + boxes.length];
      return boxes.flatMap(({ text, box, card }, i) => [
        ...(box.right > card.right || box.left < card.left ? [text + ' leaves its card'] : []),
        ...(boxes.some((other, k) => k > i && overlaps(box, other.box)) ? [text + ' overlaps'] : []),
      ]);
    })()`);
    await expect.poll(wrong).toEqual([]);
  });

  it('shows what runs, and notices by itself that it has ended', async () => {
    const scan = await createScan(site.api, org, 'runs');
    const page = await open();
    const scans = page.getByRole('region', { name: 'Scans' });
    await scans.getByRole('link', { name: '1 running' }).waitFor();
    // A generated name, in the time zone of the user.
    await scans.getByRole('link', { name: /^Full audit, \d{1,2} \w{3,4} \d\d:\d\d$/ }).waitFor();
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
      .getByRole('link', { name: /, \d{1,2} \w{3,4} \d\d:\d\d$/ })
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
    await page.getByText('This project has no earlier completed scan').waitFor();
    await page.getByRole('combobox', { name: 'Compare with' }).click();
    await page.getByRole('listbox', { name: 'Compare with' }).getByRole('option').first().click();
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
    const search = page.getByRole('combobox', { name: 'Search', exact: true });
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
    const choose = async (text: string, option: string) => {
      await search.fill(text);
      await page.getByRole('option', { name: option }).first().click();
    };
    await choose('overdue', 'Overdue');
    await page.waitForURL(/overdue=true/);
    await page.keyboard.press('Control+k');
    await choose(org.owner.email, 'Assigned to');
    await page.waitForURL((url) => url.searchParams.get('assignee') === org.owner.id);
    await page.keyboard.press('Control+k');
    await choose('settings due', 'Due dates');
    await heading(page, 'Settings');
    await page.getByRole('heading', { name: 'Due dates' }).and(page.locator(':visible')).waitFor();
    await page.keyboard.press('Control+k');
    await choose('create a project', 'Create a project');
    await page.getByRole('dialog', { name: 'New project' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await search.fill('nothing of this name');
    await page.getByRole('option', { name: 'Search findings for “nothing of this name”' }).waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
  });
});
