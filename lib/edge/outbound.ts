import type { Config } from '../config/config.ts';
import { OutboundError } from '../outbound/error.ts';
import { createOutbound, type Outbound } from '../outbound/outbound.ts';

/** Outbound requests of a worker. Its platform does not connect to private networks, so names are not resolved first. */
export const createEdgeOutbound = (config: Pick<Config, 'outboundAllow' | 'sso'>): Outbound =>
  createOutbound(config, { send: (url, init) => fetch(url, init), resolveTxt });

/** The platform's DNS, over HTTPS: workers have no sockets for it. */
const RESOLVER = 'https://cloudflare-dns.com/dns-query';
const DNS_MS = 5_000;
const TXT = 16;
/** Codes of answers (RFC 1035, 4.1.1). */
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** @throws OutboundError if the resolver does not answer */
async function resolveTxt(name: string): Promise<string[]> {
  try {
    const query = new URLSearchParams({ name, type: 'TXT' });
    const response = await fetch(`${RESOLVER}?${query}`, {
      headers: { accept: 'application/dns-json' },
      signal: AbortSignal.timeout(DNS_MS),
    });
    const { Status, Answer = [] } = (await response.json()) as {
      Status: number;
      Answer?: { type: number; data: string }[];
    };
    if (Status !== NO_ERROR && Status !== NO_SUCH_NAME) throw new Error(`the resolver answered ${Status}`);
    return Answer.filter(({ type }) => type === TXT).map(({ data }) => textOf(data));
  } catch (error) {
    throw new OutboundError('No DNS server answers at the moment.', { cause: error });
  }
}

/** A record as the resolver writes it: one or more texts in quotes. */
const textOf = (data: string): string =>
  data.startsWith('"') ? data.slice(1, -1).replaceAll('" "', '') : data;
