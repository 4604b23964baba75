import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { isLoopback } from './settings.ts';

const TIMEOUT_MS = 30_000;

/** `*.localhost` is this machine, whatever the resolver says (RFC 6761, 6.3). */
const lookup: LookupFunction = (hostname, options, callback) => {
  resolveName(
    isLoopback(hostname) && hostname.endsWith('localhost') ? 'localhost' : hostname,
    options,
    callback,
  );
};

/** `fetch` that honours HTTPS_PROXY and NO_PROXY, keeps connections, and gives up after half a minute. */
export function createFetch(connections: number): (request: Request) => Promise<Response> {
  const dispatcher = new EnvHttpProxyAgent({ connections, connect: { lookup } });
  return async (request) => {
    const response = await undiciFetch(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.body && { body: await request.text() }),
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      dispatcher,
    });
    return response as unknown as Response;
  };
}
