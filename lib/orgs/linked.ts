import type { Db, Tx } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { invalidLink } from '../accounts/mailed-tokens.ts';
import { lockOrgTables } from '../quotas.ts';
import type { Org, OrgDirectory } from './directory.ts';
import { readOrgName } from './notices.ts';

/**
 * Runs a transaction that has locked the organization of a mailed link.
 * @param orgId as it was read from the link before; undefined if there is no such link
 * @throws ApiError `validation_error/field_invalid` when the link or the organization does not exist
 */
export async function inLinkedOrg<T>(
  { db, directory }: { db: Db; directory: OrgDirectory },
  orgId: string | undefined,
  use: (tx: Tx, org: Org, tables: OrgTables) => Promise<T>,
): Promise<T> {
  const named = orgId === undefined ? undefined : await readOrgName(db, orgId);
  const org = named && (await directory.named(named.slug));
  if (!org) throw invalidLink();
  return await retried(() => db.transaction(async (tx) => use(tx, org, await lockOrgTables(tx, org))));
}
