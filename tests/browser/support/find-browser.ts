import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** SVC_TEST_BROWSER's, one of the system's, or one that Playwright has installed. */
export function findBrowser(): string | undefined {
  const { SVC_TEST_BROWSER: named } = process.env;
  if (named) return named;
  return [...PLACES, chromium.executablePath()].find(existsSync);
}
