import { and, eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../client.ts';
import { flooredNow } from '../schema/columns.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgDeletions } from '../schema/orgs.ts';
import { orgStatement, run, type SqlClient } from '../statements.ts';

/*
 * A deleted organization has a row in `org_deletions`, which refuses its members, and its API tokens are suspended. After the
 * grace period a process that holds the lease of the row purges it (`purge.ts`).
 */

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a deleted organization can be restored. */
export const GRACE_MS = 30 * DAY_MS;
/** How long before the purge its owners are told. */
export const WARNING_MS = 3 * DAY_MS;
/** The shortest time between that mail and the purge, if the service was down when the mail was due. */
const LEAST_WARNING_MS = 2 * DAY_MS;
/** After this time no server remembers the address of a deleted organization (`lib/orgs/directory.ts`). */
export const SETTLED_MS = 2 * 60_000;

export interface Deletion {
  deletedAt: Date;
  purgeAt: Date;
  purging: boolean;
}

/** The deletion of an organization; undefined if it is not deleted. */
export async function readDeletion(db: Db | Tx, orgId: string): Promise<Deletion | undefined> {
  const { deletedAt, purgeAt, purging } = orgDeletions;
  const [row] = await db
    .select({ deletedAt, purgeAt, purging })
    .from(orgDeletions)
    .where(eq(orgDeletions.orgId, orgId));
  return row;
}

const setSuspended = (tx: Tx, { apiTokens }: OrgTables, suspended: boolean) =>
  tx.update(apiTokens).set({ suspended }).where(eq(apiTokens.suspended, !suspended));

/** An organization and its tables. */
interface OrgWithTables {
  id: string;
  tables: OrgTables;
}

/**
 * Marks an organization as deleted and suspends its API tokens. Part of a transaction that has locked the organization.
 * @param times when it is purged, and when the owners were told of that. Unset: after the grace period, and not yet
 * @returns when it is purged; undefined if it is deleted already
 */
export async function markOrgDeleted(
  tx: Tx,
  { id: orgId, tables }: OrgWithTables,
  now: Date,
  { purgeAt, warnedAt }: { purgeAt: Date; warnedAt?: Date } = {
    purgeAt: new Date(now.getTime() + GRACE_MS),
  },
): Promise<Date | undefined> {
  const [marked] = await tx
    .insert(orgDeletions)
    .values({ orgId, deletedAt: now, purgeAt, warnedAt, leaseUntil: sql`now()` })
    .onConflictDoNothing()
    .returning({ orgId: orgDeletions.orgId });
  if (!marked) return undefined;
  await setSuspended(tx, tables, true);
  return purgeAt;
}

/**
 * Ends the deletion of an organization. Part of a transaction that has locked the organization.
 * @returns false if it is not deleted, or is being purged
 */
export async function unmarkOrgDeleted(tx: Tx, { id, tables }: OrgWithTables): Promise<boolean> {
  const [restored] = await tx
    .delete(orgDeletions)
    .where(and(eq(orgDeletions.orgId, id), eq(orgDeletions.purging, false)))
    .returning({ orgId: orgDeletions.orgId });
  if (!restored) return false;
  await setSuspended(tx, tables, false);
  return true;
}

/**
 * Takes an organization whose owners are to be told that it is purged soon, and sets the time of the purge. Part of the
 * transaction that writes the mails.
 */
export async function takeWarning(
  tx: Tx,
  now: Date,
): Promise<{ orgId: string; deletedAt: Date; purgeAt: Date } | undefined> {
  const soon = new Date(now.getTime() + WARNING_MS).toISOString();
  const earliest = new Date(now.getTime() + LEAST_WARNING_MS).toISOString();
  const d = orgDeletions;
  const [row] = await tx
    .update(d)
    .set({ warnedAt: now, purgeAt: sql`greatest(${d.purgeAt}, ${earliest}::timestamptz)` })
    .where(
      sql`${d.orgId} = any (array(select ${d.orgId} from ${d} where ${d.warnedAt} is null and not ${d.purging}
        and ${d.purgeAt} <= ${soon}::timestamptz order by ${d.purgeAt} limit 1 for update skip locked))`,
    )
    .returning({ orgId: d.orgId, deletedAt: d.deletedAt, purgeAt: d.purgeAt });
  return row;
}

/** How long a process has a purge to itself, which takes much less. */
const LEASE = sql.raw(`now() + interval '10 minutes'`);

/** Takes an organization whose grace period is over and that nobody is purging. From then on it cannot be restored. */
export async function takeOrgPurge(client: SqlClient, now: Date): Promise<string | undefined> {
  const [row] = await run<{ org_id: string }>(
    client,
    sql`update ${orgDeletions} set purging = true, lease_until = ${LEASE} where org_id = any (array(
      select org_id from ${orgDeletions} where lease_until <= now()
        and (purging or (warned_at is not null and purge_at <= ${now.toISOString()}::timestamptz))
      order by lease_until limit 1 for update skip locked))
    returning org_id`,
  );
  return row?.org_id;
}

/** Takes one deleted organization before its time. @returns false if it is not deleted, or not long enough, or taken */
export async function takeOrgPurgeOf(client: SqlClient, orgId: string, now: Date): Promise<boolean> {
  const settled = new Date(now.getTime() - SETTLED_MS).toISOString();
  const taken = await run(
    client,
    sql`update ${orgDeletions} set purging = true, lease_until = ${LEASE}
      where org_id = ${orgId}::uuid and deleted_at <= ${settled}::timestamptz and lease_until <= now() returning 1`,
  );
  return taken.length > 0;
}

/** Leaves a purge to the next run. */
export async function releaseOrgPurge(client: SqlClient, orgId: string, delayMs: number): Promise<void> {
  await run(
    client,
    sql`update ${orgDeletions} set lease_until = ${flooredNow} + ${delayMs} * interval '1 millisecond'
      where org_id = ${orgId}::uuid`,
  );
}

const activeTokens = orgStatement<object, { tokens: number }>(
  ({ apiTokens }) => sql`select count(*)::int as tokens from ${apiTokens} where suspended and not revoked`,
);

/** How many API tokens that were not revoked are suspended. */
export const countSuspended = async (client: SqlClient, tables: OrgTables): Promise<number> =>
  (await activeTokens(tables).run(client, {}))[0]?.tokens ?? 0;
