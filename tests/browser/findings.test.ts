import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { type SeededOrg, seedOrg } from '../support/database/seed.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages, type Site, startSite } from './support/site.ts';

const FINDINGS = 10_000;

describePages('the list of findings', () => {
  let site: Site;
  let org: SeededOrg;
  let small: TestOrg;
  let viewer: TestUser;
  let sql: postgres.Sql;

  beforeAll(async () => {
    site = await startSite();
    sql = postgres(site.databaseUrl, { max: 2, onnotice: () => {} });
    org = await seedOrg({ sql }, site, { findings: FINDINGS, bytes: 1_000 });
    small = await createOrg(site.api);
    viewer = await createUser(site.api, 'Vera Viewer');
    const invitation = { email: viewer.email, role: 'viewer' };
    must(await site.api.post('/members/invite', { ...small.asOwner, body: invitation }));
  });
  afterAll(() => sql?.end());

  async function open(of: TestOrg, search = '', cookie = of.owner.cookie): Promise<Page> {
    const page = await site.visit({ cookie });
    await page.goto(site.orgUrl(of.slug, `/findings${search}`));
    return page;
  }
  const grid = (page: Page) => page.getByRole('grid', { name: 'Findings' });
  const row = (page: Page, name: string | RegExp) => grid(page).getByRole('row', { name });
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const listed = async (search: string, of: TestOrg = org) =>
    (await site.api.get(`/findings?page=1${search}`, of.asOwner)).json.result_info.total as number;
  const counted = (total: number) => `${total.toLocaleString('en')} finding${total === 1 ? '' : 's'}`;
  const said = (page: Page, total: number) => page.getByText(counted(total), { exact: true }).waitFor();
  const focused = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-rowindex")');
  const refuse = (route: Route) =>
    route.fulfill({
      status: 403,
      json: { success: false, errors: [{ type: 'permission_error', code: 'denied', message: 'No.' }] },
    });
  const searchOf = (page: Page) => new URL(page.url()).search;

  it('is narrowed by what is in its address, which the filters change', async () => {
    const page = await open(org, '?severity=critical');
    await said(page, await listed('&severity=critical'));
    await page.getByText('Needs attention').click();
    await said(page, await listed('&severity=critical&status=open,confirmed'));
    expect(searchOf(page)).toBe('?severity=critical&status=open,confirmed');

    await page.getByLabel('CWE').fill('89');
    await said(page, await listed('&severity=critical&status=open,confirmed&cwe=CWE-89'));
    await button(page, 'CWE: CWE-89').click();
    await page.keyboard.press('/');
    await page.keyboard.type('handler-4');
    await said(page, await listed('&severity=critical&status=open,confirmed&q=handler-4'));
    await page.reload();
    await said(page, await listed('&severity=critical&status=open,confirmed&q=handler-4'));

    await page.getByLabel('Search in title, file and CVE').fill('there is no such thing');
    await page.getByText('No matching findings').waitFor();
    // What was just typed does not come back when it is cleared.
    await page.getByLabel('Search in title, file and CVE').fill('nor this');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await said(page, FINDINGS);
    await page.goBack();
    await page.getByText('No matching findings').waitFor();
  });

  it('says what of its address the service does not understand', async () => {
    const page = await open(org, '?cwe=89&page=0&severity=worst');
    await page.getByRole('alert').getByText('CWE-NNN').waitFor();
    await button(page, 'CWE: 89').click();
    await said(page, FINDINGS);
  });

  it('is sorted by its columns', async () => {
    const page = await open(org);
    const severity = grid(page).getByRole('columnheader', { name: 'Severity' });
    await severity.getByRole('button').click();
    await grid(page).getByRole('row').nth(1).getByText('Critical').waitFor();
    expect(await severity.getAttribute('aria-sort')).toBe('descending');
    await severity.getByRole('button').click();
    await grid(page).getByRole('row').nth(1).getByText('Info').waitFor();
    expect(searchOf(page)).toBe('?sort=severity');
  });

  it('shows all of ten thousand rows where one scrolls, and comes back to the place', async () => {
    const page = await open(org);
    await row(page, `SQL injection in handler ${FINDINGS} `).waitFor();
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(FINDINGS + 1));
    expect(await grid(page).getByRole('row').count()).toBeLessThan(60);

    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await row(page, /handler 1 /).waitFor();
    await expect.poll(() => searchOf(page)).toBe('?page=100');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'SQL injection in handler 2' }).waitFor();
    expect(searchOf(page)).toBe(`?at=${FINDINGS - 1}`);
    await page.goBack();
    await row(page, /handler 2 /).waitFor();
    await expect.poll(() => focused(page)).toBe(String(FINDINGS));

    await page.reload();
    await row(page, /handler 100 /).waitFor();
  });

  it('is triaged with the keyboard, and undone', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2, 3, 4]) await push(site.api, small, scan, { title: `Key ${n}` });
    const page = await open(small, '?status=open&q=Key');
    await row(page, /Key 4/).waitFor();

    // What is settled goes, and the next one takes its place.
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    await page.keyboard.press('f');
    await said(page, 2);
    await expect.poll(() => listed('&status=fixed', small)).toBe(2);
    expect(await row(page, /Key [34]/).count()).toBe(0);
    expect(await focused(page)).toBe('2');
    await page.keyboard.press('u');
    await row(page, /Key 3/).waitFor();
    await page.keyboard.press('u');
    await row(page, /Key 4/).waitFor();

    await page.keyboard.press('Home');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('w');
    await said(page, 1);
    await expect.poll(() => listed('&status=wontfix', small)).toBe(3);
    await button(page, 'Undo').click();
    await said(page, 4);
  });

  it('undoes what was done last, also when that was answered first', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2]) await push(site.api, small, scan, { title: `Late ${n}` });
    const page = await open(small, '?status=open&q=Late');
    await row(page, /Late 2/).waitFor();
    let answerFirst = () => {};
    const second = new Promise<void>((answered) => {
      answerFirst = answered;
    });
    await page.route(
      '**/api/v1/findings',
      async (route) => {
        await second;
        await route.continue();
      },
      { times: 1 },
    );
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    await page.keyboard.press('f');
    await page.getByText('Set to Fixed: “Late 1”').waitFor();
    answerFirst();
    await page.getByText('Set to Fixed: “Late 2”').waitFor();
    await page.keyboard.press('u');
    await row(page, /Late 1/).waitFor();
    expect(await row(page, /Late 2/).count()).toBe(0);
  });

  it('keeps to the finding that keys act on when others are pushed before it', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2, 3]) await push(site.api, small, scan, { title: `Moving ${n}` });
    const page = await open(small, '?q=Moving');
    await row(page, /Moving 3/).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused(page)).toBe('3');
    for (const n of [4, 5]) await push(site.api, small, scan, { title: `Moving ${n}` });
    await page.keyboard.press('c');
    await said(page, 5);
    // The next one after what was confirmed.
    await expect.poll(() => focused(page)).toBe('6');
    await page.keyboard.press('c');
    await expect
      .poll(async () => (await site.api.get('/findings?q=Moving&status=confirmed', small.asOwner)).result)
      .toMatchObject([{ title: 'Moving 2' }, { title: 'Moving 1' }]);
  });

  it('undoes what is told by the message with the button, whatever was done after it', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2]) await push(site.api, small, scan, { title: `Told ${n}` });
    const page = await open(small, '?q=Told');
    await row(page, /Told 2/).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    await page.getByText('Set to Confirmed: “Told 2”').waitFor();
    await page.route(
      '**/api/v1/findings',
      async (route) => {
        await button(page, 'Undo').click();
        await route.continue();
      },
      { times: 1 },
    );
    await page.keyboard.press('w');
    await page.getByText('Undone. Set to Open: “Told 2”').waitFor();
    expect((await site.api.get('/findings?q=Told', small.asOwner)).result).toMatchObject([
      { title: 'Told 2', status: 'open' },
      { title: 'Told 1', status: 'wontfix' },
    ]);
  });

  it('lets single keys be switched off', async () => {
    const scan = await createScan(site.api, small);
    await push(site.api, small, scan, { title: 'Left alone' });
    const page = await open(small, '?q=alone');
    await row(page, /Left alone/).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Set status: Fixed').waitFor();
    // What is behind a dialog gets no keys, even when nothing has the focus.
    await page.evaluate('document.activeElement.blur()');
    for (const key of ['x', 'x', 'f']) await page.keyboard.press(key);
    await page.getByLabel('Single-key shortcuts').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await row(page, /Left alone/).focus();
    for (const key of ['f', 'x', '?']) await page.keyboard.press(key);
    await page.keyboard.press('Space');
    await page.getByText('1 selected').waitFor();
    expect(await listed('&q=alone&status=open', small)).toBe(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('changes thousands at once, names those that failed, and puts the others back', async () => {
    const wanted = await listed('&severity=medium&status=open');
    const page = await open(org, '?severity=medium&status=open');
    await said(page, wanted);
    await page.getByLabel('Select visible findings').check();
    await button(page, `Select all ${wanted.toLocaleString('en')} matching findings`).click();
    await page.getByText(`${wanted.toLocaleString('en')} selected`).waitFor();
    await expectAccessible(page);

    const [gone] = await sql.unsafe<{ title: string }[]>(
      `delete from ${org.schema}.findings where id =
        (select id from ${org.schema}.findings where severity = 'medium' and status = 'open' limit 1)
       returning title`,
    );
    await button(page, 'Set status').click();
    await page.getByRole('menuitem', { name: 'False positive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click();
    await page.getByText(`${(wanted - 1).toLocaleString('en')} changed, 1 failed`).waitFor();
    await button(page, 'Show details').click();
    await page.getByText(`${gone?.title}: There is no such finding.`).waitFor();
    await expect
      .poll(() => listed('&severity=medium&status=false_positive'))
      .toBeGreaterThanOrEqual(wanted - 1);

    await button(page, 'Undo').click();
    await expect.poll(() => listed('&severity=medium&status=open'), { timeout: 10_000 }).toBe(wanted);
  });

  it('stops when it is told to, and goes on from there', async () => {
    const page = await open(org, '?severity=low&status=open');
    const wanted = await listed('&severity=low&status=open');
    await said(page, wanted);
    let batches = 0;
    await page.route('**/api/v1/findings', async (route) => {
      if (++batches === 2) await button(page, 'Stop').click();
      await route.continue();
    });
    await page.getByLabel('Select visible findings').check();
    await button(page, /^Select all/).click();
    await page.getByText(`${wanted.toLocaleString('en')} selected`).waitFor();
    await button(page, 'Set status').click();
    await page.getByRole('menuitem', { name: 'Confirmed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click();
    await page.getByText(`1,000 changed, ${(wanted - 1000).toLocaleString('en')} not tried`).waitFor();
    expect(await listed('&severity=low&status=open')).toBe(wanted - 1000);
    await button(page, 'Continue').click();
    await expect.poll(() => listed('&severity=low&status=open')).toBe(0);
  });

  it('says what is wrong when the service refuses, and tries again when asked to', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2]) await push(site.api, small, scan, { title: `Stubborn ${n}` });
    const page = await open(small, '?q=Stubborn&status=open');
    await said(page, 2);
    await page.route('**/api/v1/findings', refuse);
    await page.getByLabel('Select visible findings').check();
    await button(page, 'Set status').click();
    await page.getByRole('menuitem', { name: 'Fixed' }).click();
    await page.getByText('0 changed, 2 failed').waitFor();
    await button(page, 'Show details').click();
    await page.getByText('Stubborn 1: Your role does not allow this').waitFor();
    await page.unroute('**/api/v1/findings');
    await page.route('**/api/v1/findings', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const [{ id }] = json.result.updated.splice(0, 1);
      json.result.failed.push({ id, code: 'not_found', message: 'There is no such finding.' });
      await route.fulfill({ response, json });
    });
    await button(page, 'Try again').click();
    // Also when the list has become empty.
    await page.getByText('No matching findings').waitFor();
    await page.getByText('1 changed, 1 failed').waitFor();
    expect(await listed('&q=Stubborn&status=fixed', small)).toBe(2);
  });

  it('cannot put back what an agent has verified, and says so', async () => {
    const scan = await createScan(site.api, small);
    const { id } = await push(site.api, small, scan, { title: 'Seen to be fixed' });
    must(await site.api.patch(`/agent/findings/${id}`, { ...small.asAgent, body: { status: 'verified' } }));
    const page = await open(small, '?q=Seen');
    await row(page, /Seen to be fixed/)
      .getByRole('button', { name: 'Status: Verified. Change' })
      .click();
    await page.getByRole('menuitem', { name: 'Open' }).click();
    await row(page, /Seen to be fixed/)
      .getByRole('button', { name: 'Status: Open. Change' })
      .waitFor();
    await button(page, 'Undo').click();
    await page.getByText('1 finding not restored').waitFor();
  });

  it('exports what it shows', async () => {
    const page = await open(org, '?severity=critical&sort=cvss_score');
    const total = await listed('&severity=critical');
    await said(page, total);
    const save = async (format: RegExp) => {
      await button(page, 'Export').click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ]);
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
    };
    const csv = await save(/CSV/);
    expect(csv.name).toMatch(new RegExp(`^findings-${org.slug}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(total + 1);
    const sarif = await save(/SARIF/);
    expect(JSON.parse(sarif.text).runs[0].results).toHaveLength(total);

    await page.route('**/findings?*format=json', refuse);
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: /JSON/ }).click();
    await page.getByText('The export failed').waitFor();
  });

  it('shows hostile texts as text', async () => {
    const scan = await createScan(site.api, small);
    const title = '<img src=x onerror=alert(1)> \u202egnp.exe';
    await push(site.api, small, scan, { title, file: '<b>/"onmouseover=alert(1)".ts', source: '<i>z</i>' });
    const page = await open(small, '?q=onerror');
    await grid(page).getByRole('link', { name: title }).waitFor();
    await page.getByText('<b>/"onmouseover=alert(1)".ts').waitFor();
    expect(await page.getByRole('img', { name: 'x' }).count()).toBe(0);
  });

  it('shows viewers no triage', async () => {
    const scan = await createScan(site.api, small);
    await push(site.api, small, scan, { title: 'Only to be looked at' });
    const page = await open(small, '?q=looked', viewer.cookie);
    await row(page, /Only to be looked at/).waitFor();
    expect(await grid(page).getByRole('checkbox').count()).toBe(0);
    expect(
      await grid(page)
        .getByRole('button', { name: /Status:/ })
        .count(),
    ).toBe(0);
    for (const key of ['j', 'x', 'f']) await page.keyboard.press(key);
    expect(await page.getByText('1 selected').count()).toBe(0);
    expect(await listed('&q=looked&status=open', small)).toBe(1);
  });

  it('compares two scans when a link asks for it', async () => {
    const [before, after] = [await createScan(site.api, small), await createScan(site.api, small)];
    await push(site.api, small, before, { title: 'Stays', fingerprint: 'stays' });
    await push(site.api, small, after, { title: 'Stays', fingerprint: 'stays' });
    await push(site.api, small, after, { title: 'Came' });
    const page = await open(small, `?scan_id=${after}&against=${before}&change=new`);
    await row(page, /Came/).waitFor();
    await said(page, 1);
    await button(page, /^New since/).click();
    await said(page, 2);
    await button(page, /^Scan: /).click();
    await expect.poll(() => searchOf(page)).toBe('');
  });

  it('remembers the columns', async () => {
    const page = await open(org);
    await button(page, 'Columns').click();
    await page.getByRole('menuitemcheckbox', { name: 'Source' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'CVSS' }).click();
    await page.reload();
    await grid(page).getByRole('columnheader', { name: 'Source' }).waitFor();
    expect(await grid(page).getByRole('columnheader', { name: 'CVSS' }).count()).toBe(0);
  });

  it('has two lines for each on a phone, and the filters behind a button', async () => {
    const page = await site.visit({
      cookie: org.owner.cookie,
      viewport: { width: 360, height: 740 },
    });
    await page.goto(site.orgUrl(org.slug, '/findings'));
    await row(page, `SQL injection in handler ${FINDINGS} `).waitFor();
    await button(page, 'More filters and sort order').click();
    await page.getByLabel('Sort order', { exact: true }).selectOption('Most severe first');
    await grid(page).getByRole('row').nth(1).getByText('Critical').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible(page);
  });

  it('leads to the first steps where nothing was found yet', async () => {
    const empty = await createOrg(site.api);
    const page = await open(empty);
    await page.getByText('No findings yet').waitFor();
    await page.getByRole('link', { name: 'Open first steps' }).click();
    await page.waitForURL(site.orgUrl(empty.slug));
  });
});
