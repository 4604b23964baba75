import { type SQL, sql } from 'drizzle-orm';
import { columnsOf } from '../backup/columns.ts';
import { isLockTimeout, isRetryable, MOVING } from '../errors.ts';
import { increaseVersion } from '../policies/version.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { defineOrgTables } from '../schema/org.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { holdMove, type MovingOrg, tableIn } from './moves.ts';

/*
 * Triggers refuse the writes of an organization until a time by the clock of the database: a command that dies leaves no pause behind.
 * They hold for every process, also for one that does not know of the move. Reads go on.
 */

/** Above `deadlock_timeout` (1 s), after which PostgreSQL cancels an autovacuum that holds the lock. */
const LOCK_TIMEOUT = '1500ms';
const MAX_TRIES = 20;

/** Servers set it once a minute for tokens that read. It is not worth a refused read. */
const NOT_PAUSED: Readonly<Record<string, string>> = { api_tokens: 'last_used' };

const nameOf = (schema: string) => sql`${sql.identifier(schema)}.${sql.identifier('refuse_writes')}`;
const TRIGGER = sql.identifier('refuse_writes');

/** Runs a transaction that locks the tables of an organization, again if others hold them for too long. */
export async function lockingTables<T>(
  client: Sql,
  { id, tables }: MovingOrg,
  work: (tx: TransactionSql, lock: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const schema = orgSchemaName(id);
  const names = sql.join(
    tables.map((table) => tableIn(schema, table)),
    sql`, `,
  );
  for (let tries = 1; ; tries++) {
    try {
      return await client.begin(async (tx) => {
        await run(tx, sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`));
        await holdMove(tx, id);
        return await work(tx, async () => {
          await run(tx, sql`lock table ${names} in share row exclusive mode`);
        });
      });
    } catch (error) {
      const passes = isLockTimeout(error) || isRetryable(error);
      if (!passes || tries === MAX_TRIES) throw error;
      // Writers that waited behind the lock get their turn.
      await new Promise((later) => setTimeout(later, 100 * tries));
    }
  }
}

/** Writes a version of policies. @returns it: a copy that has it has all that was written before */
export async function markVersion(client: SqlClient, orgId: string): Promise<number> {
  const tables = defineOrgTables(orgSchemaName(orgId));
  const [row] = await run<{ version: number }>(
    client,
    sql`with raised as (${increaseVersion(tables, sql`(values (1)) as changed`)} returning version) select version from raised`,
  );
  if (!row) throw new Error('there is no version of policies');
  return row.version;
}

export interface Pause {
  /** The time at which it expires. */
  until: string;
  /** The version of policies that the last transaction before the pause has written: whoever has it has all that was before. */
  version: number;
}

/** Waits for the writes in progress, and refuses all later ones for a time. */
export async function pauseWrites(client: Sql, org: MovingOrg, ms: number): Promise<Pause> {
  const schema = orgSchemaName(org.id);
  return await lockingTables(client, org, async (tx, lock) => {
    await lock();
    await defineRefusal(tx, schema, '-infinity');
    const version = await markVersion(tx, org.id);
    const [row] = await run<{ until: string }>(
      tx,
      sql`select (clock_timestamp() + ${ms} * interval '1 ms')::text as until`,
    );
    const until = row?.until ?? '';
    await defineRefusal(tx, schema, until);
    const columns = await updatable(tx, org);
    // Sent one behind the other without waiting, because writes wait for all of them.
    await Promise.all(
      org.tables.map((table) =>
        run(
          tx,
          sql`create or replace trigger ${TRIGGER}
            before insert or delete or update of ${columns.get(table)} on ${tableIn(schema, table)}
            for each statement execute function ${nameOf(schema)}()`,
        ),
      ),
    );
    return { until, version };
  });
}

async function defineRefusal(tx: SqlClient, schema: string, until: string): Promise<void> {
  await run(
    tx,
    sql.raw(`create or replace function "${schema}".refuse_writes() returns trigger language plpgsql
      set search_path = pg_catalog as $$ begin
        if clock_timestamp() < timestamptz '${until}' then
          raise exception 'the organization is being moved to another cell' using errcode = '${MOVING}';
        end if;
        return null;
      end $$`),
  );
}

/** The columns of each table that a pause keeps from being updated. */
async function updatable(tx: SqlClient, { id, tables }: MovingOrg) {
  const columns = await columnsOf(tx, orgSchemaName(id));
  return new Map(
    tables.map((table) => {
      const names = (columns.get(table) ?? []).map(({ name }) => name);
      const refused = names.filter((name) => name !== NOT_PAUSED[table]).map((name) => sql.identifier(name));
      return [table, sql.join(refused, sql`, `)] as const;
    }),
  );
}

/**
 * Ends a pause. The triggers stay: removing them would wait for everybody who reads, such as exports, and keep others from reading
 * meanwhile. They refuse nothing, and the next pause uses them again.
 */
export async function resumeWrites(client: Sql, { id }: Pick<MovingOrg, 'id'>): Promise<void> {
  const schema = orgSchemaName(id);
  await client.begin(async (tx) => {
    await holdMove(tx, id);
    const found = await run(
      tx,
      sql`select 1 from pg_proc where proname = 'refuse_writes'
        and pronamespace = (select oid from pg_namespace where nspname = ${schema})`,
    );
    if (found.length > 0) await defineRefusal(tx, schema, '-infinity');
  });
}

/** How long a read may wait behind the removal of a trigger, and how long the removal is tried. */
const REMOVAL_LOCK_TIMEOUT = '100ms';
const REMOVAL_MS = 10_000;

/**
 * Removes the triggers of a pause that has ended, from one table after the other.
 * @returns false if somebody has read one of the tables all the time
 */
export async function removePause(client: Sql, { id }: Pick<MovingOrg, 'id'>): Promise<boolean> {
  const schema = orgSchemaName(id);
  for (const end = performance.now() + REMOVAL_MS; ; ) {
    const left = await run<{ table: string }>(
      client,
      sql`select c.relname as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where t.tgname = 'refuse_writes' and c.relnamespace = (select oid from pg_namespace where nspname = ${schema})`,
    );
    if (left.length === 0) break;
    if (performance.now() > end) return false;
    for (const { table } of left) await dropTrigger(client, id, tableIn(schema, table));
    await new Promise((later) => setTimeout(later, 100));
  }
  await client.begin(async (tx) => {
    await holdMove(tx, id);
    await run(tx, sql`drop function if exists ${nameOf(schema)}()`);
  });
  return true;
}

async function dropTrigger(client: Sql, id: string, table: SQL): Promise<void> {
  try {
    await client.begin(async (tx) => {
      await run(tx, sql.raw(`set local lock_timeout = '${REMOVAL_LOCK_TIMEOUT}'`));
      await holdMove(tx, id);
      await run(tx, sql`drop trigger if exists ${TRIGGER} on ${table}`);
    });
  } catch (error) {
    if (!isLockTimeout(error) && !isRetryable(error)) throw error;
  }
}
