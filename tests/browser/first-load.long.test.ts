import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, push, type TestOrg } from '../support/api/client.ts';
import { limit } from '../support/run/limits.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

/** Scripts and style sheets, compressed, without headers. */
const MAX_BYTES = 210_000;
const MAX_FILES = 7;
/** The code of menus, selects and tooltips. */
const PARTS = '**/assets/ui/parts-*.js';

interface Loaded {
  path: string;
  start: number;
  bytes: number;
}

describePages('the first load of the list of findings', (site) => {
  let org: TestOrg;

  beforeAll(async () => {
    org = await createOrg(site.api);
    await push(site.api, org, await createScan(site.api, org), { title: 'SQL injection' });
  });

  /** Opens the list. The code of menus waits until `handle` continues it. */
  async function open(handle?: (route: Route) => unknown, expected?: RegExp): Promise<Page> {
    const page = await site.visit({ cookie: org.owner.cookie, own: true, ...(expected && { expected }) });
    if (handle) await intercept(page, PARTS, (route) => handle(route));
    await page.goto(site.orgUrl(org.slug, '/findings'));
    await page.getByRole('row', { name: 'SQL injection' }).waitFor();
    return page;
  }
  const severity = (page: Page) => page.getByRole('search').getByRole('button', { name: 'Severity' });
  const critical = (page: Page) => page.getByRole('menuitemcheckbox', { name: 'Critical' });

  /** Holds requests until they are released. */
  function gate() {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    return {
      release,
      hold: async (route: Route) => {
        await released;
        await route.continue().catch(() => {});
      },
    };
  }

  it('transfers little before it asks for findings', async () => {
    const page = await open();
    const load = () =>
      page.evaluate<Loaded[]>(
        `performance.getEntriesByType('resource').map((one) => ({
          path: new URL(one.name).pathname, start: one.startTime, bytes: one.encodedBodySize }))`,
      );
    const isAsked = ({ path }: Loaded) => path === '/api/v1/projects';
    // A request is listed when its response has ended.
    await expect.poll(async () => (await load()).some(isAsked)).toBe(true);
    const loaded = await load();
    const asked = loaded.find(isAsked)?.start ?? 0;
    const files = loaded.filter(({ path, start }) => /\.(?:js|css)$/.test(path) && start < asked);
    const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(files.length).toBeLessThanOrEqual(MAX_FILES);
  });

  it('asks for the first rows before its code is there, and once', async () => {
    const page = await site.visit({ cookie: org.owner.cookie, own: true });
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/v1/findings') asked.push(`rows ${searchParams.get('per_page')}`);
    });
    const { hold, release } = gate();
    await intercept(page, '**/assets/ui/index-*.js', hold);
    await page.goto(site.orgUrl(org.slug, '/findings'), { waitUntil: 'commit' });
    await expect.poll(() => asked, { timeout: limit(10_000) }).toEqual(['rows 25']);
    release();
    await page.getByRole('row', { name: 'SQL injection' }).waitFor();
    await expect.poll(() => asked, { timeout: limit(10_000) }).toContain('rows 100');
    expect(asked.filter((one) => one === 'rows 25')).toHaveLength(1);
  });

  it('asks for nothing early if the address has filters', async () => {
    const page = await site.open(org, '/findings?severity=low', { own: true });
    await page.getByText('No matching findings').waitFor();
    expect(await page.evaluate('typeof globalThis.early')).toBe('undefined');
  });

  it('shows rows also if the early request failed', async () => {
    const page = await site.visit({ cookie: org.owner.cookie, own: true, expected: /ERR_FAILED/ });
    await intercept(page, '**/api/v1/findings?*', (route) => route.abort(), { times: 1 });
    await page.goto(site.orgUrl(org.slug, '/findings'));
    await page.getByRole('row', { name: 'SQL injection' }).waitFor();
  });

  it('opens a menu that was clicked before its code was there', async () => {
    const { hold, release } = gate();
    const page = await open(hold);
    await severity(page).click();
    await page.locator('button[aria-busy=true]', { hasText: 'Severity' }).waitFor();
    expect(await severity(page).getAttribute('aria-haspopup')).toBe('menu');
    expect(await severity(page).getAttribute('aria-expanded')).toBe('false');
    release();
    await critical(page).and(page.locator(':focus')).waitFor();
    expect(await severity(page).getAttribute('aria-expanded')).toBe('true');
    const id = await severity(page).getAttribute('id');
    expect(await page.getByRole('menu').getAttribute('aria-labelledby')).toBe(id);
    await page.keyboard.press('Escape');
    await severity(page).and(page.locator(':focus')).waitFor();
    expect(await severity(page).getAttribute('aria-expanded')).toBe('false');
  });

  it('does not open a menu that was clicked twice meanwhile, and opens a select that has the focus', async () => {
    const { hold, release } = gate();
    const page = await open(hold);
    await severity(page).click();
    await severity(page).click();
    const project = page.getByRole('combobox', { name: 'Project' });
    await project.click();
    expect(await project.getAttribute('aria-expanded')).toBe('false');
    release();
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await project.and(page.locator(':focus')).waitFor();
    expect(await critical(page).count()).toBe(0);
  });

  it('says that a menu could not be loaded, and loads it with the next click', async () => {
    const page = await open((route) => route.abort(), /net::ERR_FAILED/);
    // Otherwise the page assumes a newer build, and is loaded again.
    await page.evaluate(`sessionStorage.setItem('reloaded', String(Date.now()))`);
    await severity(page).click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    expect(await severity(page).getAttribute('aria-busy')).toBe(null);
    await page.unroute(PARTS);
    await severity(page).click();
    await critical(page).waitFor();
  });

  it('waits for a server that does not respond, and then opens the menu', async () => {
    const page = await open((route) => route.abort(), /net::ERR_FAILED/);
    const down = (route: Route) => (route.request().method() === 'HEAD' ? route.abort() : route.continue());
    await intercept(page, `${site.url}/`, down);
    await severity(page).click();
    await page.getByRole('status').getByText('The server does not respond').waitFor();
    await page.unroute(PARTS);
    await page.unroute(`${site.url}/`, down);
    await critical(page).waitFor();
  });

  it('says that the list may be out of date when checks for changes fail', {
    timeout: limit(90_000),
  }, async () => {
    const page = await open(undefined, /503/);
    const banner = page.getByRole('status').getByText('The server does not respond');
    await intercept(page, '**/api/v1/revision', (route) => route.fulfill({ status: 503, body: '' }));
    await banner.waitFor({ timeout: limit(45_000) });
    await page.unroute('**/api/v1/revision');
    await banner.waitFor({ state: 'detached', timeout: limit(40_000) });
  });
});
