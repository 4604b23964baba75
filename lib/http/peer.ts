import type { Context } from 'hono';

/** Who is on the other side of a request, as far as the transport tells. */
export interface Peer {
  /** Empty when unknown. */
  ip: string;
  secure: boolean;
}

const PRIVATE =
  /^(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd]|fe80:)/i;

/** An address as proxies write it, which may be with a port. It is shown to people, and text that is none could be a link. */
const ADDRESS = /^(?:([\d.]{7,15})(?::\d+)?|([\da-f:.]{2,45})|\[([\da-f:.]{2,45})\](?::\d+)?)$/i;

/** Asks for the address when somebody wants to know it, which few do. */
class DirectPeer implements Peer {
  readonly #c: Context;
  readonly #remoteAddress: (c: Context) => string;
  readonly secure: boolean;
  #ip: string | undefined;

  constructor(c: Context, remoteAddress: (c: Context) => string, secure: boolean) {
    this.#c = c;
    this.#remoteAddress = remoteAddress;
    this.secure = secure;
  }

  get ip(): string {
    // The first look counts: later the peer may be gone.
    this.#ip ??= this.#remoteAddress(this.#c);
    return this.#ip;
  }
}

/**
 * Client address and scheme. With `trustProxy` the address is the last one in `X-Forwarded-For` that is not
 * private (what stands before it a client can make up), or the first when all are.
 */
export function peerOf(c: Context, trustProxy: boolean, remoteAddress: (c: Context) => string): Peer {
  const secure = c.req.url.startsWith('https:');
  if (trustProxy) {
    const hops = (c.req.header('x-forwarded-for') ?? '')
      .split(',')
      .flatMap((hop) => ADDRESS.exec(hop.trim())?.slice(1).filter(Boolean) ?? []);
    const scheme = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase();
    const ip = hops.findLast((hop) => !PRIVATE.test(hop)) ?? hops[0];
    return { ip: ip ?? remoteAddress(c), secure: scheme ? scheme === 'https' : secure };
  }
  return new DirectPeer(c, remoteAddress, secure);
}
