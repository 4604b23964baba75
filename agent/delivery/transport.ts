import type { ResponseHead } from '../../lib/client/index.ts';
import { UsageError } from '../errors.ts';
import { createExchange, type ExchangeRequest, type ExchangeResponse } from './exchange.ts';

const TIMEOUT_MS = 30_000;

export type SentRequest = Omit<ExchangeRequest, 'signal'> & { url: string };

export interface ReceivedResponse extends ResponseHead {
  text: string;
}

/**
 * Creates a function that sends requests. It honours HTTPS_PROXY and NO_PROXY, reuses connections and times out after 30 s.
 * @param abortSignal aborts requests in progress and rejects new ones
 */
export function createSend(
  connections: number,
  abortSignal?: AbortSignal,
): (request: SentRequest) => Promise<ReceivedResponse> {
  const exchange = createExchange(connections);
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
      return responseOf(await send(request, controller.signal));
    } finally {
      clearTimeout(timer);
      activeRequests.delete(controller);
    }
  };

  async function send(request: SentRequest, signal: AbortSignal) {
    const { method, headers, body } = request;
    let url = new URL(request.url);
    for (let redirects = 0; ; redirects++) {
      const response = await exchange(url, { method, headers, body, signal });
      const { status } = response;
      if (status < 300 || status > 399) return response;
      url = redirectTarget(url, method, status, response.headers.location, redirects);
    }
  }
}

const responseOf = ({ status, headers, text }: ExchangeResponse): ReceivedResponse => ({
  status,
  ok: status >= 200 && status <= 299,
  headers: { get: (name) => headers[name.toLowerCase()] ?? null },
  text,
});

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
  location: string | undefined,
  redirects: number,
): URL {
  // Browsers repeat a POST as GET after 301 and 302. The agent sends the same request, as RFC 9110 intends.
  const keepsMethod = method === 'GET' ? [301, 302, 303, 307, 308] : [301, 302, 307, 308];
  const to =
    location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
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
