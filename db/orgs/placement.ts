import { sql } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { orgs } from '../schema/orgs.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * Where Citus places organizations. These statements are sent to Citus only.
 */

/** Its next number decides the worker of the next schema. */
export const SEQUENCE = sql.raw(`'pg_catalog.pg_dist_colocationid_seq'`);

/**
 * Lets the worker of the organization that gets its tables in this transaction, with its first write, be a random one. Citus takes the
 * next number of a sequence, modulo the number of workers: with two workers, two organizations for each customer, and always the first
 * of them in use, all that are used would be on the same worker. Without the right to the sequence, that is what happens.
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

/** The organizations whose tables are on the coordinator, by slug. */
export const findOrgsOnCoordinator = (client: SqlClient): Promise<{ id: string; slug: string }[]> =>
  run(
    client,
    sql`
select id, slug from ${orgs} o join pg_catalog.pg_namespace n on n.nspname = 'org_' || replace(o.id::text, '-', '')
where not exists (select from pg_catalog.pg_dist_schema s where s.schemaid = n.oid)
order by slug`,
  );

/** Moves the tables of an organization from the coordinator to a worker. Statements of the organization wait meanwhile. */
export async function distributeOrg(client: SqlClient, orgId: string): Promise<void> {
  await run(client, sql`select citus_schema_distribute(${orgSchemaName(orgId)}::regnamespace)`);
}
