import type { BrowserContext } from 'playwright-core';

/** What a browser says of every 4xx answer; tests see those by what the page makes of them. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * What a browser says that no test expects, and that is no defect: a route of a test switches the cache off, in which the page looks
 * for its font (`ui/src/app/font.ts`), or a busy machine ran the page's code seconds after it had preloaded what the code asks for.
 */
const HARMLESS = /net::ERR_CACHE_MISS|was preloaded using link preload but not used within a few seconds/;

/**
 * Notes what should never happen in a browser that visits the web UI.
 * @param expected messages of the console that the test causes
 */
export async function watch(
  context: BrowserContext,
  isOurs: (host: string) => boolean,
  problems: string[],
  expected?: RegExp,
): Promise<void> {
  context.on('console', (message) => {
    const text = message.text();
    const refused = REFUSED.test(text) && message.location().url.includes('/api/v1/');
    if (expected?.test(text) || HARMLESS.test(text)) return;
    if (['error', 'warning'].includes(message.type()) && !refused) problems.push(`console: ${text}`);
  });
  context.on('weberror', (error) => problems.push(`page: ${error.error().stack ?? error.error()}`));
  context.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (/^https?:$/.test(protocol) && !isOurs(host)) problems.push(`request to ${request.url()}`);
  });
  // Those of styles and images are not in every version's console.
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) => {
      console.error('policy: ' + event.violatedDirective + ' refused ' + event.blockedURI);
    });`,
  });
}
