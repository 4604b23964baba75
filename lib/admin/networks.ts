import type { Database } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { readOrg } from './org-tables.ts';

/**
 * Lets an organization be used from all networks again: its owners cannot do so from a network that they have left.
 * @returns the networks that were allowed
 */
export async function allowAllNetworks(
  { database, migrations }: { database: Database; migrations: readonly Migration[] },
  orgName: string,
): Promise<{ org_id: string; org: string; networks: string[]; changed: boolean }> {
  const org = await readOrg(database, orgName, migrations);
  const removed = await database.db.delete(org.tables.allowedNetworks).returning();
  const networks = removed.map(({ network }) => network).sort();
  return { org_id: org.id, org: org.slug, networks, changed: networks.length > 0 };
}
