import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import type { Sql } from '../db/pool/query.ts';
import {
  type Api,
  createClient,
  createOrg,
  createScan,
  finding,
  type TestOrg,
} from '../tests/support/api/client.ts';
import {
  type CitusCluster,
  citusBinDir,
  joinWorker,
  makeCitusDatabase,
  startCitus,
} from '../tests/support/citus/cluster.ts';
import { distributeLocalOrgs, moveOrg, placementOf, workersOf } from '../tests/support/citus/placements.ts';
import { startOwnPostgres } from '../tests/support/database/own-postgres.ts';
import { pushOf, wire } from '../tests/support/http/requests.ts';
import { MARK } from '../tests/support/load/load.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import { median, sum } from '../tests/support/scenario/stats.ts';
import { findLostPushes, type Pusher, startPusher } from './support/pusher.ts';

const ORGS = 8;
const CONNECTIONS = 128;
const SINGLE_PUSHES = 100;
const RESTART_MS = 3_000;
const DATABASE = 'findings';

export const citus = scenario({
  summary:
    'a Citus cluster (SVC_TEST_CITUS): organizations are moved under load, a worker is killed, one is added: nothing is lost, and a dead worker affects its own organizations only',
  options: { moves: 8, rounds: 3, seconds: 5 },
  minutes: 25,
  async run(scene, { moves, rounds, seconds }) {
    const binDir = citusBinDir();
    if (!binDir)
      throw new Error('set SVC_TEST_CITUS to the directory of the programs of a PostgreSQL with Citus');
    const { site } = scene;
    const cluster = await startCitus(site, binDir);
    const { adminUrl, url: databaseUrl } = await makeCitusDatabase(cluster.nodes(), DATABASE);
    const plain = await startOwnPostgres(site, { max_connections: '300' }, { name: 'plain', binDir });
    const server = await scene.server({ databaseUrl });
    const api = createClient(fetch, server.url);
    const admin = openDatabase({ url: adminUrl, max: 1, statementMs: 0 });
    site.onClose(() => admin.close());

    const orgs = await makeOrgs(api);
    const figures = await compareSpeed(scene, { citus: server.url, plain: plain.url, orgs, rounds, seconds });
    await spread(admin.sql, orgs);
    figures.push(...(await moveUnderLoad(scene, admin.sql, { api, orgs, moves })));
    figures.push(...(await loseWorker(scene, cluster, admin.sql, { api, orgs })));
    figures.push(...(await addWorker(scene, cluster, admin.sql, { api, orgs })));
    return figures;
  },
});

interface Target {
  org: TestOrg;
  scanId: string;
}

async function makeOrgs(api: Api): Promise<Target[]> {
  const targets: Target[] = [];
  while (targets.length < ORGS) {
    const org = await createOrg(api);
    targets.push({ org, scanId: await createScan(api, org) });
  }
  return targets;
}

/** Half of the organizations on each of two workers. */
async function spread(sql: Sql, orgs: readonly Target[]): Promise<void> {
  const nodes = await workersOf(sql);
  for (const [i, { org }] of orgs.entries()) await moveOrg(sql, org.id, nodes[i % nodes.length] as string);
}

interface Compared {
  citus: string;
  plain: string;
  orgs: readonly Target[];
  rounds: number;
  seconds: number;
}

/** The same load on the cluster and on one PostgreSQL of the same build, in turns. */
async function compareSpeed(
  scene: Scene,
  { citus, plain, orgs, rounds, seconds }: Compared,
): Promise<Figure[]> {
  const { site, loader } = scene;
  const single = await scene.server({ databaseUrl: plain });
  const plainOrgs = await makeOrgs(createClient(fetch, single.url));
  const load = (url: string, targets: readonly Target[], connections: number) =>
    loader.run(
      {
        ...{ url, connections, seconds, status: 201 },
        requests: targets.map(({ org, scanId }) => wire(url, pushOf(org, scanId, { fingerprint: MARK }))),
      },
      site.workDir,
    );
  const values: number[] = [];
  const limits: number[] = [];
  let errors = 0;
  for (let round = 0; round < rounds; round++) {
    const [ours, theirs] = [
      await load(citus, orgs, CONNECTIONS),
      await load(single.url, plainOrgs, CONNECTIONS),
    ];
    errors += ours.errors;
    values.push(ours.perSecond);
    limits.push(theirs.perSecond);
    site.say(
      `  round ${round + 1}: ${Math.round(ours.perSecond)} and ${Math.round(theirs.perSecond)} pushes/s`,
    );
  }
  const [alone, alonePlain] = [await timePushes(citus, orgs[0]), await timePushes(single.url, plainOrgs[0])];
  await single.stop();
  return [
    {
      name: `pushes/s, ${ORGS} organizations, ${CONNECTIONS} connections`,
      ...{ value: median(values), limit: median(limits), rounds: { values, limits } },
      ...{ limitedBy: 'the same PostgreSQL without Citus', aim: { atLeast: 0.5 } },
    },
    { name: 'errors', value: errors, aim: NONE },
    { name: 'p50 of a single push ms', value: alone, aim: { atMost: 20 } },
    { name: 'p50 of a single push without Citus ms', value: alonePlain },
  ];
}

/** Pushes one after the other. @returns the median, in milliseconds */
async function timePushes(url: string, target: Target | undefined): Promise<number> {
  const { org, scanId } = target as Target;
  const api = createClient(fetch, url);
  const times: number[] = [];
  for (let i = 0; i < SINGLE_PUSHES; i++) {
    const body = finding(org, scanId, { fingerprint: `single ${i}` });
    const began = performance.now();
    const { status } = await api.post('/agent/findings', { ...org.asAgent, body });
    if (status !== 201) throw new Error(`a push was answered ${status}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

interface Running {
  api: Api;
  orgs: readonly Target[];
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

async function moveUnderLoad(
  { site }: Scene,
  sql: Sql,
  { api, orgs, moves }: Running & { moves: number },
): Promise<Figure[]> {
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
async function loseWorker(
  { site }: Scene,
  cluster: CitusCluster,
  sql: Sql,
  { api, orgs }: Running,
): Promise<Figure[]> {
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

async function addWorker(
  { site }: Scene,
  cluster: CitusCluster,
  sql: Sql,
  { api, orgs }: Running,
): Promise<Figure[]> {
  const nodes = cluster.nodes();
  const worker = await cluster.startWorker();
  const pushers = await underLoad(api, orgs, 'added', async () => {
    await joinWorker(nodes, worker.url, DATABASE);
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
