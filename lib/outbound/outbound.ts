import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.ts';
import { isWithin, rangesOf } from '../network.ts';

/** Requests to addresses that users enter. */
export interface Outbound {
  /** Why the service does not connect to an address; undefined if it may. Names are resolved with the request only. */
  refusal(url: string): string | undefined;
  /** @throws OutboundError if the address is refused, or answers too slowly or too much */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** The TXT records of a name; empty if it has none. @throws OutboundError if no server answers */
  resolveTxt(name: string): Promise<string[]>;
}

/** A request that was refused or failed. The message is for the person who entered the address, and may quote the other side. */
export class OutboundError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 500), options);
  }
}

/** For a request with its answer. */
export const OUTBOUND_MS = 10_000;
/** The largest answer. Providers have answers of a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

type Settings = Pick<Config, 'outboundAllow' | 'sso'>;

const LOOPBACK_NAMES = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost)$/;

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

export const isLoopback = (host: string): boolean =>
  LOOPBACK_NAMES.test(host) || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/** The only global addresses of IPv6 (IANA registry): others, such as `::10.0.0.1`, may lead to IPv4. */
const GLOBAL_IPV6 = rangesOf(['2000::/3']);
/** Public by its number, but Azure's own: it answers with settings of the machine that asks. */
const METADATA = rangesOf(['168.63.129.16']);

function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return (
    parsed.range() === 'unicast' &&
    !isWithin(address, METADATA) &&
    (parsed.kind() === 'ipv4' || isWithin(address, GLOBAL_IPV6))
  );
}

/** Whether an address is public, or the operator allows it. */
export const isAllowedAddress = (
  address: string,
  { outboundAllow }: Pick<Config, 'outboundAllow'>,
): boolean => ipaddr.isValid(address) && (isPublic(address) || isWithin(address, outboundAllow));

/** Whether a request may go to loopback, over plain http. */
export const isLocalTrial = (url: URL, { sso }: Pick<Config, 'sso'>): boolean =>
  sso.allowHttp && url.protocol === 'http:' && isLoopback(hostOf(url));

/** Why the service does not connect to an address, as far as its text says. */
export function refusalOf(text: string, settings: Settings): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://login.example.com';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (isLocalTrial(url, settings)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const host = hostOf(url);
  const isRefused = ipaddr.isValid(host)
    ? !isAllowedAddress(host, settings)
    : LOOPBACK_NAMES.test(host) && !isWithin('127.0.0.1', settings.outboundAllow);
  return isRefused ? 'is a private address, which this service does not connect to' : undefined;
}

/**
 * Sends requests by the rules of this service.
 * @param send a fetch of the runtime. On Node it refuses names that resolve to private addresses
 */
export function createOutbound(
  settings: Settings,
  { send, resolveTxt }: { send: typeof fetch; resolveTxt: Outbound['resolveTxt'] },
): Outbound {
  return {
    refusal: (url) => refusalOf(url, settings),
    resolveTxt,
    async fetch(url, init) {
      const refusal = refusalOf(url, settings);
      if (refusal !== undefined) throw new OutboundError(`${url} ${refusal}`);
      const signal = AbortSignal.timeout(OUTBOUND_MS);
      try {
        const response = await send(url, { ...init, redirect: 'manual', signal });
        const body = await readBounded(response, url);
        const { status, headers } = response;
        const isEmpty = status === 204 || status === 205 || status === 304;
        return new Response(isEmpty ? null : body, { status, headers: withoutLength(headers) });
      } catch (error) {
        if (error instanceof OutboundError) throw error;
        const { cause } = error as Error;
        if (cause instanceof OutboundError) throw cause;
        const what = signal.aborted
          ? `did not answer within ${OUTBOUND_MS / 1000} seconds`
          : 'cannot be reached';
        throw new OutboundError(`${new URL(url).origin} ${what}.`, { cause: error });
      }
    },
  };
}

/** The body is not encoded any more. */
function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}

async function readBounded(response: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel().catch(() => {});
      throw new OutboundError(`The answer of ${new URL(url).origin} is larger than 1 MiB.`);
    }
    parts.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
