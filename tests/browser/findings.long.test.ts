import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { type SeededOrg, seedOrg } from '../support/database/seed.ts';
import { beforeAllAndRetries } from '../support/run/retries.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { backgroundOf, expectOpaque, inEachScheme } from './support/look.ts';
import { describePages } from './support/site.ts';

const FINDINGS = 10_000;
/** The view of findings of every status, newest first. */
const ALL = '?sort=-created_at';

describePages('the list of findings', (site) => {
  let org: SeededOrg;
  let small: TestOrg;
  let sql: postgres.Sql;

  beforeAll(async () => {
    sql = postgres(site.databaseUrl, { max: 2, onnotice: () => {} });
    org = await seedOrg({ sql }, site, { findings: FINDINGS, bytes: 1_000 });
  });
  beforeAllAndRetries(async () => {
    small = await createOrg(site.api);
  });
  afterAll(() => sql?.end());

  const open = (of: TestOrg, search = '', cookie = of.owner.cookie) =>
    site.open(of, `/findings${search}`, { cookie });
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
      headers: { 'x-request-id': 'req_refused' },
      json: { success: false, errors: [{ type: 'permission_error', code: 'denied', message: 'No.' }] },
    });
  const searchOf = (page: Page) => new URL(page.url()).search;

  it('is narrowed by what is in its address, which the filters change', async () => {
    const page = await open(org, '?severity=critical');
    await said(page, await listed('&severity=critical'));
    // A script of its own loads the session and the code of the page while the code of all pages is loaded.
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map((one) => one.initiatorType + ' ' + new URL(one.name).pathname)`,
    );
    const session = loaded.filter((name) => name.endsWith('/api/v1/auth/session'));
    expect(session).toEqual(['link /api/v1/auth/session']);
    const script = loaded.find((name) => /\/preload-\w+\.js$/.test(name))?.replace('script ', site.url) ?? '';
    expect(await (await page.request.get(script)).text()).toMatch(/"\/findings",\["\/assets\/ui\/Findings-/);
    await page.getByRole('link', { name: 'Needs attention' }).click();
    await said(page, await listed('&severity=critical&attention=true'));
    expect(searchOf(page)).toBe('?severity=critical&attention=true&sort=-priority');

    await page.getByLabel('CWE').fill('89');
    await said(page, await listed('&severity=critical&attention=true&cwe=CWE-89'));
    await button(page, 'CWE: CWE-89').click();
    await page.keyboard.press('/');
    await page.keyboard.type('handler-4');
    await said(page, await listed('&severity=critical&attention=true&q=handler-4'));
    await page.reload();
    await said(page, await listed('&severity=critical&attention=true&q=handler-4'));

    await page.getByLabel('Search or filter findings').fill('there is no such thing');
    await page.getByText('No matching findings').waitFor();
    // Typed text does not come back when it is cleared.
    await page.getByLabel('Search or filter findings').fill('nor this');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await said(page, await listed('&attention=true'));
    await page.goBack();
    await page.getByText('No matching findings').waitFor();
  });

  it('says what of its address the service does not understand', async () => {
    const page = await open(org, '?cwe=89&page=0&severity=worst&severty=high');
    const unknown = 'Unknown filter in the address: page=0, severity=worst and severty=high';
    await page.getByRole('alert').getByText(unknown).waitFor();
    await page.getByRole('link', { name: 'Remove from the address' }).click();
    await page.getByRole('alert').getByText('CWE-NNN').waitFor();
    expect(searchOf(page)).toBe('?cwe=89');
    await button(page, 'CWE: 89').click();
    await said(page, FINDINGS);
  });

  it('is sorted by its columns', async () => {
    const page = await open(org, ALL);
    const severity = grid(page).getByRole('columnheader', { name: 'Severity' });
    await severity.getByRole('button').click();
    await grid(page).getByRole('row').nth(1).getByText('Critical').waitFor();
    expect(await severity.getAttribute('aria-sort')).toBe('descending');
    await severity.getByRole('button').click();
    await grid(page).getByRole('row').nth(1).getByText('Info').waitFor();
    expect(searchOf(page)).toBe('?sort=severity');
    expect(await page.getByLabel('Sort order').inputValue()).toBe('severity');
    await page.getByLabel('Sort order').selectOption('Highest CVSS first');
    await page.waitForURL('**/findings?sort=-cvss_score');
  });

  it('shows all of ten thousand rows where one scrolls, and comes back to the place', async () => {
    const page = await open(org, ALL);
    await row(page, `SQL injection in handler ${FINDINGS} `).waitFor();
    expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(FINDINGS + 1));
    expect(await grid(page).getByRole('row').count()).toBeLessThan(60);

    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await row(page, /handler 1 /).waitFor();
    await expect.poll(() => searchOf(page)).toBe(`${ALL}&page=100`);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'SQL injection in handler 2' }).waitFor();
    expect(searchOf(page)).toBe(`${ALL}&at=${FINDINGS - 1}`);
    await page.goBack();
    await row(page, /handler 2 /).waitFor();
    await expect.poll(() => focused(page)).toBe(String(FINDINGS));

    await page.reload();
    await row(page, /handler 100 /).waitFor();
  });

  it('is triaged with the keyboard, and undone', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2, 3, 4, 5, 6]) await push(site.api, small, scan, { title: `Key ${n}` });
    const page = await open(small, '?status=open&q=Key');
    await row(page, /Key 6/).waitFor();

    // Settled findings leave the list, and the next one takes their place.
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    await page.keyboard.press('f');
    await said(page, 4);
    await expect.poll(() => listed('&status=fixed', small)).toBe(2);
    expect(await row(page, /Key [56]/).count()).toBe(0);
    expect(await focused(page)).toBe('2');
    await page.keyboard.press('u');
    await row(page, /Key 5/).waitFor();
    await page.keyboard.press('u');
    await row(page, /Key 6/).waitFor();

    await page.keyboard.press('Home');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('w');
    await page.getByRole('dialog', { name: 'Triage 3 findings' }).waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('Control+Enter');
    await said(page, 3);
    await expect.poll(() => listed('&status=wontfix', small)).toBe(3);
    // The cursor is on the next finding that was not triaged, and has skipped none.
    expect(await focused(page)).toBe('2');
    await row(page, /Key 3/).and(page.locator('[data-active]')).waitFor();
    await button(page, 'Undo').click();
    await said(page, 6);
  });

  it('goes back to the finding whose decision failed, unless the user has moved on', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2, 3, 4]) await push(site.api, small, scan, { title: `Refused ${n}` });
    const page = await open(small, '?status=open,confirmed&q=Refused');
    await row(page, /Refused 4/).waitFor();
    const active = (name: RegExp) => row(page, name).and(page.locator('[data-active]:focus')).waitFor();
    const answers: (() => void)[] = [];
    await intercept(page, '**/api/v1/findings', (route) => void answers.push(() => refuse(route)));
    const answer = async () => {
      await expect.poll(() => answers.length).toBe(1);
      answers.shift()?.();
      await said(page, 4);
    };

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await active(/Refused 3/);
    for (const key of ['c', 'f']) {
      await page.keyboard.press(key);
      await active(/Refused 2/);
      await answer();
      await active(/Refused 3/);
    }
    await page.keyboard.press('End');
    await page.keyboard.press('f');
    await said(page, 3);
    await answer();
    await active(/Refused 1/);

    await page.keyboard.press('Home');
    await page.keyboard.press('f');
    await active(/Refused 3/);
    await page.keyboard.press('j');
    await answer();
    await active(/Refused 2/);
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

  it('lets single keys be switched off', async () => {
    const scan = await createScan(site.api, small);
    await push(site.api, small, scan, { title: 'Left alone' });
    const page = await open(small, '?q=alone');
    await row(page, /Left alone/).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Set status: Fixed').waitFor();
    // The page behind a dialog gets no keys, even when nothing has the focus.
    await page.evaluate('document.activeElement.blur()');
    for (const key of ['x', 'x', 'f']) await page.keyboard.press(key);
    await page.getByLabel('Single-key shortcuts').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await row(page, /Left alone/).focus();
    for (const key of ['f', 'x', '?']) await page.keyboard.press(key);
    await page.keyboard.press('Shift+Space');
    await page.getByText('1 selected').waitFor();
    expect(await listed('&q=alone&status=open', small)).toBe(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('changes thousands by their filter, asks again if others match by now, and undoes all of it', async () => {
    const wanted = await listed('&severity=medium&status=open');
    const page = await open(org, '?severity=medium&status=open');
    await said(page, wanted);
    const requests: { method: string; path: string; body: Record<string, unknown> }[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      requests.push({
        method: request.method(),
        path: pathname + search,
        body: request.postDataJSON() ?? {},
      });
    });
    const selectAll = async () => {
      await button(page, `Select all ${wanted.toLocaleString('en')} matching findings`).click();
      await page.getByText(`${wanted.toLocaleString('en')} selected: all that match`).waitFor();
    };
    await page.getByLabel('Select visible findings').check();
    await selectAll();
    await expectAccessible(page);
    const rows = grid(page).locator('[data-index]');
    const scrollTo = (top: number) =>
      page.evaluate<void>(`document.querySelector('[role=grid]').scrollTo(0, ${top})`);
    await inEachScheme(page, async () => {
      // Rows scroll behind the header.
      await scrollTo(0);
      await expectOpaque(page, grid(page).getByRole('row').first(), () => scrollTo(20));
      const selected = await backgroundOf(rows.nth(4));
      await button(page, 'Clear').focus();
      // Without one of all, the visible ones stay selected.
      await rows.nth(4).getByRole('checkbox').click();
      await page.mouse.move(0, 0);
      const plain = await backgroundOf(rows.nth(4));
      await rows.nth(4).hover();
      const hovered = await backgroundOf(rows.nth(4));
      const bar = await backgroundOf(page.getByRole('region', { name: 'Selected findings' }));
      expect(plain).toBe('rgba(0, 0, 0, 0)');
      expect(new Set([selected, hovered, plain]).size, 'three backgrounds').toBe(3);
      expect(bar).toBe(hovered);
      await rows.nth(4).getByRole('checkbox').click();
    });
    await selectAll();

    const taken = must(
      await site.api.get('/findings?severity=medium&status=open&per_page=1', org.asOwner),
    )[0];
    const setStatus = (status: string) =>
      site.api.patch(`/findings/${taken.id}`, { ...org.asOwner, body: { status } });
    must(await setStatus('confirmed'));
    await button(page, 'Set status').click();
    await page.getByRole('menuitem', { name: 'Fixed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click();
    const left = (wanted - 1).toLocaleString('en');
    const question = page.getByRole('dialog', {
      name: `${left} findings match now, not ${wanted.toLocaleString('en')}`,
    });
    await question.getByText(/^Nothing was changed/).waitFor();
    expect(await listed('&severity=medium&status=open')).toBe(wanted - 1);
    await question.getByRole('button', { name: `Change all ${left}` }).click();
    await page.getByText(`Set to Fixed: ${left} findings`).waitFor();
    expect(await listed('&severity=medium&status=open')).toBe(0);
    const patches = requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
    const filter = { severity: ['medium'], status: ['open'] };
    expect(patches).toEqual([
      { filter, limit: 2_000, status: 'fixed', expected_count: wanted },
      { filter, limit: 2_000, status: 'fixed', expected_count: wanted - 1 },
      { filter, limit: 2_000, status: 'fixed', after: expect.any(String) },
    ]);
    expect(requests.filter(({ path }) => path.includes('per_page=500'))).toEqual([]);

    await button(page, 'Undo').click();
    await page.getByText(`Undone for ${left} findings.`).waitFor();
    expect(await listed('&severity=medium&status=open')).toBe(wanted - 1);
    must(await setStatus('open'));
  });

  it('stops when it is told to, and goes on from there, with progress', async () => {
    const search = '&severity=high,low&status=open';
    const page = await open(org, `?${search.slice(1)}`);
    const wanted = await listed(search);
    await said(page, wanted);
    let requests = 0;
    await intercept(page, '**/api/v1/findings', async (route) => {
      if (++requests === 1) {
        await page.getByText(`Changing: 0 of ${counted(wanted)}`).waitFor();
        await button(page, 'Stop').click();
      }
      await route.continue();
    });
    await page.getByLabel('Select visible findings').check();
    await button(page, /^Select all/).click();
    await button(page, 'Set status').click();
    await page.getByRole('menuitem', { name: 'Confirmed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set status' }).click();
    await page.getByText(`2,000 changed, ${(wanted - 2000).toLocaleString('en')} not tried`).waitFor();
    expect(await listed(search)).toBe(wanted - 2000);
    await button(page, 'Continue').click();
    await page.getByText(`Set to Confirmed: ${counted(wanted)}`).waitFor();
    expect(await listed(search)).toBe(0);
    await page.keyboard.press('u');
    await page.getByText(`Undone for ${counted(wanted)}.`).waitFor();
    expect(await listed(search)).toBe(wanted);
  });

  it('tells how much may have changed when a response was lost, and keeps the rest', async () => {
    const search = '&severity=high,low&status=open';
    const expected = /net::ERR_CONNECTION_RESET/;
    const page = await site.open(org, `/findings?${search.slice(1)}`, { expected });
    const wanted = await listed(search);
    await said(page, wanted);
    let requests = 0;
    await intercept(page, '**/api/v1/findings', (route) =>
      ++requests === 2 ? route.abort('connectionreset') : route.continue(),
    );
    await page.getByLabel('Select visible findings').check();
    await button(page, /^Select all/).click();
    await button(page, 'Triage…').click();
    const form = page.getByRole('dialog', { name: `Triage ${counted(wanted)}` });
    await form.getByLabel('Note').fill('Checked by the team.');
    await form.getByRole('button', { name: 'Fixed' }).click();
    await form.getByRole('button', { name: 'Apply' }).click();
    const left = (wanted - 2000).toLocaleString('en');
    await page.getByText(`2,000 changed, ${left} not tried`).waitFor();
    await page
      .getByText(`up to ${left} of these findings may have been changed: see Recent changes`)
      .waitFor();
    await expectAccessible(page);
    await button(page, 'Undo').click();
    await page.getByText('Undone for 2,000 findings.').waitFor();
    expect(await listed(search)).toBe(wanted);
  });

  it('says what is wrong when the service refuses, and tries again when asked to', async () => {
    const scan = await createScan(site.api, small);
    for (const n of [1, 2]) await push(site.api, small, scan, { title: `Stubborn ${n}` });
    const page = await open(small, '?q=Stubborn&status=open');
    await said(page, 2);
    await intercept(page, '**/api/v1/findings', refuse);
    await page.getByLabel('Select visible findings').check();
    await button(page, 'Set status').click();
    await page.getByRole('menuitem', { name: 'Fixed' }).click();
    await page.getByText('0 changed, 2 failed').waitFor();
    await button(page, 'Show details').click();
    await page.getByText('Stubborn 1: Your role does not allow this').waitFor();
    await page.getByText('Request req_refused').waitFor();
    await page.unroute('**/api/v1/findings');
    await intercept(page, '**/api/v1/findings', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const [{ id }] = json.result.updated.splice(0, 1);
      json.result.failed.push({ id, code: 'not_found', message: 'The finding does not exist.' });
      await route.fulfill({ response, json });
    });
    await button(page, 'Try again').click();
    // Also when the list has become empty.
    await page.getByText('No matching findings').waitFor();
    await page.getByText('1 changed, 1 failed').waitFor();
    expect(await listed('&q=Stubborn&status=fixed', small)).toBe(2);
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
    const sheet = await save(/CSV for spreadsheets/);
    expect(sheet.text).toMatch(/^\ufeff?title,severity,status,reason,project,assignee,.*,link\r\n/);
    expect(sheet.text.trimEnd().split('\r\n')).toHaveLength(total + 1);
    const csv = await save(/CSV all fields/);
    expect(csv.name).toMatch(new RegExp(`^findings-${org.slug}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(total + 1);
    const sarif = await save(/SARIF/);
    expect(JSON.parse(sarif.text).runs[0].results).toHaveLength(total);

    await intercept(page, '**/findings?*format=json', refuse);
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: /JSON/ }).click();
    const failed = page.getByRole('alert').filter({ hasText: 'The export failed' });
    await failed.getByText('Request req_refused').waitFor();
  });

  it('shows hostile texts as text', async () => {
    const scan = await createScan(site.api, small);
    const title = '<img src=x onerror=alert(1)> \u202egnp.exe';
    await push(site.api, small, scan, { title, file: '<b>/"onmouseover=alert(1)".ts', source: '<i>z</i>' });
    const page = await open(small, '?q=onerror');
    await grid(page).getByRole('link', { name: title }).waitFor();
    await page.getByText('<b>/"onmouseover=alert(1)".ts').waitFor();
    expect(await page.getByRole('img', { name: 'x' }).count()).toBe(0);

    const { id } = await push(site.api, small, scan, { title: '\u3164\u200b', file: 'invisible.ts' });
    await page.goto(site.orgUrl(small.slug, '/findings?q=invisible.ts'));
    await grid(page).getByRole('link', { name: 'Title without visible characters' }).click();
    await page.getByRole('heading', { level: 1, name: 'Title without visible characters' }).waitFor();
    expect(page.url()).toContain(id);
  });

  it('compares two scans when a link asks for it', async () => {
    const [before, after] = [await createScan(site.api, small), await createScan(site.api, small)];
    await push(site.api, small, before, { title: 'Stays', fingerprint: 'stays' });
    await push(site.api, small, after, { title: 'Stays', fingerprint: 'stays' });
    await push(site.api, small, after, { title: 'Came' });
    const refused: string[] = [];
    const page = await open(small, `?scan_id=${after}&against=${before}&change=new`);
    page.on('response', (response) => response.status() === 400 && refused.push(response.url()));
    await page.reload();
    await row(page, /Came/).waitFor();
    await said(page, 1);
    await button(page, /^New since/).click();
    await said(page, 2);
    expect(refused).toEqual([]);
    await button(page, /^Scan: /).click();
    await expect.poll(() => searchOf(page)).toBe(ALL);
  });

  it('remembers the columns', async () => {
    const page = await open(org);
    await button(page, 'Columns').click();
    await page.getByRole('menuitemcheckbox', { name: 'Source' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Last seen' }).click();
    await page.reload();
    await grid(page).getByRole('columnheader', { name: 'Source' }).waitFor();
    expect(await grid(page).getByRole('columnheader', { name: 'Last seen' }).count()).toBe(0);
  });

  it('has two lines for each on a phone, and the filters behind a button', async () => {
    const page = await site.visit({
      cookie: org.owner.cookie,
      viewport: { width: 360, height: 740 },
    });
    await page.goto(site.orgUrl(org.slug, `/findings${ALL}`));
    await row(page, `SQL injection in handler ${FINDINGS} `).waitFor();
    await page.getByLabel('Sort order', { exact: true }).selectOption('Most severe first');
    await grid(page).getByRole('row').nth(1).getByText('Critical').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await expectAccessible(page);

    // The longest values of all leave room for the name of the project.
    const first = grid(page).getByRole('row').nth(1);
    await first.getByRole('button', { name: /^Status:/ }).click();
    await page.getByRole('menuitem', { name: 'False positive' }).click();
    await page.getByRole('button', { name: 'Used in tests' }).click();
    await page.keyboard.press('Control+Enter');
    await first.getByRole('button', { name: 'Status: False positive. Change' }).waitFor();
    const cut = await page.evaluate(`(() => {
      const row = document.querySelector('[role=grid] [data-index="0"]');
      const { right } = row.getBoundingClientRect();
      return [...row.querySelectorAll('time, [class*=facts] bdi')]
        .filter((fact) => fact.scrollWidth > fact.clientWidth + 1 || fact.getBoundingClientRect().right > right - 8)
        .map(({ textContent }) => textContent);
    })()`);
    expect(cut).toEqual([]);
    await button(page, 'Undo').click();
    await page.getByText('Undone.').waitFor();
  });

  it('leads to the first steps where nothing was found yet', async () => {
    const empty = await createOrg(site.api);
    const page = await open(empty);
    await page.getByText('No findings yet').waitFor();
    await page.getByRole('link', { name: 'Open first steps' }).click();
    await page.waitForURL(site.orgUrl(empty.slug));
  });
});
