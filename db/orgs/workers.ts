import { sql } from 'drizzle-orm';
import { run, type SqlClient } from '../statements.ts';

/** A worker of Citus that does not respond. */
export interface DownWorker {
  node: string;
  reason: string;
}

/** Asks every worker of a Citus cluster. */
export const findDownWorkers = (client: SqlClient): Promise<DownWorker[]> =>
  run<DownWorker>(
    client,
    sql`select nodename || ':' || nodeport as node, result as reason
      from run_command_on_workers('select 1') where not success order by 1`,
  );
