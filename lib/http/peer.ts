import type { Context } from 'hono';
import QuickLRU from 'quick-lru';
import { addressIn, isWithin, type Range } from './network.ts';

/** Who is on the other side of a request, as far as the transport tells. */
export interface Peer {
  /** Empty when unknown. */
  ip: string;
  secure: boolean;
}

/** Whose word on client address and scheme is believed. */
export type TrustProxy =
  /** Nobody's: the connection tells. */
  | false
  /** As many proxies as stand in front, one behind the other. */
  | number
  /** Proxies with these addresses. */
  | readonly Range[];

type RemoteAddress = (c: Context) => string;

/** Tells client address and scheme of a request. */
export type PeerOf = (c: Context) => Peer;

export function createPeers(trust: TrustProxy, remoteAddress: RemoteAddress): PeerOf {
  if (trust === false) {
    return (c) => new LazyPeer(c, remoteAddress, c.req.url.startsWith('https:'));
  }
  if (typeof trust === 'number') {
    const clientOf: RemoteAddress = (c) => hopBefore(c, trust) ?? remoteAddress(c);
    return (c) =>
      new LazyPeer(
        c,
        clientOf,
        isForwardedSecure(c, () => trust),
      );
  }
  const isTrusted = remembered((ip) => isWithin(ip, trust));
  return (c) => {
    const direct = remoteAddress(c);
    if (!isTrusted(direct)) return { ip: direct, secure: c.req.url.startsWith('https:') };
    const clientOf: RemoteAddress = (c) => hopsBeyond(c, isTrusted).at(-1) ?? direct;
    return new LazyPeer(
      c,
      clientOf,
      // The proxy that connects counts, also without addresses of it.
      isForwardedSecure(c, () => hopsBeyond(c, isTrusted).length || 1),
    );
  };
}

/** Asks for the address when somebody wants to know it, which few do. */
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
    // The first look counts: later the peer may be gone.
    this.#ip ??= this.#addressOf(this.#c);
    return this.#ip;
  }
}

const hopsOf = (c: Context): string[] => (c.req.header('x-forwarded-for') ?? '').split(',');

/**
 * The client as the outermost of `proxies` saw it. Each proxy appends the address it was called from, so it is that many
 * hops from the right; a client can make up what stands before it. The last address on the way counts when that hop is
 * no address or the request came through fewer proxies.
 */
function hopBefore(c: Context, proxies: number): string | undefined {
  let client: string | undefined;
  for (const hop of hopsOf(c).slice(-proxies).reverse()) {
    const address = addressIn(hop);
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** The addresses that trusted proxies were called from, from the right: up to the first one that is no trusted proxy. */
function hopsBeyond(c: Context, isTrusted: (ip: string) => boolean): string[] {
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
 * a client can make up what stands before the values of the trusted proxies. The last value counts when there are fewer
 * values than proxies.
 */
function isForwardedSecure(c: Context, proxies: () => number): boolean {
  const header = c.req.header('x-forwarded-proto');
  if (!header) return c.req.url.startsWith('https:');
  const schemes = header.split(',');
  const scheme = schemes.length === 1 ? header : (schemes.at(-proxies()) ?? schemes.at(-1));
  return scheme?.trim().toLowerCase() === 'https';
}

const MAX_REMEMBERED = 1_000;

/** Proxies are few, and are asked about with every request. */
function remembered(ask: (ip: string) => boolean): (ip: string) => boolean {
  const known = new QuickLRU<string, boolean>({ maxSize: MAX_REMEMBERED });
  return (ip) => {
    let answer = known.get(ip);
    if (answer === undefined) {
      answer = ask(ip);
      known.set(ip, answer);
    }
    return answer;
  };
}
