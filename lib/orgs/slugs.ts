const RESERVED_SLUGS = new Set(
  `admin dashboard api app www mail smtp ftp auth login register signup billing payment support help docs blog
  status health metrics monitoring grafana prometheus static assets cdn media root system internal private agent
  scanner security test staging dev prod console portal account settings webhook webhooks callback oauth`.split(
    /\s+/,
  ),
);

/** An org's slug: 3 to 50 lower-case letters, digits and hyphens, no hyphen at either end. */
export const ORG_SLUG = /^[a-z0-9](?:[a-z0-9-]{1,48}[a-z0-9])$/;

/** Slugs an organization cannot have: subdomains we may need ourselves. */
export const isReservedSlug = (slug: string): boolean => RESERVED_SLUGS.has(slug);

/** The slug when `name` is exactly one label in front of the base domain. */
export function subdomainOf(name: string, baseDomain: string): string | undefined {
  if (!name.endsWith(`.${baseDomain}`)) return undefined;
  const label = name.slice(0, -baseDomain.length - 1);
  return label !== '' && !label.includes('.') ? label : undefined;
}

/** The slug for a name: may be empty, too short or reserved. */
export const slugFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|(?<!-)-+$/g, '');

/**
 * Slugs to try for a name, best first: the name's own, then the same with a random suffix, without end.
 * @param options.fallback stands in for a name without usable letters
 */
export function* slugCandidates(
  name: string,
  options: { fallback: string; minLength: number; isReserved?: (slug: string) => boolean },
): Generator<string, never> {
  const { fallback, minLength, isReserved } = options;
  const base = slugFrom(name);
  if (base.length >= minLength && !isReserved?.(base)) yield base;
  for (;;) yield `${base || fallback}-${crypto.randomUUID().slice(0, 6)}`;
}

/** Slugs to try for an organization's name. */
export const orgSlugCandidates = (name: string) =>
  slugCandidates(name, { fallback: 'org', minLength: 3, isReserved: isReservedSlug });
