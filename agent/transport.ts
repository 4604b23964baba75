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
      return new Response(status === 204 ? null : response.text, { status, headers });
    } finally {
      clearTimeout(timer);
      running.delete(controller);
    }
  };

  async function send(request: Request, signal: AbortSignal) {
    const response = await undiciFetch(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.body && { body: await request.text() }),
      signal,
      dispatcher,
    });
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text: await response.text() };
  }
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
