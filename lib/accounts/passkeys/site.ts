import ipaddr from 'ipaddr.js';
import type { Config } from '../../config/config.ts';

/** The site that passkeys belong to: the base domain, or without one the host of the public URL. */
export interface PasskeySite {
  /** The relying party id. Browsers use a passkey on this host and its subdomains only. */
  rpId: string;
  /** Browsers refuse passkeys for IP addresses. */
  isUsable: boolean;
  /**
   * Whether a ceremony may happen on a page of this origin. Browsers offer passkeys over HTTPS, and on localhost.
   * @param where `base`: on the site itself; `any`: also on a subdomain, which organizations have with a base domain
   */
  isOrigin(origin: string, where: 'base' | 'any'): boolean;
}

export function passkeySite({
  baseDomain,
  publicUrl,
}: Pick<Config, 'baseDomain' | 'publicUrl'>): PasskeySite {
  const rpId = baseDomain ?? new URL(publicUrl).hostname;
  return {
    rpId,
    isUsable: !ipaddr.isValid(rpId.replace(/^\[|\]$/g, '')),
    isOrigin(origin, where) {
      if (!URL.canParse(origin)) return false;
      const { protocol, hostname, origin: normal } = new URL(origin);
      if (normal !== origin) return false;
      const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
      if (protocol !== 'https:' && !(protocol === 'http:' && isLocal)) return false;
      return hostname === rpId || (where === 'any' && !!baseDomain && hostname.endsWith(`.${baseDomain}`));
    },
  };
}
