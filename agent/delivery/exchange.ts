import { lookup as resolveName } from 'node:dns';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { EnvHttpProxyAgent } from 'undici';
import { UsageError } from '../errors.ts';
import { isLoopback } from '../settings.ts';

export interface ExchangeRequest {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal;
}

export interface ExchangeResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Sends a request and reads the response. Redirects are not followed.
 * @throws TypeError `fetch failed` with a cause if the server cannot be reached, or the reason of the signal
 */
export type Exchange = (url: URL, request: ExchangeRequest) => Promise<ExchangeResponse>;

/**
 * Creates an exchange that reuses connections and honours HTTPS_PROXY and NO_PROXY.
 * @throws UsageError if a proxy is not a URL
 */
export function createExchange(connections: number): Exchange {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const proxies = [http_proxy ?? HTTP_PROXY, https_proxy ?? HTTPS_PROXY].filter(Boolean) as string[];
  if (proxies.some((proxy) => !URL.canParse(proxy)))
    throw new UsageError('HTTP_PROXY or HTTPS_PROXY is not a URL. Example: http://proxy.example.com:3128');
  return proxies.length > 0 ? createProxyExchange(connections) : createDirectExchange(connections);
}

/** Resolves `*.localhost` to this machine, which not every resolver does (RFC 6761, section 6.3). */
const lookup: LookupFunction = (hostname, options, callback) => {
  const isLocalName = /localhost\.?$/i.test(hostname) && isLoopback(hostname);
  resolveName(isLocalName ? 'localhost' : hostname, options, callback);
};

/** `fetch` would take as much CPU time as all the rest of a run with few findings. */
function createDirectExchange(connections: number): Exchange {
  const options = { keepAlive: true, maxSockets: connections, lookup };
  const agents = { plain: new PlainAgent(options), secure: new SecureAgent(options) };
  return async (url, { method, headers, body, signal }) => {
    const isSecure = url.protocol === 'https:';
    const settings = {
      method,
      headers: { ...headers, 'accept-encoding': 'gzip' },
      signal,
      agent: isSecure ? agents.secure : agents.plain,
    };
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = isSecure ? secureRequest(url, settings) : plainRequest(url, settings);
        request.on('response', resolve).on('error', reject).end(body);
      });
      const entries = Object.entries(response.headers).map(([name, value]) => [
        name,
        [value].flat().join(', '),
      ]);
      return {
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(entries),
        text: await readText(decoded(response)),
      };
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw cause instanceof UsageError ? cause : new TypeError('fetch failed', { cause });
    }
  };
}

function decoded(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const gunzip = createGunzip();
  response.on('error', (error) => gunzip.destroy(error));
  return response.pipe(gunzip);
}

function createProxyExchange(connections: number): Exchange {
  let dispatcher: EnvHttpProxyAgent | undefined;
  return async (url, { method, headers, body, signal }) => {
    const { EnvHttpProxyAgent, fetch } = await import('undici');
    dispatcher ??= new EnvHttpProxyAgent({ connections, connect: { lookup } });
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      // `follow` would send the body to any origin.
      redirect: 'manual',
      signal,
      dispatcher,
    });
    const { status } = response;
    return { status, headers: Object.fromEntries(response.headers), text: await readText(response.body) };
  };
}

/** Size of an unpacked response. A list of 100,000 findings is smaller. */
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
