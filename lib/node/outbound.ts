import { lookup as lookUp } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as send } from 'undici';
import type { Config } from '../config/config.ts';
import { isWithin } from '../network.ts';
import { isAllowedAddress, isLocalTrial } from '../outbound/addresses.ts';
import { OutboundError } from '../outbound/error.ts';
import { createOutbound, type Outbound } from '../outbound/outbound.ts';

const DNS_MS = 3_000;

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type LookUp = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, found: { address: string; family: number }[]) => void,
) => void;

/** Resolves names for a connection, and refuses those that have an address which is not allowed. */
const guarded =
  (look: LookUp, isAllowed: (address: string) => boolean): LookupFunction =>
  (host, options, done) => {
    look(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      if (!found.every(({ address }) => isAllowed(address))) {
        const text = `${host} has a private address, which this service does not connect to.`;
        return done(Object.assign(new OutboundError(text), { code: 'EACCES' }), '', 0);
      }
      const [first] = found;
      if (options.all) return (done as (error: null, found: unknown) => void)(null, found);
      done(null, first?.address ?? '', first?.family ?? 4);
    });
  };

/**
 * Outbound requests of a process. The address that a name has is checked where the connection is made, so that it cannot change between
 * check and use.
 */
export function createNodeOutbound(
  config: Pick<Config, 'outboundAllow' | 'sso'>,
  look: LookUp = lookUp,
): Outbound {
  const connect = { timeout: 5_000 };
  const agentFor = (isAllowed: (address: string) => boolean) =>
    new Agent({ connect: { ...connect, lookup: guarded(look, isAllowed) }, maxRedirections: 0 } as object);
  const public_ = agentFor((address) => isAllowedAddress(address, config));
  const plain = agentFor((address) => isWithin(address, config.outboundAllow));
  const local = new Agent({ connect });
  const fetchBy = (agentOf: (url: URL) => Agent) =>
    ((url: string, init?: RequestInit) =>
      send(url, { ...(init as object), dispatcher: agentOf(new URL(url)) })) as unknown as typeof fetch;
  return createOutbound(config, {
    send: fetchBy((url) => (isLocalTrial(url, config) ? local : public_)),
    sendPlain: fetchBy(() => plain),
    resolveTxt,
  });
}

async function resolveTxt(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 });
  try {
    const records = await resolver.resolveTxt(name);
    return records.map((parts) => parts.join(''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw new OutboundError('No DNS server answers at the moment.', { cause: error });
  }
}
