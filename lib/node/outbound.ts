import { lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as send } from 'undici';
import type { Config } from '../config/config.ts';
import {
  createOutbound,
  isAllowedAddress,
  isLocalTrial,
  type Outbound,
  OutboundError,
} from '../outbound/outbound.ts';

const DNS_MS = 3_000;

/**
 * Outbound requests of a process. The address that a name has is checked where the connection is made, so that it cannot change between
 * check and use.
 */
export function createNodeOutbound(config: Pick<Config, 'outboundAllow' | 'sso'>): Outbound {
  const guarded: LookupFunction = (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      if (!found.every(({ address }) => isAllowedAddress(address, config)))
        return done(
          Object.assign(
            new OutboundError(`${host} has a private address, which this service does not connect to.`),
            {
              code: 'EACCES',
            },
          ),
          '',
          0,
        );
      const [first] = found;
      if (options.all) return (done as (error: null, found: unknown) => void)(null, found);
      done(null, first?.address ?? '', first?.family ?? 4);
    });
  };
  const connect = { timeout: 5_000 };
  const public_ = new Agent({ connect: { ...connect, lookup: guarded }, maxRedirections: 0 } as object);
  const local = new Agent({ connect });
  const fetchGuarded = ((url: string, init?: RequestInit) =>
    send(url, {
      ...(init as object),
      dispatcher: isLocalTrial(new URL(url), config) ? local : public_,
    })) as unknown as typeof fetch;
  return createOutbound(config, { send: fetchGuarded, resolveTxt });
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
