import type { Context } from 'hono';
import QuickLRU from 'quick-lru';
import { addressIn, isWithin, type TrustProxy } from '../../network.ts';

/** The client of a request. */
export interface Peer {
  /** Empty when unknown. */
  ip: string;
  secure: boolean;
}

type RemoteAddress = (c: Context) => string;

/** Returns client address and scheme of a request. */
export type PeerOf = (c: Context) => Peer;

export function createPeers(trust: TrustProxy, remoteAddress: RemoteAddress): PeerOf {
  if (trust === false) {
    return (c) => new LazyPeer(c, remoteAddress, c.req.url.startsWith('https:'));
  }
  if (typeof trust === 'number') {
    const clientOf: RemoteAddress = (c) => forwardedClient(c, trust) ?? remoteAddress(c);
    return (c) =>
      new LazyPeer(
        c,
        clientOf,
        isForwardedSecure(c, () => trust),
      );
  }
  const isTrusted = memoize((ip) => isWithin(ip, trust));
  return (c) => {
    const direct = remoteAddress(c);
    if (!isTrusted(direct)) return { ip: direct, secure: c.req.url.startsWith('https:') };
    const clientOf: RemoteAddress = (c) => forwardedChain(c, isTrusted).at(-1) ?? direct;
    return new LazyPeer(
      c,
      clientOf,
      // At least the connecting proxy is trusted, even if it sent no addresses.
      isForwardedSecure(c, () => forwardedChain(c, isTrusted).length || 1),
    );
  };
}

/** Determines the address on first use, because few requests need it. */
class LazyPeer implements Peer {
  readonly #c: Context;
  readonly #addressOf: RemoteAddress;
  readonly secure: boolean;
  #ip: string | undefined;

  constructor(c: Context, addressOf: RemoteAddress, secure: boolean) {
    this.#c = c;
    this.#addressOf = addressOf;
    this.secure = secure;
  }

  get ip(): string {
    // Cached, because the socket loses its address when it closes.
    this.#ip ??= this.#addressOf(this.#c);
    return this.#ip;
  }
}

const hopsOf = (c: Context): string[] => (c.req.header('x-forwarded-for') ?? '').split(',');

/**
 * The client's address as the outermost of `proxies` saw it. Each proxy appends the address of its caller, so the client's is
 * the hop at position `proxies` from the right; earlier hops can be forged. If that hop is missing or not an address, the
 * hop closest to it counts.
 */
function forwardedClient(c: Context, proxies: number): string | undefined {
  let client: string | undefined;
  for (const hop of hopsOf(c).slice(-proxies).reverse()) {
    const address = addressIn(hop);
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** The callers of trusted proxies, from the right, up to and including the first that is not a trusted proxy itself. */
function forwardedChain(c: Context, isTrusted: (ip: string) => boolean): string[] {
  const addresses: string[] = [];
  for (const hop of hopsOf(c).reverse()) {
    const address = addressIn(hop);
    if (address === undefined) break;
    addresses.push(address);
    if (!isTrusted(address)) break;
  }
  return addresses;
}

/**
 * Whether the client reached the outermost trusted proxy over HTTPS. A proxy overwrites the header or appends its value, so
 * values before those of the trusted proxies can be forged. If the header has fewer values than proxies, the last one counts.
 */
function isForwardedSecure(c: Context, proxies: () => number): boolean {
  const header = c.req.header('x-forwarded-proto');
  if (!header) return c.req.url.startsWith('https:');
  const schemes = header.split(',');
  const scheme = schemes.length === 1 ? header : (schemes.at(-proxies()) ?? schemes.at(-1));
  return scheme?.trim().toLowerCase() === 'https';
}

const MAX_CACHED = 1_000;

/** Caches results, because every request asks about the same few proxies. */
function memoize(check: (ip: string) => boolean): (ip: string) => boolean {
  const cache = new QuickLRU<string, boolean>({ maxSize: MAX_CACHED });
  return (ip) => {
    let result = cache.get(ip);
    if (result === undefined) {
      result = check(ip);
      cache.set(ip, result);
    }
    return result;
  };
}
