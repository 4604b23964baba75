import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { UsageError } from '../errors.ts';
import { isLoopback } from '../settings.ts';

const TIMEOUT_MS = 30_000;

/** Resolves `*.localhost` to this machine, which not every resolver does (RFC 6761, section 6.3). */
const lookup: LookupFunction = (hostname, options, callback) => {
  const isLocalName = /localhost\.?$/i.test(hostname) && isLoopback(hostname);
  resolveName(isLocalName ? 'localhost' : hostname, options, callback);
};

/**
 * Creates a `fetch` that honours HTTPS_PROXY and NO_PROXY, reuses connections and times out after 30 s.
 * @param abortSignal aborts requests in progress and rejects new ones
 */
export function createFetch(
  connections: number,
  abortSignal?: AbortSignal,
): (request: Request) => Promise<Response> {
  const dispatcher = createDispatcher(connections);
  // AbortSignal.any and AbortSignal.timeout are not used: combined signals can be garbage-collected before they fire.
  const activeRequests = new Set<AbortController>();
  abortSignal?.addEventListener('abort', () => {
    for (const controller of activeRequests) controller.abort(abortSignal.reason);
  });
  return async (request) => {
    abortSignal?.throwIfAborted();
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(
        new DOMException(`the service did not respond within ${TIMEOUT_MS / 1000} s`, 'TimeoutError'),
      );
    }, TIMEOUT_MS);
    activeRequests.add(controller);
    try {
      const { status, headers, ...response } = await send(request, controller.signal);
      return new Response(BODILESS_STATUSES.includes(status) ? null : response.text, { status, headers });
    } finally {
      clearTimeout(timer);
      activeRequests.delete(controller);
    }
  };

  async function send(request: Request, signal: AbortSignal) {
    const { method } = request;
    const body = request.body ? await request.text() : undefined;
    let url = new URL(request.url);
    for (let redirects = 0; ; redirects++) {
      const response = await undiciFetch(url, {
        method,
        headers: Object.fromEntries(request.headers),
        ...(body !== undefined && { body }),
        // `follow` would send the body to any origin.
        redirect: 'manual',
        signal,
        dispatcher,
      });
      const { status } = response;
      if (status < 300 || status > 399) {
        return { status, headers: Object.fromEntries(response.headers), text: await readText(response.body) };
      }
      await response.body?.cancel();
      url = redirectTarget(url, method, status, response.headers.get('location'), redirects);
    }
  }
}

/** Of a response, unpacked. A list of 100,000 findings is smaller. */
const MAX_RESPONSE_BYTES = 256 * 1_048_576;

/** @throws UsageError if a response is too large: compressed, it may grow a thousandfold */
async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new UsageError(`The service sent a response of more than ${MAX_RESPONSE_BYTES / 1_048_576} MiB.`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Statuses for which the `Response` constructor rejects a body. */
const BODILESS_STATUSES = [204, 205];
const MAX_REDIRECTS = 5;

/**
 * The target of a redirect. It must have the same origin and keep the method and body, so that the key and findings are
 * not sent elsewhere.
 * @throws UsageError that names the target
 */
function redirectTarget(
  from: URL,
  method: string,
  status: number,
  location: string | null,
  redirects: number,
): URL {
  // Browsers repeat a POST as GET after 301 and 302. The agent sends the same request, as RFC 9110 intends.
  const keepsMethod = method === 'GET' ? [301, 302, 303, 307, 308] : [301, 302, 307, 308];
  const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to === undefined)
    throw new UsageError(
      `${from.origin} is not a findings service: it responded with status ${status} and no valid Location header`,
    );
  if (to.origin !== from.origin) {
    throw new UsageError(
      `${from.origin} redirects to ${to.origin}. The agent does not send the API key and findings to another origin. If this is the service's new address, set it as the base URL.`,
    );
  }
  if (!keepsMethod.includes(status) || redirects >= MAX_REDIRECTS) {
    throw new UsageError(
      `${from.origin} redirects ${method} ${from.pathname} to ${to.pathname} with status ${status}. The agent does not follow this redirect${redirects >= MAX_REDIRECTS ? ': there are too many' : ', because the service would not receive the request'}. Check the base URL.`,
    );
  }
  // `fetch` rejects an address with a user name, which would count as a network error.
  to.username = '';
  to.password = '';
  return to;
}

function createDispatcher(connections: number): EnvHttpProxyAgent {
  try {
    return new EnvHttpProxyAgent({ connections, connect: { lookup } });
  } catch (cause) {
    throw new UsageError('HTTP_PROXY or HTTPS_PROXY is not a URL. Example: http://proxy.example.com:3128', {
      cause,
    });
  }
}
