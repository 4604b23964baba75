import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../../db/client.ts';
import { isUniqueViolation, isWorkerDown, sqlState } from '../../../db/errors.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { type OwnPostgres, startOwnPostgres } from '../database/own-postgres.ts';
import { withDatabase } from '../database/scratch.ts';
import type { Site } from '../scenario/site.ts';

/*
 * A Citus cluster on loopback, set up as docs/scaling.md says: a coordinator without shards, and workers.
 */

/** The directory of the programs of a PostgreSQL with Citus; undefined where there is none. */
export const citusBinDir = (): string | undefined => process.env.SVC_TEST_CITUS;

/** The nodes by their URLs. They have the same superuser and password. */
export interface CitusNodes {
  coordinator: string;
  workers: string[];
}

export interface CitusCluster {
  coordinator: OwnPostgres;
  workers: OwnPostgres[];
  nodes(): CitusNodes;
  /** Starts one more PostgreSQL, which no database knows as a worker yet (`joinWorker`). */
  startWorker(): Promise<OwnPostgres>;
}

/** The settings that each node needs: each database has a process of Citus on each node. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_wal_senders: '20',
  max_replication_slots: '20',
  max_worker_processes: '60',
  max_connections: '300',
  // A worker that does not answer is given up soon.
  'citus.node_connection_timeout': '3s',
  // The default requires TLS.
  'citus.node_conninfo': 'sslmode=prefer',
};

/** Starts the nodes; they stop when the site closes. */
export async function startCitus(
  site: Pick<Site, 'workDir' | 'onClose'>,
  binDir: string,
  settings: Record<string, string> = {},
): Promise<CitusCluster> {
  const workers: OwnPostgres[] = [];
  // The nodes log in to each other with it.
  const password = randomBytes(16).toString('hex');
  const start = (name: string) =>
    startOwnPostgres(site, { ...SETTINGS, ...settings }, { name, binDir, password });
  const startWorker = async () => {
    const worker = await start(`worker-${workers.length + 1}`);
    workers.push(worker);
    return worker;
  };
  const coordinator = await start('coordinator');
  await startWorker();
  await startWorker();
  return {
    ...{ coordinator, workers, startWorker },
    nodes: () => ({ coordinator: coordinator.url, workers: workers.map(({ url }) => url) }),
  };
}

/** A database of a cluster, by its URLs on the coordinator. */
export interface CitusDatabase {
  /** As the superuser. */
  adminUrl: string;
  /** As the role of the service, which owns the database and has no superuser rights. */
  url: string;
}

const ROLE = 'findings';
const DUPLICATE_OBJECT = '42710';

/** Makes a database on every node and connects the nodes. */
export async function makeCitusDatabase(nodes: CitusNodes, name: string): Promise<CitusDatabase> {
  const { coordinator, workers } = nodes;
  await Promise.all([coordinator, ...workers].map((url) => makeNodeDatabase(url, name)));
  const adminUrl = withDatabase(coordinator, name);
  await withSql(adminUrl, async (sql) => {
    const { host, port } = addressOf(coordinator);
    await sql.unsafe('select citus_set_coordinator_host($1, $2)', [host, port]);
    await sql.unsafe("select citus_set_node_property($1, $2, 'shouldhaveshards', false)", [host, port]);
    for (const worker of workers) await addNode(sql, worker);
    await sql.unsafe(`alter database ${name} set citus.enable_schema_based_sharding = on`);
    await sql.unsafe(`grant usage on sequence pg_catalog.pg_dist_colocationid_seq to ${ROLE}`);
    await sql.unsafe(
      "insert into pg_catalog.pg_dist_object (classid, objid, objsubid) values ('pg_authid'::regclass, $1::text::regrole, 0)",
      [ROLE],
    );
  });
  return { adminUrl, url: Object.assign(new URL(adminUrl), { username: ROLE }).href };
}

/** Drops a database on every node. */
export async function dropCitusDatabase({ coordinator, workers }: CitusNodes, name: string): Promise<void> {
  for (const url of [coordinator, ...workers])
    await withSql(url, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
}

/** Adds a worker to a database of a cluster. */
export async function joinWorker({ coordinator }: CitusNodes, worker: string, name: string): Promise<void> {
  await makeNodeDatabase(worker, name);
  await withSql(withDatabase(coordinator, name), (sql) => addNode(sql, worker));
}

/** The roles log in to other nodes with the password that they have here. */
async function makeNodeDatabase(url: string, name: string): Promise<void> {
  const { username, password } = new URL(url);
  await withSql(url, async (sql) => {
    // The role is the same in all databases of a node.
    await sql.unsafe(`create role ${ROLE} login password '${password}'`).catch((error) => {
      if (sqlState(error) !== DUPLICATE_OBJECT && !isUniqueViolation(error)) throw error;
    });
    await sql.unsafe(`create database ${name} owner ${ROLE} template template0 strategy file_copy`);
  });
  await withSql(withDatabase(url, name), async (sql) => {
    await sql.unsafe('create extension citus');
    await sql.unsafe(
      'insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, $1, $3), (0, $2, $3)',
      [username, ROLE, `password=${password}`],
    );
  });
}

async function addNode(sql: Sql, worker: string, tries = 3): Promise<void> {
  const { host, port } = addressOf(worker);
  try {
    await sql.unsafe('select citus_add_node($1, $2)', [host, port]);
  } catch (error) {
    // Suites make their databases side by side, and Citus may end a connection between nodes meanwhile.
    if (tries === 1 || !isWorkerDown(error)) throw error;
    await addNode(sql, worker, tries - 1);
  }
}

function addressOf(url: string) {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

async function withSql<T>(url: string, use: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const { sql, close } = openDatabase({ url, max: 1, statementMs: 0 });
  try {
    return await use(sql);
  } finally {
    await close();
  }
}
