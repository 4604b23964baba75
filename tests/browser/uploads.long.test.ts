import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, inject, it } from 'vitest';
import { createWorkspace } from '../support/agent/agent.ts';
import { addMember, createOrg, createUser, must, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { shiftsOf, watchShifts } from './support/shifts.ts';
import { describePages, type Site, startSite, type Visit } from './support/site.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures');
const [TRIVY, SARIF] = [join(FIXTURES, 'trivy.json'), join(FIXTURES, 'several-runs.sarif')];
const REPORTS = '**/api/v1/projects/*/reports?*';

/** A report of the generic format. */
const reportOf = (...titles: string[]) =>
  JSON.stringify({ findings: titles.map((title) => ({ title, severity: 'High', file_path: 'src/a.ts' })) });

const bufferOf = (name: string, content: string | Buffer) => ({
  ...{ name, mimeType: '' },
  buffer: Buffer.from(content),
});

let site: Site;
let org: TestOrg;
beforeAll(async () => {
  if (!inject('browser')) return;
  site = await startSite({ env: { SVC_MAX_REPORT: '256KiB' } });
  org = await createOrg(site.api);
});

/** A new project, and its page. */
async function openProject(name: string, visit: Visit = {}) {
  const project = must(await site.api.post('/projects', { ...org.asOwner, body: { name } }));
  const page = await site.open(org, `/projects/${project.slug}`, visit);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const list = async (path: string) =>
    must(await site.api.get(`${path}?project_id=${project.id}`, org.asOwner));
  return { page, id: project.id, scans: () => list('/scans'), findings: () => list('/findings') };
}

const input = (page: Page) => page.locator('input[type=file]');
const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const section = (page: Page) => page.getByRole('region', { name: /^Upload/ });

/** Refuses the next reports as the service does. */
const refuse = (status: number, code: string, message: string, headers: Record<string, string> = {}) => {
  const errors = [{ type: 'some_error', code, ref: 'E0', message }];
  return (route: Route) => route.fulfill({ status, headers, json: { success: false, errors } });
};

/** Drags files and folders of this machine over the window, and drops them. */
async function drag(page: Page, files: string[], { x, y }: { x: number; y: number }) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const tell = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x, y, data });
  await tell('dragEnter');
  await tell('dragOver');
  return { drop: () => tell('drop') };
}

async function centerOf(page: Page) {
  const box = await section(page).boundingBox();
  if (!box) throw new Error('The page has no section for uploads');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

describePages('uploads on the page of a project', () => {
  it('import several reports, tell what is new, and renew the page', async () => {
    const { page, scans, findings } = await openProject('Several');
    const chooser = page.waitForEvent('filechooser');
    await button(page, 'Choose files').focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles([TRIVY, SARIF]);
    await row(page, 'trivy.json').getByText('Imported as Trivy').waitFor();
    await row(page, 'several-runs.sarif').getByText('Imported as SARIF').waitFor();
    const total = String((await findings()).length);
    await page.getByText('All findings').locator('..').getByText(total, { exact: true }).waitFor();
    expect((await scans()).map(({ name }: { name: string }) => name).sort()).toEqual([
      ...['several-runs.sarif', 'trivy.json'],
    ]);
    expect(await page.getByRole('log').innerText()).toContain('trivy.json was imported. Findings: 7 new.');
    await expectAccessible(page);

    // The same file again is a scan of its own, whose findings are known.
    await button(page, 'Clear finished').click();
    await page.locator(':focus', { hasText: 'Choose files' }).waitFor();
    await input(page).setInputFiles([bufferOf('web.json', reportOf('A', 'B'))]);
    await row(page, 'web.json').getByRole('link', { name: '2 new' }).waitFor();
    await input(page).setInputFiles([bufferOf('web.json', reportOf('B', 'C', 'D'))]);
    const again = row(page, 'web.json (2)');
    await again.getByText('2 new').waitFor();
    await again.getByRole('link', { name: '1 gone' }).waitFor();
    await again.getByRole('link', { name: '1 seen again' }).waitFor();
    await again.getByRole('link', { name: '2 new' }).click();
    await page.waitForURL('**/findings?scan_id=*&against=*&change=new');
    await page.getByRole('grid', { name: 'Findings' }).getByRole('link', { name: 'C' }).waitFor();
    expect(await page.getByRole('grid').getByRole('link', { name: 'A', exact: true }).count()).toBe(0);

    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Several' }).waitFor();
  });

  it('take files that are dropped on the section, but no folders', async () => {
    const { page, scans } = await openProject('Dropped');
    const directory = createWorkspace();
    mkdirSync(join(directory, 'reports'));
    writeFileSync(join(directory, 'empty.json'), '');
    writeFileSync(join(directory, 'dropped.json'), reportOf('Dropped'));
    const files = ['reports', 'empty.json', 'dropped.json'].map((name) => join(directory, name));

    // The browser would open a file that misses the section.
    const miss = await drag(page, files, { x: 5, y: 5 });
    await page.getByText('Drop files here to upload them to Dropped').waitFor();
    await miss.drop();
    await page.getByText('Drop files here').waitFor({ state: 'detached' });

    const hit = await drag(page, files, await centerOf(page));
    await page.locator('[data-drag=target]').waitFor();
    await expectAccessible(page);
    await hit.drop();
    await row(page, 'dropped.json').getByText('Imported as JSON').waitFor();
    await row(page, 'reports').getByText('Folders cannot be uploaded').waitFor();
    await row(page, 'empty.json').getByText('The file is empty').waitFor();
    expect(await page.getByText('Drop files here').count()).toBe(0);
    expect(page.url()).toContain('/projects/dropped');
    expect(await scans()).toHaveLength(1);
  });

  it('have a format, a name and a target where they are given', async () => {
    const { page, scans } = await openProject('Described');
    await button(page, 'More options').click();
    await page.getByRole('combobox', { name: 'Format' }).fill('bandit');
    await page.getByRole('option', { name: 'bandit' }).click();
    await page.getByLabel('Scan name').fill('<b>Nightly</b>');
    await page.getByLabel('Scanned path').fill('services/web');
    await page.getByLabel('Branch, tag or commit').fill('main');
    await expectAccessible(page);
    await input(page).setInputFiles(TRIVY);
    await row(page, 'trivy.json').getByText('The report cannot be imported').waitFor();
    await row(page, 'trivy.json').getByText('It was read as bandit').waitFor();
    expect(await scans()).toEqual([]);

    await page.getByRole('combobox', { name: 'Format' }).fill('detect');
    await page.getByRole('option', { name: 'Detect automatically' }).click();
    await button(page, 'Try again').click();
    await page
      .locator(':focus')
      .and(button(page, /trivy\.json/))
      .waitFor();
    await row(page, 'trivy.json').getByText('Imported as Trivy').waitFor();
    expect(await scans()).toMatchObject([
      { name: '<b>Nightly</b>', target: { path: 'services/web', ref: 'main' } },
    ]);
    await row(page, 'trivy.json').getByRole('link', { name: 'Open scan' }).click();
    await page.getByRole('heading', { level: 1, name: '<b>Nightly</b>' }).waitFor();
  });

  it('say why a report cannot be imported, and import the others', async () => {
    const { page, scans } = await openProject('Unreadable');
    await input(page).setInputFiles([
      bufferOf('broken.json', '{"a":1}\n{"b":'),
      bufferOf('reports.zip', Buffer.from('504b0506'.padEnd(44, '0'), 'hex')),
      bufferOf('unknown.json', '{"some":"thing"}'),
      bufferOf('fine.json', reportOf('Fine')),
    ]);
    await row(page, 'fine.json').getByText('1 new').waitFor();
    await row(page, 'broken.json').getByText('The JSON is invalid at line 2').waitFor();
    await row(page, 'broken.json')
      .getByText(/^\d+ formats were tried/)
      .click();
    await row(page, 'broken.json').getByText('acunetix, anchore,').waitFor();
    await row(page, 'reports.zip').getByText('Unpack the ZIP archive').waitFor();
    await row(page, 'unknown.json').getByText('If you know the format, choose it').waitFor();
    await expectAccessible(page);
    expect(await scans()).toHaveLength(1);

    // The focus moves to the next file.
    await button(page, 'Remove broken.json from this list').click();
    await page.locator(':focus').and(button(page, 'Remove reports.zip from this list')).waitFor();
  });

  it('are compressed, and name the limit, which is not tried again', async () => {
    const { page } = await openProject('Large');
    const sent: (string | undefined)[] = [];
    page.on('request', async (request) => {
      if (request.url().includes('/reports?')) sent.push(request.headers()['content-encoding']);
    });
    const many = (count: number) => reportOf(...Array.from({ length: count }, (_, i) => `Finding ${i * i}`));
    // The service reads one report of an organization at a time; a second one may have to try again.
    await input(page).setInputFiles([bufferOf('large.json', many(2_000))]);
    await row(page, 'large.json').getByText('2,000 new').waitFor();
    await input(page).setInputFiles([bufferOf('larger.json', many(8_000))]);
    const words = 'The service imports files of at most 256 KiB, unpacked.';
    await row(page, 'larger.json').getByText(words).waitFor();
    expect(sent).toEqual(['gzip', 'gzip']);
    await input(page).setInputFiles([bufferOf('largest.json', many(9_000))]);
    await row(page, 'largest.json').getByText(words).waitFor();
    expect(sent).toHaveLength(2);
    expect(await button(page, 'Try again').count()).toBe(0);
  });

  it('wait when the service is busy, and say so', async () => {
    const { page } = await openProject('Busy');
    await intercept(page, REPORTS, refuse(429, 'exceeded', 'Too many reports.', { 'retry-after': '1' }), {
      times: 1,
    });
    await input(page).setInputFiles([bufferOf('a.json', reportOf('A'))]);
    await page.getByText('The service is busy with other reports. Trying again in 1 second').waitFor();
    await row(page, 'a.json').getByText('1 new').waitFor();
  });

  it('explain every other error, keep the file, and send it when asked to', async () => {
    const { page, scans } = await openProject('Refused', { expected: /status of 50\d|net::ERR_/ });
    const cases: [(route: Route) => Promise<void>, string][] = [
      [refuse(403, 'denied', 'Not allowed.'), 'Your role does not allow this'],
      [refuse(404, 'not_found', 'The project does not exist.'), 'The project was not found'],
      [refuse(408, 'timeout', 'Too slow.'), 'The upload took too long'],
      [refuse(409, 'conflict', 'The scan was ended.'), 'The scan was ended. Findings that were imported'],
      [(route) => route.fulfill({ status: 413, body: '<h1>Too large</h1>' }), 'The file is too large'],
      [refuse(500, 'unavailable', 'No database.'), 'The service cannot reach its database'],
      [(route) => route.fulfill({ status: 502, body: 'Bad gateway' }), 'A server or proxy failed'],
      [(route) => route.abort('connectionreset'), 'The server cannot be reached'],
    ];
    for (const [index, [answer, words]] of cases.entries()) {
      await page.unroute(REPORTS);
      await intercept(page, REPORTS, answer);
      if (index === 0) await input(page).setInputFiles([bufferOf('a.json', reportOf('A'))]);
      else await button(page, 'Try again').click();
      await row(page, 'a.json').getByText(words).waitFor();
    }
    await expectAccessible(page);
    expect(await scans()).toEqual([]);
    await page.unroute(REPORTS);
    await button(page, 'Try again').click();
    await row(page, 'a.json').getByText('1 new').waitFor();
  });

  it('notice that a file was changed after it was chosen', async () => {
    const { page, scans } = await openProject('Changed', { expected: /net::ERR_UPLOAD_FILE_CHANGED/ });
    const held: Route[] = [];
    await intercept(page, REPORTS, (route) => void held.push(route), { times: 2 });
    const directory = createWorkspace();
    const files = ['a', 'b', 'small', 'large'].map((name) => join(directory, `${name}.json`));
    const content = (name: string) =>
      reportOf(name, ...(name.includes('large') ? ['x'.repeat(100_000)] : []));
    for (const file of files) {
      writeFileSync(file, content(file));
      // A browser compares times.
      utimesSync(file, 1e9, 1e9);
    }
    await input(page).setInputFiles(files);
    await expect.poll(() => held.length).toBe(2);
    for (const file of files.slice(2)) writeFileSync(file, `${content(file)} `);
    for (const route of held) await route.continue();
    for (const name of ['small.json', 'large.json']) {
      await row(page, name).getByText('It was changed, moved or deleted after you added it').waitFor();
    }
    expect(await button(page, 'Try again').count()).toBe(0);
    expect(await scans()).toHaveLength(2);
  });

  it('ask for a new sign-in when the session has ended, and go on afterwards', async () => {
    const { page } = await openProject('Signed out');
    await intercept(page, REPORTS, refuse(401, 'not_authenticated', 'Sign in.'), { times: 1 });
    await input(page).setInputFiles([bufferOf('a.json', reportOf('A'))]);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('button', { name: 'I have signed in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await row(page, 'a.json').getByText('Sign in again').waitFor();
    await button(page, 'Try again').click();
    await row(page, 'a.json').getByText('1 new').waitFor();
  });

  it('end when they are canceled, and warn before the page is left', async () => {
    const { page, scans } = await openProject('Canceled');
    const held: Route[] = [];
    await intercept(page, REPORTS, (route) => void held.push(route));
    const directory = createWorkspace();
    const files = ['a', 'b', 'c'].map((name) => join(directory, `${name}.json`));
    for (const file of files) writeFileSync(file, reportOf(file));
    await input(page).setInputFiles(files);
    await row(page, 'c.json').getByText('Queued').waitFor();
    await page.getByText('3 files, 3 in progress').waitFor();
    await button(page, 'Cancel the upload of c.json').click();
    await row(page, 'c.json').getByText('Canceled. Nothing was imported.').waitFor();
    await page.locator(':focus').and(button(page, 'Remove c.json from this list')).waitFor();
    await input(page).setInputFiles(files.slice(0, 1));
    await row(page, 'a.json').last().getByText('The file is already being uploaded').waitFor();

    const nav = page.getByRole('navigation').getByRole('link', { name: 'Members' });
    const dialog = page.getByRole('dialog', { name: 'Files are being uploaded' });
    await nav.click();
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Stay on this page' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(page.url()).toContain('/projects/canceled');
    const asked = page.waitForEvent('dialog');
    void page.close({ runBeforeUnload: true });
    expect((await asked).type()).toBe('beforeunload');
    await (await asked).dismiss();

    await nav.click();
    await dialog.getByRole('button', { name: 'Leave and cancel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await sleep(100);
    expect(await scans()).toEqual([]);
    // Nothing asks when nothing is being uploaded.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Canceled' }).waitFor();
    await nav.click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  });

  it('are not offered to a viewer, who may not upload', async () => {
    const viewer = await addMember(site.api, org, 'viewer', 'Vera');
    const { page, id } = await openProject('Viewed', { cookie: viewer.cookie });
    await page.getByRole('heading', { name: 'Send findings' }).waitFor();
    expect(await section(page).count()).toBe(0);
    const { error } = await site.api.post(`/projects/${id}/reports`, { ...viewer.as, body: reportOf('A') });
    expect(error).toBe('permission_error/denied');
  });
});

describePages('uploads in the first steps', () => {
  it('lead to the first finding without a token', async () => {
    const { cookie } = await createUser(site.api);
    const body = { name: 'New', slug: `new-${Date.now()}` };
    const { slug } = must(await site.api.post('/orgs', { cookie, body }));
    const page = await site.visit({ cookie });
    await watchShifts(page);
    await page.goto(site.orgUrl(slug));
    await page.getByLabel('Project name').fill('Web shop');
    expect(await section(page).count()).toBe(0);
    await button(page, 'Create project').click();

    let send = () => {};
    const sent = new Promise<void>((resolve) => {
      send = resolve;
    });
    await intercept(page, REPORTS, async (route) => sent.then(() => route.continue()), { times: 1 });
    const { drop } = await drag(page, [TRIVY], await centerOf(page));
    await drop();
    await row(page, 'trivy.json').waitFor();
    const before = await shiftsOf(page);
    send();
    await page.getByRole('heading', { name: 'First finding received' }).waitFor();
    await row(page, 'trivy.json').getByText('7 new').waitFor();
    expect((await shiftsOf(page)).sum - before.sum).toBeLessThan(0.02);
    expect(await page.getByRole('heading', { name: 'Create a token' }).count()).toBe(0);
    await expectAccessible(page);

    // The result stays when more is uploaded, and leaving the steps would cancel it.
    await intercept(page, REPORTS, () => {}, { times: 1 });
    await input(page).setInputFiles([bufferOf('more.json', reportOf('More'))]);
    await button(page, 'Open dashboard').click();
    const dialog = page.getByRole('dialog', { name: 'Files are being uploaded' });
    await dialog.getByRole('button', { name: 'Stay on this page' }).click();
    await button(page, 'Cancel the upload of more.json').click();
    await button(page, 'Open dashboard').click();
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  });
});
