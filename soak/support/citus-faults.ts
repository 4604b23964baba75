import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../db/pool/query.ts';
import { type Api, createOrg, type TestOrg } from '../../tests/support/api/client.ts';
import { type CitusCluster, joinWorker } from '../../tests/support/citus/cluster.ts';
import {
  distributeLocalOrgs,
  moveOrg,
  placementOf,
  workersOf,
} from '../../tests/support/citus/placements.ts';
import { type Figure, NONE } from '../../tests/support/scenario/figure.ts';
import type { Site } from '../../tests/support/scenario/site.ts';
import { median, sum } from '../../tests/support/scenario/stats.ts';
import { findLostPushes, type Pusher, startPusher } from './pusher.ts';

/* Faults of a Citus cluster while organizations are pushed to. */

const RESTART_MS = 3_000;

/** An organization, and the scan that it is pushed to. */
export interface Target {
  org: TestOrg;
  scanId: string;
}

/** A cluster with an app. */
export interface Running {
  site: Site;
  cluster: CitusCluster;
  /** A superuser of the database. */
  sql: Sql;
  api: Api;
  orgs: readonly Target[];
}

/** Half of the organizations on each of two workers. */
async function spread(sql: Sql, orgs: readonly Target[]): Promise<void> {
  const nodes = await workersOf(sql);
  for (const [i, { org }] of orgs.entries()) await moveOrg(sql, org.id, nodes[i % nodes.length] as string);
}

/** Pushes to all organizations until `work` is done. */
async function underLoad(
  api: Api,
  orgs: readonly Target[],
  name: string,
  work: () => Promise<void>,
): Promise<Pusher[]> {
  const pushers = orgs.map(({ org, scanId }) => startPusher(api, { org, scanId, name }));
  try {
    await work();
  } finally {
    await Promise.all(pushers.map((pusher) => pusher.stop()));
  }
  return pushers;
}

const errorsOf = (pushers: readonly Pusher[]) => sum(pushers.map(({ failed }) => failed.length));
const lostOf = async (api: Api, pushers: readonly Pusher[]) =>
  sum(await Promise.all(pushers.map((pusher) => findLostPushes(api, pusher))));
const answeredOf = (pushers: readonly Pusher[]) => sum(pushers.map(({ answered }) => answered));

/** Moves organizations between workers. */
export async function moveUnderLoad({ site, sql, api, orgs }: Running, moves: number): Promise<Figure[]> {
  await spread(sql, orgs);
  const times: number[] = [];
  const pushers = await underLoad(api, orgs, 'moved', async () => {
    const nodes = await workersOf(sql);
    for (let i = 0; i < moves; i++) {
      const { org } = orgs[i % orgs.length] as Target;
      const began = performance.now();
      const here = await placementOf(sql, org.id);
      await moveOrg(sql, org.id, nodes.find((node) => node !== here) as string);
      times.push(performance.now() - began);
    }
  });
  site.say(`  moved ${moves} times, failed ${JSON.stringify(pushers.flatMap(({ failed }) => failed))}`);
  return [
    { name: 'moves: pushes', value: answeredOf(pushers), aim: { atLeast: 1 } },
    { name: 'moves: errors', value: errorsOf(pushers), aim: NONE },
    { name: 'moves: pushes lost', value: await lostOf(api, pushers), aim: NONE },
    { name: 'moves: ms of a move', value: median(times) },
  ];
}

/** Kills a worker, creates organizations without it, and starts it again. */
export async function loseWorker({ site, cluster, sql, api, orgs }: Running): Promise<Figure[]> {
  await spread(sql, orgs);
  const [lost] = await workersOf(sql);
  const there = await Promise.all(orgs.map(({ org }) => placementOf(sql, org.id)));
  const worker = cluster.workers[0];
  let created = 0;
  const pushers = await underLoad(api, orgs, 'lost', async () => {
    await sleep(RESTART_MS);
    await worker?.stop('SIGKILL');
    for (let i = 0; i < 3; i++) await createOrg(api).then(() => created++);
    await sleep(RESTART_MS);
    await worker?.start();
    await sleep(RESTART_MS);
  });
  const others = pushers.filter((_, i) => there[i] !== lost);
  const itsOwn = pushers.filter((_, i) => there[i] === lost);
  site.say(`  a worker was down, others failed ${JSON.stringify(others.flatMap(({ failed }) => failed))}`);
  const distributed = await distributeLocalOrgs(sql);
  return [
    { name: 'worker down: pushes to others', value: answeredOf(others), aim: { atLeast: 1 } },
    { name: 'worker down: errors of others', value: errorsOf(others), aim: NONE },
    { name: 'worker down: errors of its own organizations', value: errorsOf(itsOwn) },
    { name: 'worker down: organizations created', value: created, aim: { atLeast: 3 } },
    { name: 'worker down: distributed afterwards', value: distributed.length, aim: { atLeast: 1 } },
    { name: 'worker down: pushes lost', value: await lostOf(api, pushers), aim: NONE },
  ];
}

/** Adds a worker and rebalances. */
export async function addWorker(
  { site, cluster, sql, api, orgs }: Running,
  database: string,
): Promise<Figure[]> {
  const nodes = cluster.nodes();
  const worker = await cluster.startWorker();
  const pushers = await underLoad(api, orgs, 'added', async () => {
    await joinWorker(nodes, worker.url, database);
    await sql.unsafe("select rebalance_table_shards(shard_transfer_mode := 'force_logical')");
  });
  site.say(`  a worker was added, failed ${JSON.stringify(pushers.flatMap(({ failed }) => failed))}`);
  const places = new Set(
    (
      await sql.unsafe<{ node: string }[]>(
        "select distinct nodename || ':' || nodeport as node from citus_shards where table_name::text like '%.findings'",
      )
    ).map(({ node }) => node),
  );
  return [
    { name: 'worker added: workers with organizations', value: places.size, aim: { atLeast: 3 } },
    { name: 'worker added: pushes', value: answeredOf(pushers), aim: { atLeast: 1 } },
    { name: 'worker added: errors', value: errorsOf(pushers), aim: NONE },
    { name: 'worker added: pushes lost', value: await lostOf(api, pushers), aim: NONE },
  ];
}
