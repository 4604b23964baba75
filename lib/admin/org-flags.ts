import * as flags from '../../db/orgs/flags.ts';
import type { Org } from '../orgs/directory.ts';
import { unknownFlag } from './flags.ts';
import { type OrgTablesCall, readOrg, withTables } from './org-tables.ts';

/** A flag. It is active when it is provisioned and enabled. */
export type OrgFlag = flags.OrgFlag & { active: boolean };

/** An organization's feature flags, by name. */
export async function listOrgFlags(
  { database, migrations }: Pick<OrgTablesCall, 'database' | 'migrations'>,
  orgName: string,
): Promise<OrgFlag[]> {
  const { tables } = await readOrg(database, orgName, migrations);
  return (await flags.readOrgFlags(database.db, tables)).map(withActive);
}

/** Provisions a flag for an organization or withdraws it. Does not change `enabled`, the owner's setting. */
export async function provisionOrgFlag(
  call: OrgTablesCall,
  orgName: string,
  name: string,
  provisioned: boolean,
): Promise<{ org_id: string; org: string } & OrgFlag & { changed: boolean }> {
  const { database, migrations } = call;
  const { db } = database;
  let org: Org = await readOrg(database, orgName, migrations);
  const before = (await flags.readOrgFlags(db, org.tables)).find((one) => one.name === name);
  if (before && before.provisioned !== provisioned) org = await withTables(call, org);
  const changed = await flags.provisionOrgFlag(db, org.tables, name, provisioned);
  const known = await flags.readOrgFlags(db, org.tables);
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
