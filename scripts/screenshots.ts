import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../tests/browser/support/find-browser.ts';
import { logIn } from '../tests/browser/support/login.ts';
import { openScene } from '../tests/support/scenario/scene.ts';
import { openSite, type Site } from '../tests/support/scenario/site.ts';
import { PICTURES, type Picture, SIZE } from './screenshots/pictures.ts';

/*
 * Takes the pictures of README.md and docs/: starts the built server with an empty data directory, seeds the demo organization and
 * opens each page of scripts/screenshots/pictures.ts. All clocks show the same time in each run, so a picture changes only with the
 * web UI, the demo organization or the fonts of the system.
 */

const USAGE = `npm run screenshots -- [options]
  --only NAME   only this picture (repeatable): ${PICTURES.map(({ name }) => name).join(', ')}
`;

/** A Tuesday. The demo organization has been used for eight weeks. */
const NOW = Date.parse('2026-11-24T10:20:00Z');
const SEED_TIMEOUT_MS = 10 * 60_000;
const ACTION_TIMEOUT_MS = 60_000;

/** Without the last two, edges differ in a few pixels each time. */
const BROWSER_ARGS = ['--no-sandbox', '--disable-partial-raster', '--disable-gpu'];
const WAITING = '.mantine-Skeleton-root, .mantine-Loader-root, [aria-busy=true]';

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
});
const unknown = options.only?.filter((only) => !PICTURES.some(({ name }) => name === only)) ?? [];
if (options.help || unknown.length > 0) {
  process.stdout.write(USAGE);
  process.exit(options.help ? 0 : 1);
}

const site = await openSite();
let code = 1;
try {
  await takePictures(site);
  code = 0;
} catch (error) {
  process.stderr.write(`${(error as Error).stack}\n`);
}
await site.close();
process.exit(code);

async function takePictures(site: Site): Promise<void> {
  const executablePath = findBrowser();
  if (!executablePath)
    throw new Error('No Chromium was found. Install it, or set SVC_TEST_BROWSER to its path.');
  const env = {
    SVC_DATA_DIR: join(site.workDir, 'data'),
    NODE_OPTIONS: `--import=${pathToFileURL(join(site.root, 'scripts/screenshots/clock.mjs'))}`,
    CLOCK_START: `${NOW}`,
  };
  site.say('building and starting the server');
  const { url } = await openScene(site).server({ databaseUrl: 'embedded', env });
  site.say('seeding the demo organization');
  const accounts = await seed(site, { ...env, CLOCK_STANDS: 'yes' });

  const browser = await chromium.launch({ executablePath, args: BROWSER_ARGS });
  site.onClose(() => browser.close());
  const pages = new Map<Picture['role'], Page>();
  for (const { role, ...picture } of PICTURES) {
    if (options.only && !options.only.includes(picture.name)) continue;
    const page = pages.get(role) ?? (await signIn(browser, url + accounts.path, accounts.of(role)));
    pages.set(role, page);
    const file = join(site.root, `docs/images/${picture.name}.png`);
    await take(page, url + accounts.path, picture, file);
    site.say(`${picture.name}: ${Math.ceil(statSync(file).size / 1000)} kB`);
  }
}

interface Account {
  email: string;
  password: string;
}

interface Accounts {
  /** The path of the organization. */
  path: string;
  of(role: Picture['role']): Account;
}

/** Runs `npm run seed` over the database of the server. */
async function seed(site: Site, env: Record<string, string>): Promise<Accounts> {
  const run = promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(site.root, 'scripts/seed.ts')],
    {
      // Neither a `.env` file nor this shell's settings may lead to another database.
      cwd: site.workDir,
      env: { PATH: process.env.PATH, ...env },
      timeout: SEED_TIMEOUT_MS,
    },
  );
  // The last process that uses PostgreSQL stops it. The server must be the last.
  const ended = once(run.child, 'exit');
  site.onClose(() => {
    run.child.kill();
    return ended;
  });
  const { stdout } = await run;
  const [, address = '', password = ''] = /^Sign in at (\S+) with the password (\S+) as$/m.exec(stdout) ?? [];
  return {
    path: new URL(address).pathname,
    of(role) {
      const [, email = ''] = new RegExp(`^ {2}(\\S+) +${role}$`, 'm').exec(stdout) ?? [];
      return { email, password };
    },
  };
}

async function signIn(browser: Browser, url: string, { email, password }: Account): Promise<Page> {
  const context = await browser.newContext({
    ...{ viewport: SIZE, deviceScaleFactor: 1, locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' },
    // `waitForFunction` uses eval.
    bypassCSP: true,
  });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW);
  await page.goto(url);
  await logIn(page, email, password);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  // Pages are shown in Inter when it is in the cache of the browser.
  await page.waitForFunction("localStorage.getItem('font') !== null");
  return page;
}

async function take(page: Page, url: string, picture: Omit<Picture, 'role'>, file: string): Promise<void> {
  await page.setViewportSize(picture.size ?? SIZE);
  await page.emulateMedia({ colorScheme: picture.colorScheme });
  await page.goto(url + picture.path);
  await picture.prepare(page);
  await page.mouse.move(0, 0);
  await page.waitForLoadState('networkidle');
  await page.locator(WAITING).first().waitFor({ state: 'detached' });
  await page.screenshot({ path: file, animations: 'disabled' });
}
