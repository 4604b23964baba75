import { and, asc, eq, ne } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { buildOrgTables, orgSchemaName } from '../../db/org.ts';
import { unknownFlag } from './flags.ts';
import { findOrg } from './orgs.ts';

export interface OrgFlag {
  name: string;
  /** Set by platform administrators. */
  provisioned: boolean;
  /** Set by the organization's owner. */
  enabled: boolean;
  /** Both. */
  active: boolean;
  description: string;
}

/** An organization's feature flags, by name. */
export async function listOrgFlags({ db }: Database, orgName: string): Promise<OrgFlag[]> {
  const org = await findOrg(db, orgName);
  const { orgFlags } = buildOrgTables(orgSchemaName(org.id));
  return (await db.select().from(orgFlags).orderBy(asc(orgFlags.name))).map(withActive);
}

/** Provisions a flag for an organization or withdraws it; what the owner has chosen stays. */
export async function provisionOrgFlag(
  { db }: Database,
  orgName: string,
  name: string,
  provisioned: boolean,
): Promise<{ org_id: string; org: string } & OrgFlag & { changed: boolean }> {
  const org = await findOrg(db, orgName);
  const { orgFlags } = buildOrgTables(orgSchemaName(org.id));
  const [set] = await db
    .update(orgFlags)
    .set({ provisioned })
    .where(and(eq(orgFlags.name, name), ne(orgFlags.provisioned, provisioned)))
    .returning();
  const whose = { org_id: org.id, org: org.slug };
  if (set) return { ...whose, ...withActive(set), changed: true };
  const flags = await db.select().from(orgFlags).orderBy(asc(orgFlags.name));
  const flag = flags.find((known) => known.name === name);
  if (!flag) throw unknownFlag('organization feature flag', name, flags);
  return { ...whose, ...withActive(flag), changed: false };
}

const withActive = ({ name, provisioned, enabled, description }: Omit<OrgFlag, 'active'>): OrgFlag => ({
  name,
  provisioned,
  enabled,
  active: provisioned && enabled,
  description,
});
