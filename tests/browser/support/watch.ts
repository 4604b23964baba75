import type { BrowserContext } from 'playwright-core';

/** The message of a browser about a 4xx answer; tests see these answers by their effect on the page. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * Messages of a browser that no test expects, and that are no defects: a route of a test switches the cache off, in which the page
 * looks for its font (`ui/src/app/font.ts`), or a busy machine ran the page's code seconds after it had preloaded the code's requests.
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
  // Violations by styles and images are not in the console of every version.
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) => {
      console.error('policy: ' + event.violatedDirective + ' refused ' + event.blockedURI);
    });`,
  });
}
