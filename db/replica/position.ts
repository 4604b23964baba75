import { sql } from 'drizzle-orm';
import { run, type SqlClient } from '../statements.ts';

/** The position in the write-ahead log up to which the primary has committed. */
export interface Position {
  /** Identifies the cluster: a standby has the identifier of its primary. */
  system: string;
  database: string;
  /** Changes with each promotion. */
  timeline: number;
  lsn: bigint;
}

/** The state that a standby reports about itself. */
export interface StandbyState extends Position {
  /** False for a server that takes writes, such as one that was promoted. `lsn` is then without meaning. */
  isStandby: boolean;
}

/** The replica is not as current as the primary, or no standby of it. */
export class NotCurrent extends Error {
  readonly problem: 'lagging' | 'refused';

  constructor(problem: NotCurrent['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

interface Row {
  system: string;
  database: string;
  timeline: string;
  lsn: string | null;
  standby: boolean;
}

/**
 * Reads the position of the primary. Each transaction that any client has seen as committed is at or before it: PostgreSQL
 * flushes the commit first, except with `synchronous_commit` off. The insert position may be one that is not sent to a standby
 * for a while, because only what is flushed is sent.
 */
export async function readPosition(client: SqlClient): Promise<Position> {
  const [row] = await run<Row>(
    client,
    sql`
select s.system_identifier::text as system, current_database() as database, left(pg_walfile_name(at.lsn), 8) as timeline,
  at.lsn::text as lsn
from pg_control_system() s, (
  select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end as lsn
) at`,
  );
  return toPosition(row as Row);
}

/**
 * Reads the state of a standby. A query that starts later sees everything up to its position. `received_tli` is null for a role
 * without `pg_read_all_stats`. The control file has the timeline only since the latest restartpoint.
 */
export async function readStandby(client: SqlClient): Promise<StandbyState> {
  const [row] = await run<Row>(
    client,
    sql`
select s.system_identifier::text as system, current_database() as database,
  to_hex(greatest(c.timeline_id, r.min_recovery_end_timeline, w.received_tli)) as timeline, pg_last_wal_replay_lsn()::text as lsn,
  pg_is_in_recovery() as standby
from pg_control_system() s cross join pg_control_checkpoint() c cross join pg_control_recovery() r
  left join pg_stat_wal_receiver w on true`,
  );
  const { standby } = row as Row;
  return { ...toPosition(row as Row), isStandby: standby };
}

const toPosition = ({ system, database, timeline, lsn }: Row): Position => ({
  ...{ system, database },
  timeline: Number.parseInt(timeline, 16),
  lsn: toNumber(lsn ?? '0/0'),
});

/** A position in the log as PostgreSQL writes it: two hexadecimal numbers of 32 bits. */
function toNumber(lsn: string): bigint {
  const [high, low] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/**
 * Why a server is no standby of the primary at a position; undefined if it is one. A standby that follows another primary may
 * have passed the position without having its rows, and then it is on another timeline: after a failover, a standby counts again
 * when it has noted the new one.
 */
export function refusalOf(standby: StandbyState, primary: Position): string | undefined {
  if (!standby.isStandby) return 'it is no standby: it takes writes of its own';
  if (standby.system !== primary.system) return 'it is a standby of another PostgreSQL';
  if (standby.database !== primary.database)
    return `its database is ${standby.database}, not ${primary.database}`;
  if (standby.timeline !== primary.timeline)
    return `it is on timeline ${standby.timeline}, the primary on ${primary.timeline}`;
  return undefined;
}
