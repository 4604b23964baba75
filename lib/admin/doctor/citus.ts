import type { Database } from '../../../db/client.ts';
import { findOrgsOnCoordinator } from '../../../db/orgs/placement.ts';
import { type CitusFacts, findDownWorkers, readCitusFacts } from '../../../db/orgs/workers.ts';
import { createEngineDetection } from '../../../db/server-facts.ts';
import { isLoopback } from '../../config/insecure.ts';
import { type Check, checksOf } from './checks.ts';

export const CITUS_DOCS = 'docs/scaling.md#citus';

const citus = checksOf('Citus', CITUS_DOCS);

/** The cluster and the places of organizations; no checks on other databases. */
export async function checkCitus({ sql }: Database): Promise<Check[]> {
  if ((await createEngineDetection()(sql)) !== 'citus') return [];
  const { version, nodes, shards_on_coordinator, sharding, may_create, may_spread, distributed_shared } =
    await readCitusFacts(sql);
  const workers = nodes.filter(({ is_worker }) => is_worker);
  const down = await sql.begin(findDownWorkers);
  const local = await findOrgsOnCoordinator(sql);
  return [
    citus.ok(`Citus ${version}, ${workers.length} workers`),
    workers.length === 0
      ? citus.failed('it has no active worker: add one (citus_add_node)')
      : down.length > 0
        ? citus.failed(`workers do not respond: ${down.map(({ node }) => node).join(', ')}`)
        : citus.ok('all workers respond'),
    ...checkHostnames(nodes),
    sharding
      ? citus.ok('new organizations are distributed (citus.enable_schema_based_sharding)')
      : citus.failed('new organizations stay on the coordinator: citus.enable_schema_based_sharding is off'),
    ...(shards_on_coordinator
      ? [citus.warning('the coordinator takes organizations: set shouldhaveshards to false for it')]
      : []),
    may_create
      ? citus.ok('the role may create organizations')
      : citus.failed(
          'the role cannot create organizations: add it to pg_catalog.pg_dist_object (step 3 of the set-up)',
        ),
    may_spread
      ? citus.ok('new organizations are spread over the workers')
      : citus.warning('new organizations are not spread: grant usage on pg_catalog.pg_dist_colocationid_seq'),
    distributed_shared.length === 0
      ? citus.ok('shared is on the coordinator')
      : citus.failed(
          `tables of shared are distributed: ${distributed_shared.join(', ')} (undistribute_table, or citus_schema_undistribute)`,
        ),
    local.length === 0
      ? citus.ok('all organizations with tables are on workers')
      : citus.warning(`${local.length} organizations are on the coordinator: run "orgs distribute"`),
  ];
}

/** Whether each node reaches itself at its own address, as moves need it to. */
export const checkHostnames = (nodes: CitusFacts['nodes']): Check[] =>
  nodes
    .filter(
      ({ name, local_hostname }) =>
        local_hostname !== null && isLoopback(local_hostname) && !isLoopback(name),
    )
    .map(({ name, local_hostname }) =>
      citus.warning(
        `citus.local_hostname of ${name} is ${local_hostname}: organizations cannot be moved there`,
      ),
    );
