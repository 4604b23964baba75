import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { UsageError } from './errors.ts';
import { isLoopback } from './settings.ts';

const TIMEOUT_MS = 30_000;

/** `*.localhost` is this machine, whatever the resolver says (RFC 6761, 6.3). */
const lookup: LookupFunction = (hostname, options, callback) => {
  const own = /localhost\.?$/i.test(hostname) && isLoopback(hostname);
  resolveName(own ? 'localhost' : hostname, options, callback);
};

/**
 * `fetch` that honours HTTPS_PROXY and NO_PROXY, keeps connections, and gives up after half a minute.
 * @param stop ends the requests under way, and refuses others
 */
export function createFetch(
  connections: number,
  stop?: AbortSignal,
): (request: Request) => Promise<Response> {
  const dispatcher = createDispatcher(connections);
  // One listener for all requests, and a timer of our own: signals that are combined can be lost to garbage collection.
  const running = new Set<AbortController>();
  stop?.addEventListener('abort', () => {
    for (const controller of running) controller.abort(stop.reason);
  });
  return async (request) => {
    stop?.throwIfAborted();
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new DOMException('the service does not answer', 'TimeoutError'));
    }, TIMEOUT_MS);
    running.add(controller);
    try {
      const { status, headers, ...response } = await send(request, controller.signal);
      return new Response(NO_BODY.includes(status) ? null : response.text, { status, headers });
    } finally {
      clearTimeout(timer);
      running.delete(controller);
    }
  };

  async function send(request: Request, signal: AbortSignal) {
    const { method } = request;
    const body = request.body ? await request.text() : undefined;
    let url = new URL(request.url);
    for (let hops = 0; ; hops++) {
      const response = await undiciFetch(url, {
        method,
        headers: Object.fromEntries(request.headers),
        ...(body !== undefined && { body }),
        // `follow` would take the body along to any origin.
        redirect: 'manual',
        signal,
        dispatcher,
      });
      const { status } = response;
      if (status < 300 || status > 399) {
        return { status, headers: Object.fromEntries(response.headers), text: await response.text() };
      }
      await response.body?.cancel();
      url = nextHop(url, method, status, response.headers.get('location'), hops);
    }
  }
}

/** Statuses whose responses `Response` wants without a body. */
const NO_BODY = [204, 205];
const MAX_HOPS = 5;

/**
 * Where a redirect may lead: to the same origin, with the method and body kept. Key and findings go nowhere else.
 * @throws UsageError that names the other address
 */
function nextHop(from: URL, method: string, status: number, location: string | null, hops: number): URL {
  const keepsMethod = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to === undefined) throw new UsageError(`${from.origin} answers ${status} and is no findings service`);
  if (to.origin !== from.origin) {
    throw new UsageError(
      `${from.origin} redirects to ${to.origin}. The agent sends the API key and findings to no other origin. If this is the service's new address, set it as the base URL.`,
    );
  }
  if (!keepsMethod.includes(status) || hops >= MAX_HOPS) {
    throw new UsageError(
      `${from.origin} redirects ${method} ${from.pathname} with ${status} to ${to.pathname}`,
    );
  }
  return to;
}

function createDispatcher(connections: number): EnvHttpProxyAgent {
  try {
    return new EnvHttpProxyAgent({ connections, connect: { lookup } });
  } catch (cause) {
    throw new UsageError('HTTP_PROXY or HTTPS_PROXY is not a URL, such as http://proxy.example.com:3128', {
      cause,
    });
  }
}
