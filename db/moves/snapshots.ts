import { sql } from 'drizzle-orm';
import { TEXT_SETTINGS } from '../backup/snapshot.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { type MovingOrg, replicationName, tableIn } from './moves.ts';
import { lockingTables, markVersion } from './pause.ts';

/*
 * Two snapshots with exactly the same writes, one here and one of the copy, while servers write and PostgreSQL replicates.
 *
 * Here, a transaction locks the tables for an instant, so that no write is in progress, and writes a version of policies. The snapshot is
 * taken before that transaction commits. In the other cell, a lock on the versions stops the subscription when it arrives at this one: what
 * was written before is committed there, in the order in which it was committed here, and nothing after. Its snapshot is taken then.
 */

/** Sessions of the two databases. A snapshot needs a second one, because the first one goes on meanwhile. */
export interface Sessions {
  source: Sql;
  target: Sql;
  readers: Record<'source' | 'target', Sql>;
}

const SETTINGS = [
  'set transaction isolation level repeatable read, read only',
  'set local idle_in_transaction_session_timeout = 0',
  ...TEXT_SETTINGS,
];
const POLL_MS = 10;

/**
 * Calls `use` with a snapshot of the organization and one of its copy.
 * @param watch called while the copy catches up. It throws if that cannot succeed
 * @returns undefined if somebody else has changed policies at that instant: try again
 */
export async function atOneInstant<T>(
  { source, target, readers }: Sessions,
  org: MovingOrg,
  { watch, use }: { watch: () => Promise<void>; use(here: SqlClient, there: SqlClient): Promise<T> },
): Promise<T | undefined> {
  const versions = tableIn(orgSchemaName(org.id), 'policy_versions');
  // The first query of a transaction takes its snapshot.
  const takeSnapshot = (tx: SqlClient) => run(tx, sql`select 1 from ${versions}`);
  const within = (client: Sql, work: (tx: TransactionSql) => Promise<T | undefined>) =>
    client.begin(async (tx) => {
      for (const setting of SETTINGS) await run(tx, sql.raw(setting));
      return await work(tx);
    });
  return await within(readers.source, (here) =>
    within(readers.target, async (there) => {
      const isTaken = await target.begin(async (tx) => {
        await run(tx, sql`lock table ${versions} in exclusive mode`);
        const version = await lockingTables(source, org, async (marking, lock) => {
          await lock();
          const marked = await markVersion(marking, org.id);
          await takeSnapshot(here);
          return marked;
        });
        const before = await whenStopped(tx, org.id, watch);
        if (before === version - 1) await takeSnapshot(there);
        return before === version - 1;
      });
      return isTaken ? await use(here, there) : undefined;
    }),
  );
}

/** Waits until the subscription waits for the versions. @returns the version that is committed */
async function whenStopped(tx: SqlClient, orgId: string, watch: () => Promise<void>): Promise<number> {
  const schema = orgSchemaName(orgId);
  for (;;) {
    const [stopped] = await run<{ version: number }>(
      tx,
      sql`select coalesce((select max(version) from ${tableIn(schema, 'policy_versions')}), 0) as version
        where exists (select from pg_locks l join pg_stat_subscription s on s.pid = l.pid
          where s.subname = ${replicationName(orgId)} and not l.granted
            and l.relation = ${`"${schema}"."policy_versions"`}::text::regclass)`,
    );
    if (stopped) return stopped.version;
    await watch();
    await new Promise((later) => setTimeout(later, POLL_MS));
  }
}
