import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.ts';
import { isWithin, rangesOf } from '../network.ts';

export type OutboundSettings = Pick<Config, 'outboundAllow' | 'sso'>;

const LOOPBACK_NAMES = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost)$/;

/** The host of an address, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

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
export function refusalOf(text: string, settings: OutboundSettings): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://login.example.com';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (isLocalTrial(url, settings)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  return isRefusedHost(hostOf(url), settings) ? PRIVATE : undefined;
}

export const PRIVATE = 'is a private address, which this service does not connect to';

/** Whether the text of a host says that it is private. */
export const isRefusedHost = (host: string, settings: Pick<Config, 'outboundAllow'>): boolean =>
  ipaddr.isValid(host)
    ? !isAllowedAddress(host, settings)
    : LOOPBACK_NAMES.test(host) && !isWithin('127.0.0.1', settings.outboundAllow);
