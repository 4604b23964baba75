import ipaddr from 'ipaddr.js';

/** An address as proxies write it, optionally with a port. Other text is refused: it is shown to users and could be a link. */
const ADDRESS = /^(?:([\d.]{7,15})(?::\d+)?|([\da-f:.]{2,45})|\[([\da-f:.]{2,45})\](?::\d+)?)$/i;

/** The address in a hop of `X-Forwarded-For`; undefined when there is none. */
export function addressIn(hop: string): string | undefined {
  const [, v4, v6, bracketed] = ADDRESS.exec(hop.trim()) ?? [];
  if (v4 !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(v4) ? v4 : undefined;
  const text = v6 ?? bracketed;
  return text !== undefined && ipaddr.IPv6.isValid(text) ? text : undefined;
}

/** A block of addresses. */
export type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
export type TrustProxy =
  /** None: the connection's address and scheme count. */
  | false
  /** This number of proxies in a chain. */
  | number
  /** Proxies with these addresses. */
  | readonly Range[];

/** Reads an address or a CIDR block such as `10.0.0.0/8`; undefined when it is neither. */
export function parseRange(text: string): Range | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (addressIn(text) !== text) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** The block in CIDR notation, without bits of hosts: at most 43 characters. */
export function blockText([address, bits]: Range): string {
  const cidr = `${address}/${bits}`;
  const base =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${base}/${bits}`;
}

/** The blocks of texts that are some. */
export const rangesOf = (texts: readonly string[]): Range[] =>
  texts.map(parseRange).filter((range) => range !== undefined);

/** Whether an address is in one of the blocks. IPv4 may be written as IPv6 (`::ffff:10.0.0.1`). */
export function isWithin(ip: string, ranges: readonly Range[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits));
}

/**
 * The network whose addresses one client can use: an IPv4 address, or the /64 of an IPv6 address.
 * @param bits of a wider IPv6 network, of which some clients have all
 */
export function networkOf(ip: string, bits: 64 | 56 | 48 = 64): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const [a, b, c, d = 0] = address.parts;
  const parts = [a, b, c, d & (0xffff << (64 - bits))].map((part = 0) => part.toString(16));
  return `${parts.join(':')}::/${bits}`;
}
