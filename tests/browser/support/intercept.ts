import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type Parameters = globalThis.Parameters<Page['route']>;

/**
 * Lets a test answer requests of a page, as `page.route` does, and returns when it has an effect. Chromium begins to intercept
 * a moment after `page.route` has returned: a request that an open page sends meanwhile would pass.
 */
export async function intercept(
  page: Page,
  url: Parameters[0],
  handler: Parameters[1],
  options?: Parameters[2],
): Promise<void> {
  await page.route(url, handler, options);
  if (!page.url().startsWith('http')) return;
  const probe = new URL(`/healthz?probe=${randomUUID()}`, page.url()).href;
  let isSeen = false;
  await page.route(probe, (route) => {
    isSeen = true;
    return route.fulfill({ status: 204 });
  });
  const send = `fetch(${JSON.stringify(probe)}).then(() => true)`;
  await expect.poll(async () => (await page.evaluate(send)) && isSeen).toBe(true);
  await page.unroute(probe);
}
