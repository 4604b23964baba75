import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Chromium to test the web UI with; empty when there is none. */
    browser: string;
  }
}

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** SVC_TEST_BROWSER's, one of the system's, or one that Playwright has installed. */
function findBrowser(): string | undefined {
  const { SVC_TEST_BROWSER: named } = process.env;
  if (named) return named;
  return [...PLACES, chromium.executablePath()].find(existsSync);
}

/** Looks for a browser once, and says so when the tests of the web UI are left out. */
export default function setup(project: TestProject) {
  const browser = findBrowser();
  if (!browser) {
    process.stderr.write(
      'No Chromium was found: the tests of the web UI are skipped. Install it, or set SVC_TEST_BROWSER to its path.\n',
    );
  }
  project.provide('browser', browser ?? '');
}
