import { openDatabase } from '../db/client.ts';
import { type Api, createClient, createOrg, createScan, finding } from '../tests/support/api/client.ts';
import { citusBinDir, makeCitusDatabase, startCitus } from '../tests/support/citus/cluster.ts';
import { startOwnPostgres } from '../tests/support/database/own-postgres.ts';
import { pushOf, wire } from '../tests/support/http/requests.ts';
import { MARK } from '../tests/support/load/load.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { addWorker, loseWorker, moveUnderLoad, type Target } from './support/citus-faults.ts';

const ORGS = 8;
const CONNECTIONS = 128;
const SINGLE_PUSHES = 100;
/** Until rates no longer rise: each server compiles, and each connection prepares the statements of each organization. */
const WARM_UP_S = 15;
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
    const running = { site, cluster, sql: admin.sql, api, orgs };
    figures.push(...(await moveUnderLoad(running, moves)));
    figures.push(...(await loseWorker(running)));
    figures.push(...(await addWorker(running, DATABASE)));
    return figures;
  },
});

async function makeOrgs(api: Api): Promise<Target[]> {
  const targets: Target[] = [];
  while (targets.length < ORGS) {
    const org = await createOrg(api);
    targets.push({ org, scanId: await createScan(api, org) });
  }
  return targets;
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
  const load = (url: string, targets: readonly Target[], seconds: number) =>
    loader.run(
      {
        ...{ url, connections: CONNECTIONS, seconds, status: 201 },
        requests: targets.map(({ org, scanId }) => wire(url, pushOf(org, scanId, { fingerprint: MARK }))),
      },
      site.workDir,
    );
  await load(citus, orgs, WARM_UP_S);
  await load(single.url, plainOrgs, WARM_UP_S);
  const values: number[] = [];
  const limits: number[] = [];
  let errors = 0;
  for (let round = 0; round < rounds; round++) {
    const [ours, theirs] = [await load(citus, orgs, seconds), await load(single.url, plainOrgs, seconds)];
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
