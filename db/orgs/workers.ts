import { sql } from 'drizzle-orm';
import { arrayText, run, type SqlClient } from '../statements.ts';
import { SEQUENCE } from './placement.ts';

/* The workers of a Citus cluster. These statements are sent to Citus only. */

/** A worker that does not respond. */
export interface DownWorker {
  node: string;
  reason: string;
}

/** Asks every worker, over new connections, in a transaction. Takes two seconds if one does not respond. */
export async function findDownWorkers(client: SqlClient): Promise<DownWorker[]> {
  await run(client, sql`set local citus.node_connection_timeout = '2s'`);
  return run<DownWorker>(
    client,
    sql`select nodename || ':' || nodeport as node, result as reason
      from run_command_on_workers('select 1') where not success order by 1`,
  );
}

/** An organization whose statements wait for a worker. */
export interface WaitingOrg {
  /** Its hexadecimal id. */
  org: string;
  node: string;
  /** It has tables. While they are created, all workers take part. */
  has_tables: boolean;
}

/** Which of the organizations, by their hexadecimal ids, wait for one of these workers. */
export const findOrgsOn = (
  client: SqlClient,
  orgs: readonly string[],
  workers: readonly DownWorker[],
): Promise<WaitingOrg[]> =>
  run<WaitingOrg>(
    client,
    sql`
select distinct on (org) org, nodename || ':' || nodeport as node, findings is not null as has_tables
from unnest(${arrayText(orgs)}::text[]) org,
  to_regclass('org_' || org || '.findings') findings,
  pg_catalog.pg_dist_node n
where nodename || ':' || nodeport = any (${arrayText(workers.map(({ node }) => node))}::text[])
  and (findings is null or exists (
    select 1 from pg_catalog.pg_dist_shard s join pg_catalog.pg_dist_placement p on p.shardid = s.shardid
    where s.logicalrelid = findings and p.groupid = n.groupid))`,
  );

export interface CitusFacts {
  version: string;
  /** Active nodes. `local_hostname` is null if it is not known, because the node does not respond. */
  nodes: { name: string; is_worker: boolean; local_hostname: string | null }[];
  shards_on_coordinator: boolean;
  /** Whether new schemas are distributed. */
  sharding: boolean;
  /** Whether the role may create organizations, which needs a superuser, or a role that Citus has noted as one of all nodes. */
  may_create: boolean;
  /** Whether the role may let organizations be spread over the workers. */
  may_spread: boolean;
  /** Tables of `shared` that are distributed. */
  distributed_shared: string[];
}

/** Asks the coordinator, and each node for the address at which it reaches itself. */
export async function readCitusFacts(client: SqlClient): Promise<CitusFacts> {
  const [row] = await run<CitusFacts>(
    client,
    sql`
select (select extversion from pg_catalog.pg_extension where extname = 'citus') as version,
  (select coalesce(json_agg(json_build_object('name', nodename, 'is_worker', groupid <> 0, 'local_hostname',
      case when groupid = 0 then current_setting('citus.local_hostname') else local.result end) order by nodeid), '[]')
    from pg_catalog.pg_dist_node left join (
      select nodename, nodeport, result from run_command_on_workers('show citus.local_hostname') where success
    ) local using (nodename, nodeport)
    where isactive and noderole = 'primary') as nodes,
  exists (select from pg_catalog.pg_dist_node where groupid = 0 and shouldhaveshards) as shards_on_coordinator,
  current_setting('citus.enable_schema_based_sharding')::boolean as sharding,
  (select rolsuper or exists (select from pg_catalog.pg_dist_object where classid = 'pg_authid'::regclass and objid = r.oid)
    from pg_catalog.pg_roles r where rolname = current_user) as may_create,
  has_sequence_privilege(${SEQUENCE}, 'usage') as may_spread,
  (select coalesce(json_agg(logicalrelid::text order by 1), '[]') from pg_catalog.pg_dist_partition
    where logicalrelid::text like 'shared.%') as distributed_shared`,
  );
  return row as CitusFacts;
}
