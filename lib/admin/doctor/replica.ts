import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../../db/client.ts';
import { readPosition, readStandby, refusalOf } from '../../../db/replica/position.ts';
import { ROLE_CONNECTIONS } from '../../../db/server-facts.ts';
import { run } from '../../../db/statements.ts';
import type { Config } from '../../config/config.ts';
import { reasonOf } from '../error.ts';
import { type Check, checksOf } from './checks.ts';

export const REPLICA_DOCS = 'docs/scaling.md#read-replicas';

const replica = checksOf('replica', REPLICA_DOCS);
const POLL_MS = 20;

/** Whether servers can use the replica; no checks without one. The service works without it, so none of them fails. */
export async function checkReplica(
  { sql: primary }: Database,
  { replicaUrl, replicaMaxLagMs, dbPoolMax }: Config,
): Promise<Check[]> {
  if (replicaUrl === undefined) return [];
  const { host } = new URL(replicaUrl);
  const database = openDatabase({ url: replicaUrl, max: 1 });
  try {
    const position = await readPosition(primary);
    const began = performance.now();
    let standby = await readStandby(database.sql);
    const refusal = refusalOf(standby, position);
    if (refusal) return [replica.warning(`${host} is not used: ${refusal}`)];
    while (standby.lsn < position.lsn && performance.now() - began < replicaMaxLagMs) {
      await new Promise((later) => setTimeout(later, POLL_MS));
      standby = await readStandby(database.sql);
    }
    return [
      standby.lsn < position.lsn
        ? replica.warning(`${host} lags by more than ${replicaMaxLagMs / 1_000} s (SVC_REPLICA_MAX_LAG)`)
        : replica.ok(`${host} is a standby of the database, and current`),
      ...(await checkSettings(database, dbPoolMax)),
    ];
  } catch (error) {
    return [replica.warning(`${host} is not used: ${reasonOf(error)}`)];
  } finally {
    await database.close();
  }
}

async function checkSettings(database: Database, dbPoolMax: number): Promise<Check[]> {
  const [row] = await run<{ feedback: boolean; tells_timeline: boolean; role_connections: number }>(
    database.sql,
    sql`select current_setting('hot_standby_feedback')::boolean as feedback,
      pg_has_role('pg_read_all_stats', 'usage') as tells_timeline,
      ${ROLE_CONNECTIONS} as role_connections`,
  );
  const needed = Math.floor(dbPoolMax / 2) + 2;
  return [
    row?.feedback
      ? replica.ok('vacuum spares rows that exports still read (hot_standby_feedback)')
      : replica.warning('hot_standby_feedback is off: vacuum on the primary ends long exports'),
    row?.tells_timeline
      ? replica.ok('the role may read the timeline that the replica follows')
      : replica.warning('the role lacks pg_read_all_stats: a failover is noticed minutes later'),
    ...((row?.role_connections ?? 0) < needed
      ? [
          replica.warning(
            `it allows the role ${row?.role_connections} connections; a server uses up to ${needed}`,
          ),
        ]
      : []),
  ];
}
