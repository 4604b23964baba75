import { and, eq, ne, type SQL } from 'drizzle-orm';
import type { Db, Tx } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';

/** A feature flag of an organization; it is active when it is both provisioned and enabled. */
export interface OrgFlag {
  name: string;
  /** Set by platform administrators. */
  provisioned: boolean;
  /** Set by the organization's owner. */
  enabled: boolean;
  description: string;
}

/** The flags there are, as every organization has them until somebody changes one: only then it gets a row. */
const ORG_FLAGS: readonly OrgFlag[] = [
  {
    name: 'org_wide_tokens',
    provisioned: true,
    enabled: false,
    description: 'API tokens that act on every project of the organization.',
  },
  {
    name: 'require_mfa',
    provisioned: true,
    enabled: false,
    description: 'Members must have multi-factor authentication switched on.',
  },
];

/** An organization's flags, by name. */
export async function readOrgFlags(db: Db | Tx, { orgFlags }: OrgTables): Promise<OrgFlag[]> {
  const changed = await db.select().from(orgFlags);
  const flags = new Map([...ORG_FLAGS, ...changed].map((flag) => [flag.name, flag]));
  return [...flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Switches a provisioned flag on or off.
 * @returns whether there is such a flag, and it is provisioned
 */
export async function enableOrgFlag(
  db: Db | Tx,
  { orgFlags: t }: OrgTables,
  name: string,
  enabled: boolean,
): Promise<boolean> {
  return (await write(db, t, name, { enabled }, eq(t.provisioned, true))).length > 0;
}

/**
 * Provisions a flag or withdraws it; what the owner has chosen stays.
 * @returns whether that changed anything
 */
export async function provisionOrgFlag(
  db: Db,
  tables: OrgTables,
  name: string,
  provisioned: boolean,
): Promise<boolean> {
  const flag = (await readOrgFlags(db, tables)).find((known) => known.name === name);
  if (!flag || flag.provisioned === provisioned) return false;
  const { orgFlags: t } = tables;
  return (await write(db, t, name, { provisioned }, ne(t.provisioned, provisioned))).length > 0;
}

/** Changes a flag's row where it has one for which `where` holds, and gives it one where it has none. */
function write(db: Db | Tx, t: OrgTables['orgFlags'], name: string, change: Partial<OrgFlag>, where: SQL) {
  const flag = ORG_FLAGS.find((known) => known.name === name);
  if (!flag) {
    return db
      .update(t)
      .set(change)
      .where(and(eq(t.name, name), where))
      .returning();
  }
  return db
    .insert(t)
    .values({ ...flag, ...change })
    .onConflictDoUpdate({ target: t.name, set: change, setWhere: where })
    .returning();
}
