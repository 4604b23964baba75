import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { expect, inject } from 'vitest';
import { limit } from '../../support/run/limits.ts';
import { afterTest } from '../../support/run/suite.ts';
import { watch } from './watch.ts';

export interface WindowOptions extends BrowserContextOptions {
  /** A profile of its own, for tests with changes that cannot be reverted, such as those of the clock. */
  own?: boolean;
  /** Messages of the console that the test causes, such as those of a server that fails. */
  expected?: RegExp;
  /** Whether a host is the tested server's. */
  isOurs(host: string): boolean;
}

export const ACTION_TIMEOUT_MS = limit(15_000);

/** A profile that is emptied after each test and used again: what it has in its caches is half of the time of a test. */
interface Profile {
  context: BrowserContext;
  origins: Set<string>;
  inUse: boolean;
}

const ARGS = [
  '--no-sandbox',
  '--process-per-site',
  // Optimizing code that runs for a second takes more time than it saves.
  '--js-flags=--no-opt --no-maglev',
];

/** One for all suites of a worker; it ends with the worker. */
let launched: Promise<Browser> | undefined;
const profiles = new Map<string, Profile>();
const problems: string[] = [];

/** @param close how what the test has opened is closed */
function closeAfterTest(close: () => Promise<unknown>): void {
  afterTest(async () => {
    await close();
    expect(problems.splice(0)).toEqual([]);
  });
}

async function createContext({
  isOurs,
  own: _,
  expected,
  ...options
}: WindowOptions): Promise<BrowserContext> {
  launched ??= chromium.launch({ executablePath: inject('browser'), args: ARGS });
  const context = await (await launched).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  await watch(context, isOurs, problems, expected);
  return context;
}

async function createProfile(url: string, options: WindowOptions): Promise<Profile> {
  const context = await createContext(options);
  // As long as there is a page of the site, its process stays.
  const anchor = await context.newPage();
  await anchor.goto(`${url}/healthz`);
  const profile = { context, origins: new Set<string>(), inUse: false };
  context.on('page', (page) =>
    page.on('framenavigated', (frame) => profile.origins.add(new URL(frame.url()).origin)),
  );
  profiles.set(url, profile);
  return profile;
}

async function empty({ context, origins }: Profile): Promise<void> {
  const [anchor, ...pages] = context.pages();
  await Promise.all(pages.map((page) => page.close()));
  await context.clearCookies();
  if (!anchor) return;
  const storage = await context.newCDPSession(anchor);
  for (const origin of origins) {
    await storage.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  }
  await storage.detach();
  origins.clear();
}

/**
 * Opens a window of a browser that knows nothing. The test fails when something goes wrong in there, see {@link watch}.
 * @param url of the tested site
 */
export async function openWindow(url: string, options: WindowOptions): Promise<Page> {
  const { own = false, isOurs: _, ...others } = options;
  const plain = !own && Object.keys(others).length === 0;
  const profile = plain ? (profiles.get(url) ?? (await createProfile(url, options))) : undefined;
  if (!profile || profile.inUse) {
    const context = await createContext(options);
    closeAfterTest(() => context.close());
    return context.newPage();
  }
  profile.inUse = true;
  closeAfterTest(async () => {
    await empty(profile);
    profile.inUse = false;
  });
  return profile.context.newPage();
}
