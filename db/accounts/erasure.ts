import { type SQL, sql } from 'drizzle-orm';
import { areBehind } from '../orgs/tables.ts';
import { userEmails, users } from '../schema/accounts.ts';
import { accountErasures } from '../schema/erasures.ts';
import { memberships, orgs } from '../schema/orgs.ts';
import { mailQueue } from '../schema/platform.ts';
import { scimUsers } from '../schema/scim.ts';
import { arrayText, type DrizzleClient, run, type SqlClient } from '../statements.ts';

/*
 * An account is deleted in two steps. One transaction deletes its row, with which PostgreSQL deletes everything of it in `shared`,
 * and notes it here. Then a process that holds its lease removes it from the mail queue and its own organizations, and then from all
 * others, one after another. When that process dies, the lease expires and another one goes on. Each step may run twice.
 *
 * One pass through all organizations is for all accounts that wait for it, up to a limit. Accounts that are deleted meanwhile wait
 * for the next one: otherwise each of them would send the others back to the start.
 *
 * An erasure takes two passes. The second one finds the writes of requests that were in progress when the account was deleted. An
 * organization that fails does not keep the others waiting: the pass goes on, and another one follows.
 */

/** A deleted account that is being erased. */
export interface Erasure {
  userId: string;
  /** The addresses that it had verified. */
  emails: string[];
  deletedAt: Date;
  firstOrgIds: string[];
  doneOrgId: string | null;
  passes: number;
}

/** Longer than a request may take. */
export const SECOND_PASS_MS = 10 * 60_000;
export const PASSES = 2;

/** How long a process has an account to itself. It renews the lease with each batch. */
export const LEASE_MS = 60_000;

const leaseEnd = sql.raw(`now() + interval '${LEASE_MS} milliseconds'`);

/** Without the fraction of a millisecond, which the column would round up to the future. */
const due = sql.raw("date_trunc('milliseconds', now())");

/**
 * Deletes an account that is locked, and notes it.
 * @param orgIds the organizations that it was a member of
 */
export async function deleteAndNote(
  tx: DrizzleClient,
  { userId, orgIds, now }: { userId: string; orgIds: readonly string[]; now: Date },
): Promise<void> {
  await run(
    tx,
    sql`insert into ${accountErasures} (user_id, emails, first_org_ids, deleted_at, lease_until)
      select ${userId}::uuid, coalesce((
        select array_agg(email) from ${userEmails} where user_id = ${userId}::uuid and verified_at is not null
      ), '{}'), ${arrayText(orgIds)}::uuid[], ${now.toISOString()}::timestamptz, ${due}`,
  );
  // Otherwise each of its organizations would have a share and a storage quota of its own.
  await run(
    tx,
    sql`update ${orgs} set share_id = (select gen_random_uuid()) where created_by = ${userId}::uuid`,
  );
  await run(tx, sql`delete from ${users} where id = ${userId}::uuid`);
}

/** Notes persons without an account, to be erased from an organization that was restored from a backup. */
export async function noteErasures(tx: SqlClient, userIds: readonly string[], orgId: string): Promise<void> {
  await run(
    tx,
    sql`insert into ${accountErasures} (user_id, emails, first_org_ids, deleted_at, lease_until)
      select id, '{}', array[${orgId}::uuid], now(), ${due} from unnest(${arrayText(userIds)}::uuid[]) as id
      on conflict (user_id) do update set first_org_ids = excluded.first_org_ids, done_org_id = null, passes = 0`,
  );
}

/** The position of an account that waits for a pass. Null: its own organizations come first. */
export const START_OF_PASS = '00000000-0000-0000-0000-000000000000';

/** Accounts of one turn. */
const GROUP = 100;

const isBegun = sql`done_org_id is not null`;
const isUnderWay = sql`done_org_id > ${START_OF_PASS}::uuid`;

/**
 * Which accounts: one by its id; those that were just deleted; or those in a pass, and if there are none, those that wait for one.
 */
export type Wanted = { userId: string } | 'deleted' | 'in a pass';

/** Takes deleted accounts that nobody is erasing, those that wait longest. */
export async function takeErasures(client: SqlClient, wanted: Wanted): Promise<Erasure[]> {
  const which =
    typeof wanted === 'object'
      ? sql`user_id = ${wanted.userId}::uuid`
      : wanted === 'deleted'
        ? sql`done_org_id is null`
        : sql`${isBegun} and (${isUnderWay} or not exists (select from ${accountErasures} where ${isUnderWay}))`;
  const rows = await run<{
    user_id: string;
    emails: string[];
    deleted_at: string;
    first: string[];
    done_org_id: string | null;
    passes: number;
  }>(
    client,
    sql`update ${accountErasures} set lease_until = ${leaseEnd} where user_id in (
      select user_id from ${accountErasures} where lease_until <= now() and ${which}
      order by lease_until limit ${GROUP} for update skip locked)
    returning user_id, array_to_json(emails) as emails, array_to_json(first_org_ids) as first, deleted_at, done_org_id,
      passes`,
  );
  return rows.map((row) => ({
    userId: row.user_id,
    emails: row.emails,
    deletedAt: new Date(row.deleted_at),
    firstOrgIds: row.first,
    doneOrgId: row.done_org_id,
    passes: row.passes,
  }));
}

/** Where a process is with an account. */
type Progress = Pick<Erasure, 'userId' | 'firstOrgIds' | 'doneOrgId' | 'passes'>;

async function note(client: SqlClient, progress: readonly Progress[], lease: SQL): Promise<void> {
  const rows = progress.map(({ userId, firstOrgIds, doneOrgId, passes }) => ({
    ...{ id: userId, first: arrayText(firstOrgIds), done: doneOrgId, passes },
  }));
  await run(
    client,
    sql`update ${accountErasures} e set lease_until = ${lease}, first_org_ids = p.first::uuid[], done_org_id = p.done,
        passes = least(e.passes, p.passes)
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as p(id uuid, first text, done uuid, passes int)
      where e.user_id = p.id`,
  );
}

/** Renews leases, and notes the progress. */
export const renewErasures = (client: SqlClient, progress: readonly Progress[]): Promise<void> =>
  note(client, progress, leaseEnd);

/** Gives accounts back, behind all others that wait. */
export const releaseErasures = (
  client: SqlClient,
  progress: readonly Progress[],
  delayMs = 0,
): Promise<void> => note(client, progress, sql`${due} + ${delayMs} * interval '1 millisecond'`);

/**
 * Ends a pass. After the last one, accounts are forgotten, unless the schema of an organization is behind: passes leave such
 * organizations out.
 * @param version of a schema that is up to date
 */
export async function endPass(client: SqlClient, userIds: readonly string[], version: number): Promise<void> {
  const ids = arrayText(userIds);
  const isLast = sql`user_id = any (${ids}::uuid[]) and passes >= ${PASSES - 1}
    and not exists (select from ${orgs} where ${areBehind(version)})`;
  await run(client, sql`delete from ${accountErasures} where ${isLast}`);
  await run(
    client,
    sql`update ${accountErasures} set passes = passes + 1, first_org_ids = '{}', done_org_id = null,
        lease_until = now() + interval '${sql.raw(String(SECOND_PASS_MS))} milliseconds'
      where user_id = any (${ids}::uuid[])`,
  );
}

/** The next organizations in the order of their ids whose schemas are up to date. */
export const nextOrgs = (client: SqlClient, after: string | null, version: number, limit: number) =>
  run<{ id: string; slug: string; name: string }>(
    client,
    sql`select id, slug, name from ${orgs} where schema_version >= ${version}
      and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${limit}`,
  );

/**
 * Removes the verified addresses of a deleted account from other accounts: addresses that were added and not verified, and
 * invitations that nobody has confirmed. Rows created after the deletion belong to the current user of the address.
 */
export async function eraseAddresses(client: SqlClient, { emails, deletedAt }: Erasure): Promise<void> {
  if (emails.length === 0) return;
  // Not `arrayText`: an address may have characters that an array needs quotes for.
  const addresses = sql`(select value from json_array_elements_text(${JSON.stringify(emails)}::text::json))`;
  const before = sql`created_at <= ${deletedAt.toISOString()}::timestamptz`;
  await run(
    client,
    sql`delete from ${userEmails} where email in ${addresses} and not is_primary and verified_at is null and ${before}`,
  );
  // The membership stays: without its only owner, an organization would be lost.
  await run(
    client,
    sql`update ${memberships} set invited_email = user_id || '@released.invalid'
      where invited_email in ${addresses} and confirmed_at is null and ${before}`,
  );
  await run(
    client,
    sql`update ${scimUsers} set user_name = ${scimUsers}.user_id || '@released.invalid', email = null, display_name = null, given_name = null,
        family_name = null
      from ${memberships} m where m.org_id = ${scimUsers}.org_id and m.user_id = ${scimUsers}.user_id and m.confirmed_at is null
      and (lower(${scimUsers}.user_name) in ${addresses} or lower(${scimUsers}.email) in ${addresses}) and ${scimUsers}.${before}`,
  );
  await run(client, sql`delete from ${mailQueue} where lower(recipient) in ${addresses} and ${before}`);
}

/** Selects the given organizations whose schemas are up to date. */
export const currentOrgs = async (client: SqlClient, ids: readonly string[], version: number) => {
  const rows = await run<{ id: string }>(
    client,
    sql`select id from ${orgs} where id = any (${arrayText(ids)}::uuid[]) and schema_version >= ${version}`,
  );
  return rows.map(({ id }) => id);
};

/** Locks organizations in one order, as `lockOrg` locks one. @returns their ids */
export const lockOrgsOf = async (tx: DrizzleClient, userId: string): Promise<string[]> => {
  const rows = await run<{ id: string }>(
    tx,
    sql`select id from ${orgs} where id in (select org_id from ${memberships} where user_id = ${userId}::uuid)
      or created_by = ${userId}::uuid order by id for no key update`,
  );
  return rows.map(({ id }) => id);
};

/** Deletes the memberships of a user in organizations that are locked. @returns whether others are left */
export async function deleteMemberships(
  tx: DrizzleClient,
  userId: string,
  orgIds: readonly string[],
): Promise<boolean> {
  await run(
    tx,
    sql`delete from ${memberships} where user_id = ${userId}::uuid and org_id = any (${arrayText(orgIds)}::uuid[])`,
  );
  const left = await run(tx, sql`select 1 from ${memberships} where user_id = ${userId}::uuid limit 1`);
  return left.length > 0;
}
