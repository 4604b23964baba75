import { sql } from 'drizzle-orm';
import { sqlState } from '../errors.ts';
import type { Sql } from '../pool/query.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { type MovingOrg, replicationName, tableIn } from './moves.ts';

/*
 * PostgreSQL copies the rows and follows the changes: the subscription of the other cell reads the slot of this one.
 */

/** What the roles of the two databases may do. */
export async function readRights(
  client: SqlClient,
): Promise<{ publish: boolean; subscribe: boolean; logical: boolean }> {
  const [row] = await run<{ publish: boolean; subscribe: boolean; logical: boolean }>(
    client,
    sql`select rolsuper or rolreplication as publish,
        rolsuper or exists (select from pg_roles r where r.rolname = 'pg_create_subscription'
          and pg_has_role(current_user, r.oid, 'usage')) as subscribe,
        current_setting('wal_level') = 'logical' as logical
      from pg_roles where rolname = current_user`,
  );
  return row ?? { publish: false, subscribe: false, logical: false };
}

/** Creates the publication and the slot, unless they exist. */
export async function publish(client: SqlClient, { id, tables }: MovingOrg): Promise<void> {
  const name = replicationName(id);
  const schema = orgSchemaName(id);
  const names = sql.join(
    tables.map((table) => tableIn(schema, table)),
    sql`, `,
  );
  const published = await run(client, sql`select 1 from pg_publication where pubname = ${name}`);
  if (published.length === 0)
    await run(client, sql`create publication ${sql.identifier(name)} for table ${names}`);
  await run(
    client,
    sql`select pg_create_logical_replication_slot(${name}, 'pgoutput')
      where not exists (select from pg_replication_slots where slot_name = ${name})`,
  );
}

/** Whether the publication and the slot exist. Without the slot, changes are lost to a subscription. */
export async function isPublished(client: SqlClient, orgId: string): Promise<boolean> {
  const name = replicationName(orgId);
  const [row] = await run<{ exists: boolean }>(
    client,
    sql`select exists (select from pg_publication where pubname = ${name})
      and exists (select from pg_replication_slots where slot_name = ${name} and database = current_database()
        and wal_status is distinct from 'lost') as exists`,
  );
  return row?.exists ?? false;
}

/** How long the removal of a slot is tried. PostgreSQL ends who reads it within this time, unless that one waits for a dead network. */
const REMOVAL_MS = 30_000;
/** Somebody began to read the slot at the same time. */
const OBJECT_IN_USE = '55006';

/**
 * Removes the publication and the slot. A subscription that reads the slot is disconnected.
 * @throws SlotInUse if that takes too long
 */
export async function unpublish(client: SqlClient, orgId: string): Promise<void> {
  const name = replicationName(orgId);
  const isSlot = sql`slot_name = ${name} and database = current_database()`;
  await run(client, sql`drop publication if exists ${sql.identifier(name)}`);
  for (const end = performance.now() + REMOVAL_MS; performance.now() < end; ) {
    await run(
      client,
      sql`select case when active then pg_terminate_backend(active_pid)::text else pg_drop_replication_slot(slot_name)::text end
        from pg_replication_slots where ${isSlot}`,
    ).catch((error) => {
      if (sqlState(error) !== OBJECT_IN_USE) throw error;
    });
    const left = await run(client, sql`select 1 from pg_replication_slots where ${isSlot}`);
    if (left.length === 0) return;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new SlotInUse(name);
}

/** Whoever reads a replication slot does not end. */
export class SlotInUse extends Error {
  constructor(name: string) {
    super(`the replication slot ${name} is in use`);
  }
}

const connectionOf = (sourceUrl: string) => sql.raw(`'${sourceUrl.replaceAll("'", "''")}'`);

/** A publication has other tables than those of its organization. */
export class ForeignTables extends Error {
  override message = 'the publication has tables that are not those of the organization';
}

/**
 * Starts to copy all rows and to follow the changes. The other database says which tables these are, and this one may write to all of
 * its own: no worker starts before they are checked.
 * @param sourceUrl contains a password: this statement must not be logged
 * @throws ForeignTables
 */
export async function subscribe(client: Sql, { id, tables }: MovingOrg, sourceUrl: string): Promise<void> {
  const name = sql.identifier(replicationName(id));
  await client.begin(async (tx) => {
    await run(
      tx,
      sql`create subscription ${name} connection ${connectionOf(sourceUrl)} publication ${name}
        with (create_slot = false, slot_name = ${name}, copy_data = true, enabled = false)`,
    );
    const rows = await run<{ schema: string; table: string }>(
      tx,
      sql`select n.nspname as schema, c.relname as table from pg_subscription s
        join pg_subscription_rel r on r.srsubid = s.oid
        join pg_class c on c.oid = r.srrelid join pg_namespace n on n.oid = c.relnamespace
        where s.subname = ${replicationName(id)} and s.subdbid = (select oid from pg_database where datname = current_database())`,
    );
    const own = new Set(tables);
    const isOwn = (row: { schema: string; table: string }) =>
      row.schema === orgSchemaName(id) && own.has(row.table);
    if (rows.length !== own.size || !rows.every(isOwn)) throw new ForeignTables();
    await run(tx, sql`alter subscription ${name} enable`);
  });
}

/** Goes on with another password or address. */
export async function reconnect(client: SqlClient, orgId: string, sourceUrl: string): Promise<void> {
  const name = sql.identifier(replicationName(orgId));
  await run(client, sql`alter subscription ${name} connection ${connectionOf(sourceUrl)}`);
}

export interface SubscriptionState {
  /** Tables that are not copied yet. */
  pending: number;
  /** Attempts that failed. PostgreSQL repeats them, and its log has the reason. */
  errors: number;
}

/** The state of a subscription; undefined if there is none. */
export async function readSubscription(
  client: SqlClient,
  orgId: string,
): Promise<SubscriptionState | undefined> {
  const [row] = await run<SubscriptionState>(
    client,
    sql`select (select count(*)::int from pg_subscription_rel r where r.srsubid = s.oid and r.srsubstate <> 'r') as pending,
        (select coalesce(apply_error_count + sync_error_count, 0)::int from pg_stat_subscription_stats t
          where t.subid = s.oid) as errors
      from pg_subscription s where s.subname = ${replicationName(orgId)}
        and s.subdbid = (select oid from pg_database where datname = current_database())`,
  );
  return row;
}

/** Ends a subscription. Its slot stays, which the other cell removes. */
export async function unsubscribe(tx: SqlClient, orgId: string): Promise<void> {
  if (!(await readSubscription(tx, orgId))) return;
  const name = sql.identifier(replicationName(orgId));
  await run(tx, sql`alter subscription ${name} disable`);
  await run(tx, sql`alter subscription ${name} set (slot_name = none)`);
  await run(tx, sql`drop subscription ${name}`);
}
