import { sql } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * Where Citus places a new organization. These statements are sent to Citus only.
 */

const SEQUENCE = sql.raw(`'pg_catalog.pg_dist_colocationid_seq'`);

/**
 * Lets the worker of the organization that this transaction creates be a random one. Citus takes the next number of a sequence,
 * modulo the number of workers: as every account takes two numbers, one for the organization of its registration, organizations that
 * are used would all be on the same workers. Without the right to the sequence, that is what happens.
 */
export async function spreadOverWorkers(tx: Tx): Promise<void> {
  await run(
    tx,
    sql`
select nextval(${SEQUENCE}) from generate_series(1, floor(random() *
  (select count(*) from pg_catalog.pg_dist_node where shouldhaveshards and isactive))::int)
where has_sequence_privilege(${SEQUENCE}, 'usage')`,
  );
}

/**
 * Keeps the organization that this transaction creates on the coordinator: all workers take part in creating a distributed schema,
 * so that this fails while one is down. `citus_schema_distribute` distributes it later.
 */
export async function keepOnCoordinator(tx: SqlClient | Tx): Promise<void> {
  await run(tx, sql`set local citus.enable_schema_based_sharding = off`);
  await run(tx, sql`set local citus.enable_ddl_propagation = off`);
}
