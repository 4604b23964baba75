import { type Browser, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../tests/browser/support/find-browser.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import type { Site } from '../tests/support/scenario/site.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { bench } from './support/rounds.ts';
import { IN_PAGE, type InPage } from './support/ui-in-page.ts';

const FINDINGS = 100_000;
const FILTERS = ['Critical', 'High', 'Medium', 'Low'];
/** "Slow 3G" of WebPageTest. */
const SLOW_LINE = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000, offline: false };
const WHEEL = { steps: 200, pixels: 400, everyMs: 16 };

/** The waiting times of a visitor, in a browser on this machine. */
export const ui = bench({
  summary: `the web UI with ${FINDINGS.toLocaleString('en-US')} findings: first paint, a filter to rows, scrolling; needs a Chromium`,

  async run(scene, { rounds }) {
    const executablePath = findBrowser();
    if (!executablePath) throw new Error('no Chromium was found; SVC_TEST_BROWSER names one');
    const server = await scene.server();
    const org = await scene.seed(server, { findings: FINDINGS, bytes: 1_000 });
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const visit = visitor(browser, server.url, org);
      return [
        ...(await firstLoads(scene.site, rounds, visit)),
        ...(await slowLoad(scene.site, visit)),
        ...(await filtering(scene.site, rounds, visit)),
        ...(await scrolling(scene.site, visit)),
      ];
    } finally {
      await browser.close();
    }
  },
});

type Visit = (path: string, signedIn?: boolean, prepare?: (page: Page) => Promise<void>) => Promise<Page>;

/** Opens a page in a browser with an empty cache. */
const visitor =
  (browser: Browser, url: string, org: SeededOrg): Visit =>
  async (path, signedIn = true, prepare) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    if (signedIn) {
      await context.addCookies([{ name: 'svc_token', value: org.owner.cookie, url, httpOnly: true }]);
    }
    await context.addInitScript({ content: IN_PAGE });
    const page = await context.newPage();
    await prepare?.(page);
    await page.goto(url + (signedIn ? `/o/${org.slug}${path}` : path));
    return page;
  };

const inPage = <K extends keyof InPage>(page: Page, name: K) =>
  page.evaluate<Awaited<ReturnType<InPage[K]>>>(`inPage.${name}()`);

const LOADS = [
  ['login', '/login', false],
  ['dashboard', '', true],
  ['findings', '/findings', true],
] as const;

async function firstLoads(site: Site, rounds: number, visit: Visit): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, path, signedIn] of LOADS) {
    const loads: Awaited<ReturnType<InPage['load']>>[] = [];
    // The first one warms up the server.
    for (let round = 0; round <= rounds; round++) {
      const page = await visit(path, signedIn);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      if (round > 0) loads.push(await inPage(page, 'load'));
      await page.context().close();
    }
    const paints = loads.map(({ firstPaint }) => firstPaint);
    const headings = loads.map(({ heading }) => heading);
    site.say(`  ${name}: painted after ${paints.map(Math.round).join(', ')} ms`);
    figures.push(
      {
        name: `${name}: first contentful paint ms`,
        value: median(paints),
        aim: { atMost: 1_500 },
        rounds: { values: paints },
      },
      { name: `${name}: heading ms`, value: median(headings), rounds: { values: headings } },
      {
        name: `${name}: JavaScript kB`,
        value: Math.max(...loads.map(({ scriptBytes }) => scriptBytes)) / 1000,
        ...(name === 'login' && { aim: { atMost: 250 } }),
      },
    );
  }
  return figures;
}

/** The list of findings on a slow line: when rows are shown, and what was transferred until then. */
async function slowLoad(site: Site, visit: Visit): Promise<Figure[]> {
  let bytes = 0;
  const start = performance.now();
  const page = await visit('/findings', true, async (page) => {
    const network = await page.context().newCDPSession(page);
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', SLOW_LINE);
  });
  await inPage(page, 'rowsShown');
  const ms = performance.now() - start;
  const kB = bytes / 1000;
  await page.context().close();
  site.say(`  findings on a slow line: rows after ${Math.round(ms)} ms and ${Math.round(kB)} kB`);
  return [
    { name: 'findings, slow line: rows ms', value: ms, aim: { atMost: 6_000 } },
    { name: 'findings, slow line: kB until rows', value: kB, aim: { atMost: 250 } },
  ];
}

async function filtering(site: Site, rounds: number, visit: Visit): Promise<Figure[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const page = await visit('/findings');
    await inPage(page, 'rowsShown');
    await page.getByRole('search').getByRole('button', { name: 'Severity' }).click();
    for (const name of FILTERS) {
      const option = page.getByRole('menuitemcheckbox', { name });
      await option.waitFor();
      await inPage(page, 'expectFilter');
      await option.click();
      const ms = await inPage(page, 'filtered');
      if (round > 0) times.push(ms);
    }
    await page.context().close();
  }
  site.say(`  a filter shows its rows after ${times.map(Math.round).join(', ')} ms`);
  return [
    { name: 'filter to rows ms', value: median(times), aim: { atMost: 300 }, rounds: { values: times } },
    { name: 'filter to rows ms, slowest', value: Math.max(...times), aim: { atMost: 300 } },
  ];
}

async function scrolling(site: Site, visit: Visit): Promise<Figure[]> {
  const page = await visit('/findings');
  await inPage(page, 'rowsShown');
  await page.getByRole('grid').hover();
  await inPage(page, 'watchFrames');
  for (let step = 0; step < WHEEL.steps; step++) {
    await page.mouse.wheel(0, WHEEL.pixels);
    await page.waitForTimeout(WHEEL.everyMs);
  }
  const seen = await inPage(page, 'framesSeen');
  await page.context().close();
  site.say(
    `  scrolled through ${seen.rows} rows in ${seen.frames} frames, ${seen.blank} of them with a blank row`,
  );
  return [
    { name: 'rows scrolled through', value: seen.rows, aim: { atLeast: 500 } },
    { name: 'frames with a blank row', value: seen.blank, aim: { atMost: 0 } },
    { name: 'frame ms, 95 %', value: seen.frameMs },
  ];
}
