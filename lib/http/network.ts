const GROUPS = 8;
/** What a provider gives to one customer, in groups of 16 bits. */
const NETWORK_GROUPS = 4;

/** The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?([\d.]+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined || !address.includes(':')) return ipv4 ?? address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  // `::` stands for the groups that are missing.
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
