import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** The one without windows first, which takes half of the time. */
const PLACES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** SVC_TEST_BROWSER's, one of the system's, or one that Playwright has installed. */
export function findBrowser(): string | undefined {
  const { SVC_TEST_BROWSER: named } = process.env;
  if (named) return named;
  return [...PLACES, chromium.executablePath()].find(existsSync);
}
