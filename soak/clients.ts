import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { download, pushOf, readOf, type WireRequest, wire } from '../tests/support/http/requests.ts';
import { type LoadResult, MARK, NODE } from '../tests/support/load/load.ts';
import { type Figure, figureOf, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import { sum } from '../tests/support/scenario/stats.ts';
import { watchPeak } from '../tests/support/server/proc.ts';
import type { ServerProcess } from '../tests/support/server/process.ts';
import { type AttackName, type AttackPlan, beginAttack } from './support/attack.ts';

/** 100 MB. */
const FINDINGS = 100_000;
const BYTES = 1_000;
/** Connections of the ordinary clients, which the attack must not affect. */
const PROBE_CONNECTIONS = 4;
const SAMPLE_MS = 100;
const REST_MS = 2_000;
/** Two organizations whose lists do not fit into socket buffers. */
const SLOW_READERS_FINDINGS = [20_000, 20_001];
const OPEN_FILES = 300;
const RUN = '00000000';
const CONFIG: WireRequest = { method: 'GET', path: '/config/auth' };

interface Attacker {
  name: AttackName;
  connections: number;
  request: WireRequest;
  /** How much the server's memory may grow, in MiB. */
  growth: number;
}

export const clients = scenario({
  summary: 'slow, idle and vanishing clients: others are served as always, with bounded memory',
  options: { rounds: 5, seconds: 4, idle: 10_000 },
  minutes: 30,
  async run(scene, { rounds, seconds, idle }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: FINDINGS, bytes: BYTES });
    const probe = await openProbe(scene, server, org, seconds);
    await probe();

    const figures: Figure[] = [];
    for (const attacker of attackersOf(org, idle)) {
      figures.push(...(await underAttack(scene, server, probe, attacker, rounds)));
    }
    figures.push(...(await listAmongSlowReaders(scene, server, org)));
    figures.push(...(await withoutFiles(scene, server, org)));
    return figures;
  },
});

function attackersOf(org: SeededOrg, idle: number): Attacker[] {
  const push = pushOf(org, org.scanIds[0], { fingerprint: 'x'.repeat(36) });
  const list = readOf(org, '/findings');
  return [
    { name: 'slow head', connections: 1_000, request: readOf(org, '/findings?per_page=100'), growth: 64 },
    { name: 'slow body', connections: 1_000, request: push, growth: 64 },
    { name: 'stopped reader', connections: 20, request: list, growth: 64 },
    { name: 'trickling reader', connections: 20, request: list, growth: 64 },
    { name: 'gone in the request', connections: 50, request: push, growth: 64 },
    { name: 'gone in the answer', connections: 5, request: list, growth: 64 },
    { name: 'idle', connections: idle, request: CONFIG, growth: 128 },
  ];
}

type Probe = () => Promise<LoadResult>;

/** Requests of ordinary clients: pages, findings, pushes. */
async function openProbe(
  { site }: Scene,
  { url }: ServerProcess,
  org: SeededOrg,
  seconds: number,
): Promise<Probe> {
  const reads = ['/findings?per_page=20', `/findings/${org.findingIds[0]}`, '/auth/me'];
  const push = pushOf(org, org.scanIds[0], { fingerprint: MARK });
  const requests = [...reads.map((path) => readOf(org, path)), push].map((request) => wire(url, request));
  const load = { url, requests, seconds, connections: PROBE_CONNECTIONS, distinct: 1, run: RUN, status: 200 };
  // As most pushes are, those of the probe are of a known finding. The first one is answered 201.
  await NODE.run({ ...load, requests: requests.slice(-1), seconds: 0.1 }, site.workDir);
  return () => NODE.run(load, site.workDir);
}

async function underAttack(
  { site }: Scene,
  server: ServerProcess,
  probe: Probe,
  { name, connections, request, growth }: Attacker,
  rounds: number,
): Promise<Figure[]> {
  const plan: AttackPlan = { name, connections, url: server.url, request: wire(server.url, request) };
  const quiet: LoadResult[] = [];
  const attacked: LoadResult[] = [];
  const growths: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const calm = await probe();
    const before = await server.memory();
    const attack = await beginAttack(site, plan);
    const peak = watchPeak(server.memory, SAMPLE_MS);
    // The cost of the attack's first requests does not count.
    await sleep(REST_MS);
    const result = await probe();
    const grown = (await peak()) - before;
    await attack.kill();
    await sleep(REST_MS);
    quiet.push(calm);
    attacked.push(result);
    growths.push(grown);
    site.say(
      `  ${name}, round ${round}: p99 ${result.p99.toFixed(1)} ms, without ${calm.p99.toFixed(1)} ms, ` +
        `${result.errors} errors, ${grown.toFixed(1)} MiB more, ${attack.progress()?.lost} ended`,
    );
  }
  const p99 = figureOf({ ours: attacked, limit: quiet }, (result) => result.p99);
  const figureName = `p99 ms, ${connections.toLocaleString('en-US')} × ${name}`;
  const perConnection = (Math.max(0, growths[0] ?? 0) * 1024) / connections;
  return [
    { name: figureName, ...p99, limitedBy: 'without', aim: { atMost: 1.5 } },
    { name: 'errors', value: sum([...quiet, ...attacked].map(({ errors }) => errors)), aim: NONE },
    { name: 'RSS growth MiB', value: Math.max(...growths), aim: { atMost: growth } },
    ...(name === 'idle' ? [{ name: 'KiB per connection', value: perConnection }] : []),
    { name: 'sockets left behind', value: await socketsOf(server), aim: { atMost: 60 } },
  ];
}

/** Open files of a server: a fixed number, and its connections to clients and to PostgreSQL. */
const socketsOf = async ({ pid }: ServerProcess): Promise<number> =>
  (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;

/** Trickling readers of two organizations take all permits for whole lists, and another organization asks for a list. */
async function listAmongSlowReaders(scene: Scene, server: ServerProcess, org: SeededOrg): Promise<Figure[]> {
  const { url } = server;
  const list = readOf(org, '/findings');
  const alone = await download(url, list);
  const attacks = [];
  for (const findings of SLOW_READERS_FINDINGS) {
    const slow = readOf(await scene.seed(server, { findings, bytes: BYTES }), '/findings');
    attacks.push(
      await beginAttack(scene.site, {
        ...{ url, name: 'trickling reader', connections: 5, request: wire(url, slow) },
      }),
    );
  }
  await sleep(2_000);
  const among = await download(url, list);
  for (const attack of attacks) await attack.kill();
  scene.site.say(`  a whole list: ${among.status}, first byte after ${Math.round(among.firstByte)} ms`);
  const firstByte = among.status === 200 ? among.firstByte : Number.POSITIVE_INFINITY;
  return [
    { name: 'a whole list of 100 MB ms', value: alone.total },
    {
      name: 'its first byte ms, all permits taken by trickling readers',
      ...{ value: firstByte, aim: { atMost: 30_000 } },
    },
    { name: 'share of its bytes received', value: among.bytes / alone.bytes, aim: { atLeast: 1 } },
  ];
}

/** More connections than the server may have open files. */
async function withoutFiles({ site }: Scene, server: ServerProcess, org: SeededOrg): Promise<Figure[]> {
  const { url, pid } = server;
  const limited = await promisify(execFile)('prlimit', ['--pid', `${pid}`, `--nofile=${OPEN_FILES}`]).then(
    () => true,
    () => false,
  );
  if (!limited) return [];
  const connections = 2 * OPEN_FILES;
  const attack = await beginAttack(site, { url, name: 'idle', connections, request: wire(url, CONFIG) });
  const before = await server.cpuSeconds();
  await sleep(3_000);
  const cpu = (await server.cpuSeconds()) - before;
  await attack.kill();
  await sleep(REST_MS);
  const after = await download(url, readOf(org, '/findings?per_page=20'));
  return [
    {
      name: `CPU s per s, ${connections} connections with ${OPEN_FILES} files`,
      ...{ value: cpu / 3, aim: { atMost: 1 } },
    },
    { name: 'status of the next client', value: after.status, aim: { atMost: 200 } },
  ];
}
