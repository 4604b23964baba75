import { type SQL, sql } from 'drizzle-orm';
import { BATCH_ROWS, inBatches } from '../batches.ts';
import type { Db, Tx } from '../client.ts';
import { userEmails, users } from '../schema/accounts.ts';
import type { OrgTables } from '../schema/org.ts';
import { memberships, orgDeletions, orgs } from '../schema/orgs.ts';
import { personalTokens } from '../schema/personal-tokens.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * Organizations of unverified accounts. `orgs.verify_by` is set at the creation, and unset once an organization is to stay.
 */

export interface Unverified {
  id: string;
  slug: string;
  schema_version: number;
}

/** Whether an organization `o` may be removed, as far as `shared` says. */
const isRemovable = sql`exists (select from ${userEmails} e where e.user_id = o.created_by and e.is_primary and e.verified_at is null)
  and not exists (select from ${orgDeletions} d where d.org_id = o.id)
  and not exists (select from ${memberships} m join ${userEmails} e on e.user_id = m.user_id and e.is_primary
    where m.org_id = o.id and m.user_id <> o.created_by
      and (m.confirmed_at is not null or (m.invited_email is null and e.verified_at is not null)))
  and not exists (select from ${memberships} m join ${personalTokens} t on t.user_id = m.user_id
    where m.org_id = o.id and t.last_used is not null and (t.org_id is null or t.org_id = o.id))`;

const param = (time: Date): SQL => sql`${time.toISOString()}::timestamptz`;

/** Keeps the organizations due until a time that are not to be removed. */
export async function keepOthers(client: SqlClient | Db, due: Date): Promise<void> {
  await inBatches(async () => {
    const kept = await run(
      client,
      sql`update ${orgs} set verify_by = null where id = any (array(
        select o.id from ${orgs} o where o.verify_by <= ${param(due)} and not (${isRemovable})
        limit ${sql.raw(String(BATCH_ROWS))} for update skip locked)) returning 1`,
    );
    return kept.length;
  });
}

/** Takes the next organization whose owners get a warning, and sets the time of the removal. */
export async function takeUnverifiedToWarn(
  tx: Tx,
  { now, due }: { now: Date; due: Date },
): Promise<(Unverified & { verify_by: string }) | undefined> {
  const [row] = await run<Unverified & { verify_by: string }>(
    tx,
    sql`update ${orgs} set verify_warned_at = ${param(now)}, verify_by = greatest(verify_by, ${param(due)})
      where id = any (array(select o.id from ${orgs} o
        where o.verify_by <= ${param(due)} and o.verify_warned_at is null and ${isRemovable}
        order by o.verify_by limit 1 for update skip locked))
      returning id, slug, schema_version, verify_by`,
  );
  return row;
}

/** Locks an organization whose time has come, and its creator, whose address cannot be verified meanwhile. */
export async function takeUnverifiedToRemove(tx: Tx, now: Date): Promise<Unverified | undefined> {
  const [row] = await run<Unverified & { created_by: string }>(
    tx,
    sql`select o.id, o.slug, o.schema_version, o.created_by from ${orgs} o
      where o.verify_by <= ${param(now)} and o.verify_warned_at is not null
      order by o.verify_by limit 1 for no key update skip locked`,
  );
  if (row) await run(tx, sql`select 1 from ${users} where id = ${row.created_by}::uuid for no key update`);
  return row;
}

/** Whether an organization that is locked may still be removed. */
export async function isStillRemovable(tx: Tx, orgId: string): Promise<boolean> {
  return (
    (await run(tx, sql`select 1 from ${orgs} o where o.id = ${orgId}::uuid and ${isRemovable}`)).length > 0
  );
}

/** Whether an API token of an organization was used, or it has findings. */
export async function hasUse(tx: Tx, { apiTokens, findings }: OrgTables): Promise<boolean> {
  const found = await run(
    tx,
    sql`select 1 where exists (select from ${apiTokens} where ${apiTokens.lastUsed} is not null) or exists (select from ${findings})`,
  );
  return found.length > 0;
}

/** The organization stays, or is deleted now. */
export const settleUnverified = (tx: Tx, orgId: string): Promise<unknown> =>
  run(tx, sql`update ${orgs} set verify_by = null where id = ${orgId}::uuid`);
