import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { finding } from '../tests/support/api/client.ts';
import { type SeededOrg, seedOrg } from '../tests/support/database/seed.ts';
import { asAgent, asMember, download, type WireRequest, wire } from '../tests/support/http/requests.ts';
import { findLoadGenerator, type LoadResult, MARK } from '../tests/support/load/load.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { median } from '../tests/support/scenario/stats.ts';
import type { BenchServer } from '../tests/support/server/bench-server.ts';
import { type AttackName, type AttackPlan, beginAttack } from './support/attack.ts';
import { type Scene, soak } from './support/soak.ts';

/** 100 MB. */
const FINDINGS = 100_000;
const BYTES = 1_000;
/** Of those whom the attack must not touch. */
const PROBE_CONNECTIONS = 4;
const SAMPLE_MS = 100;
const REST_MS = 2_000;
const OPEN_FILES = 300;

interface Attacker {
  name: AttackName;
  connections: number;
  request: WireRequest;
  /** MiB */
  growth: number;
}

export const clients = soak({
  summary: 'slow, idle and vanishing clients: others are served as always, with bounded memory',
  options: { rounds: 5, seconds: 4, idle: 10_000 },
  minutes: 30,
  async run(scene, { rounds, seconds, idle }) {
    const { site } = scene;
    const database = await scene.database();
    const server = await scene.server({ databaseUrl: database.url });
    site.say(`  making ${FINDINGS.toLocaleString('en-US')} findings`);
    const org = await seedOrg(database, server, { findings: FINDINGS, bytes: BYTES });
    const probe = await openProbe(scene, server, org, seconds);
    await probe();

    const figures: Figure[] = [];
    for (const attacker of attackersOf(org, idle)) {
      figures.push(...(await underAttack(scene, { server, probe, attacker, rounds })));
    }
    figures.push(...(await listAmongSlowReaders(scene, server, org)));
    figures.push(...(await withoutFiles(scene, server, org)));
    return figures;
  },
});

const listOf = (org: SeededOrg): WireRequest => ({
  method: 'GET',
  path: '/findings',
  headers: asMember(org),
});

function attackersOf(org: SeededOrg, idle: number): Attacker[] {
  const push = pushOf(org, 'x'.repeat(36));
  const page: WireRequest = { ...listOf(org), path: '/findings?per_page=100' };
  return [
    { name: 'slow head', connections: 1_000, request: page, growth: 64 },
    { name: 'slow body', connections: 1_000, request: push, growth: 64 },
    { name: 'stopped reader', connections: 20, request: listOf(org), growth: 64 },
    { name: 'trickling reader', connections: 20, request: listOf(org), growth: 64 },
    { name: 'gone in the request', connections: 50, request: push, growth: 64 },
    { name: 'gone in the answer', connections: 5, request: listOf(org), growth: 64 },
    { name: 'idle', connections: idle, request: { method: 'GET', path: '/config/auth' }, growth: 128 },
  ];
}

function pushOf(org: SeededOrg, fingerprint: string): WireRequest {
  const body = finding(org, org.scanIds[0] ?? '', { fingerprint });
  return { method: 'POST', path: '/agent/findings', headers: asAgent(org), body };
}

type Probe = () => Promise<LoadResult>;

/** Ordinary requests of ordinary clients: pages, findings, pushes. */
async function openProbe(
  { site }: Scene,
  { origin }: BenchServer,
  org: SeededOrg,
  seconds: number,
): Promise<Probe> {
  const loader = await findLoadGenerator('node');
  const headers = asMember(org);
  const reads = ['/findings?per_page=20', `/findings/${org.findingIds[0]}`, '/auth/me'];
  const load = {
    ...{ origin, seconds, connections: PROBE_CONNECTIONS, distinct: 1, run: 'clients0', status: 200 },
    requests: [
      ...reads.map((path) => wire(origin, { method: 'GET', path, headers })),
      wire(origin, pushOf(org, MARK)),
    ],
  };
  // So that the push is of something known, as most are.
  await download(origin, pushOf(org, `${'0'.repeat(16)}clients0${'0'.repeat(12)}`));
  return () => loader.run(load, site.workDir);
}

async function underAttack(
  { site }: Scene,
  given: { server: BenchServer; probe: Probe; attacker: Attacker; rounds: number },
): Promise<Figure[]> {
  const { server, probe, attacker, rounds } = given;
  const { name, connections } = attacker;
  const plan: AttackPlan = {
    ...attacker,
    origin: server.origin,
    request: wire(server.origin, attacker.request),
  };
  const quiet: LoadResult[] = [];
  const attacked: LoadResult[] = [];
  const growths: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    quiet.push(await probe());
    const before = (await server.memory()) ?? 0;
    const attack = await beginAttack(site, plan);
    const peak = watchMemory(server);
    // What their first requests cost is over.
    await sleep(REST_MS);
    const result = await probe();
    attacked.push(result);
    growths.push((await peak()) - before);
    await attack.end();
    await sleep(REST_MS);
    site.say(
      `  ${name}, round ${round}: p99 ${result.p99.toFixed(1)} ms, without ${quiet.at(-1)?.p99.toFixed(1)} ms, ` +
        `${result.errors} errors, ${growths.at(-1)?.toFixed(1)} MiB more, ${attack.lost()} ended`,
    );
  }
  const p99 = (results: LoadResult[]) => results.map((result) => result.p99);
  const errors = [...quiet, ...attacked].reduce((sum, result) => sum + result.errors, 0);
  const growth = Math.max(...growths);
  return [
    {
      name: `p99 ms, ${connections.toLocaleString('en-US')} × ${name}`,
      ...{ value: median(p99(attacked)), limit: median(p99(quiet)), limitedBy: 'without' },
      aim: { atMost: 1.5 },
      rounds: { values: p99(attacked), limits: p99(quiet) },
    },
    { name: 'errors', value: errors, aim: { atMost: 0 } },
    { name: 'RSS growth MiB', value: growth, aim: { atMost: attacker.growth } },
    ...(name === 'idle'
      ? [{ name: 'KiB per connection', value: (Math.max(0, growths[0] ?? 0) * 1024) / connections }]
      : []),
    { name: 'sockets left behind', value: await socketsOf(server), aim: { atMost: 60 } },
  ];
}

/** Call what it returns for the highest value since. */
function watchMemory(server: BenchServer): () => Promise<number> {
  let peak = 0;
  const look = async () => {
    peak = Math.max(peak, (await server.memory()) ?? 0);
  };
  const timer = setInterval(look, SAMPLE_MS);
  return async () => {
    clearInterval(timer);
    await look();
    return peak;
  };
}

/** Open files of a server that are not fixed: its connections, to clients and to PostgreSQL. */
async function socketsOf({ pid }: BenchServer): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;
}

/** All places for whole lists are taken by those who read a little now and then; another one wants a list. */
async function listAmongSlowReaders({ site }: Scene, server: BenchServer, org: SeededOrg): Promise<Figure[]> {
  const { origin } = server;
  const alone = await download(origin, listOf(org));
  const plan = {
    name: 'trickling reader',
    connections: 5,
    origin,
    request: wire(origin, listOf(org)),
  } as const;
  const attack = await beginAttack(site, plan);
  await sleep(2_000);
  const among = await download(origin, listOf(org));
  await attack.end();
  site.say(`  a whole list: ${among.status}, first byte after ${Math.round(among.firstByte)} ms`);
  return [
    { name: 'a whole list of 100 MB ms', value: alone.total },
    {
      name: 'its first byte ms, all places taken by trickling readers',
      ...{
        value: among.status === 200 ? among.firstByte : Number.POSITIVE_INFINITY,
        aim: { atMost: 30_000 },
      },
    },
    { name: 'of its bytes come', value: among.bytes / alone.bytes, aim: { atLeast: 1 } },
  ];
}

/** More connections than the server may have files. */
async function withoutFiles({ site }: Scene, server: BenchServer, org: SeededOrg): Promise<Figure[]> {
  const limited = await promisify(execFile)('prlimit', [
    '--pid',
    `${server.pid}`,
    `--nofile=${OPEN_FILES}`,
  ]).then(
    () => true,
    () => false,
  );
  if (!limited) return [];
  const { origin } = server;
  const request: WireRequest = { method: 'GET', path: '/config/auth' };
  const plan = { name: 'idle', connections: 2 * OPEN_FILES, origin, request: wire(origin, request) } as const;
  const attack = await beginAttack(site, plan);
  const before = (await server.cpuSeconds()) ?? 0;
  await sleep(3_000);
  const cpu = ((await server.cpuSeconds()) ?? 0) - before;
  await attack.end();
  await sleep(REST_MS);
  const after = await download(origin, { ...listOf(org), path: '/findings?per_page=20' });
  return [
    {
      name: `CPU s per s, ${2 * OPEN_FILES} connections with ${OPEN_FILES} files`,
      value: cpu / 3,
      aim: { atMost: 1 },
    },
    { name: 'status of the next who comes', value: after.status, aim: { atMost: 200 } },
  ];
}
