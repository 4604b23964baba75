import { domainToASCII } from 'node:url';
import { eq } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { AdminError, EXIT, oneLine } from './error.ts';
import { findOrg } from './orgs.ts';

export interface DomainChange {
  org_id: string;
  org: string;
  custom_domain: string | null;
  previous: string | null;
  changed: boolean;
}

/** At least two labels, the last starting with a letter. Excludes `localhost` and IP addresses. */
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a host name as {@link normalizeDomain} returns it. */
export const isDomain = (text: string): boolean => DOMAIN.test(text);

/**
 * Normalizes a domain for comparison with the Host header: lower case, no trailing dot, other alphabets in Punycode.
 * @throws AdminError when it is not a host name
 */
export function normalizeDomain(text: string): string {
  const trimmed = text.trim().replace(/\.$/, '');
  const domain = /^[\x20-\x7e]*$/.test(trimmed) ? trimmed.toLowerCase() : domainToASCII(trimmed);
  if (!isDomain(domain)) {
    throw new AdminError(
      `"${oneLine(text)}" is not a domain: it takes a host name such as findings.example.com, without scheme, port and path`,
      EXIT.usage,
    );
  }
  return domain;
}

/**
 * Sets or replaces an organization's custom domain.
 * @param baseDomain of the service. It and its subdomains are not allowed
 * @throws AdminError when the domain is not allowed or belongs to another organization
 */
export async function setDomain(
  database: Database,
  orgName: string,
  text: string,
  baseDomain: string | undefined,
): Promise<DomainChange> {
  const domain = normalizeDomain(text);
  if (baseDomain !== undefined && (domain === baseDomain || domain.endsWith(`.${baseDomain}`))) {
    const where = domain === baseDomain ? 'the base domain' : `below the base domain ${baseDomain}`;
    throw new AdminError(`${domain} is ${where}: a custom domain must be another one`);
  }
  try {
    return await changeDomain(database, orgName, domain);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const [holder] = await database.db
      .select({ slug: orgs.slug })
      .from(orgs)
      .where(eq(orgs.customDomain, domain));
    throw new AdminError(
      `${domain} belongs to ${holder?.slug ?? 'another organization'}: clear it there first`,
    );
  }
}

/** Removes an organization's custom domain. */
export const clearDomain = (database: Database, orgName: string): Promise<DomainChange> =>
  changeDomain(database, orgName, null);

function changeDomain({ db }: Database, orgName: string, domain: string | null): Promise<DomainChange> {
  return db.transaction(async (tx) => {
    const { id, slug } = await findOrg(tx, orgName);
    const [before] = await tx
      .select({ domain: orgs.customDomain })
      .from(orgs)
      .where(eq(orgs.id, id))
      .for('update');
    const previous = before?.domain ?? null;
    if (previous !== domain) await tx.update(orgs).set({ customDomain: domain }).where(eq(orgs.id, id));
    return { org_id: id, org: slug, custom_domain: domain, previous, changed: previous !== domain };
  });
}
