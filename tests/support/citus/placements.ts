import { isWorkerDown } from '../../../db/errors.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';

/* Where the organizations of a Citus cluster are, as an operator asks and changes it. */

/** The workers, as `host:port`, in the order in which they were added. */
export async function workersOf(sql: Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ node: string }[]>(
    `select nodename || ':' || nodeport as node from pg_dist_node where shouldhaveshards order by nodeid`,
  );
  return rows.map(({ node }) => node);
}

/** The worker of an organization; undefined while it is on the coordinator. */
export async function placementOf(sql: Sql, orgId: string): Promise<string | undefined> {
  const [row] = await sql.unsafe<{ node: string }[]>(
    `select nodename || ':' || nodeport as node from citus_shards where table_name = $1::regclass`,
    [`"${orgSchemaName(orgId)}".findings`],
  );
  return row?.node;
}

/** Moves an organization, unless it is there. It stays in use. */
export async function moveOrg(sql: Sql, orgId: string, node: string): Promise<void> {
  if ((await placementOf(sql, orgId)) === node) return;
  const [host = '', port] = node.split(':');
  await sql.unsafe('select citus_schema_move($1::regnamespace, $2::text, $3::int)', [
    orgSchemaName(orgId),
    host,
    Number(port),
  ]);
}

/** Distributes the organizations that were created while a worker was down. @returns their schemas */
export async function distributeLocalOrgs(sql: Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ name: string }[]>(`
    select nspname as name from pg_namespace n
    where nspname like 'org\\_%' and not exists (select 1 from citus_schemas where schema_name = n.oid)`);
  for (const { name } of rows) await distribute(sql, name);
  return rows.map(({ name }) => name);
}

async function distribute(sql: Sql, schema: string, tries = 3): Promise<void> {
  try {
    await sql.unsafe('select citus_schema_distribute($1::regnamespace)', [schema]);
  } catch (error) {
    // The coordinator keeps connections, and notices at their next use that a worker was restarted.
    if (tries === 1 || !isWorkerDown(error)) throw error;
    await distribute(sql, schema, tries - 1);
  }
}
