import type { Database } from '../../db/client.ts';
import * as flags from '../../db/orgs/flags.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { unknownFlag } from './flags.ts';
import { findOrg } from './orgs.ts';

/** A flag. It is active when it is provisioned and enabled. */
export type OrgFlag = flags.OrgFlag & { active: boolean };

/** An organization's feature flags, by name. */
export async function listOrgFlags({ db }: Database, orgName: string): Promise<OrgFlag[]> {
  const org = await findOrg(db, orgName);
  return (await flags.readOrgFlags(db, defineOrgTables(orgSchemaName(org.id)))).map(withActive);
}

/** Provisions a flag for an organization or withdraws it. Does not change `enabled`, the owner's setting. */
export async function provisionOrgFlag(
  { db }: Database,
  orgName: string,
  name: string,
  provisioned: boolean,
): Promise<{ org_id: string; org: string } & OrgFlag & { changed: boolean }> {
  const org = await findOrg(db, orgName);
  const tables = defineOrgTables(orgSchemaName(org.id));
  const changed = await flags.provisionOrgFlag(db, tables, name, provisioned);
  const known = await flags.readOrgFlags(db, tables);
  const flag = known.find((one) => one.name === name);
  if (!flag) throw unknownFlag('organization feature flag', name, known);
  return { org_id: org.id, org: org.slug, ...withActive(flag), changed };
}

const withActive = ({ name, provisioned, enabled, description }: flags.OrgFlag): OrgFlag => ({
  name,
  provisioned,
  enabled,
  active: provisioned && enabled,
  description,
});
