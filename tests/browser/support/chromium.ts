import type { TestProject } from 'vitest/node';
import { findBrowser } from './find-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Chromium to test the web UI with; empty when there is none. */
    browser: string;
  }
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
