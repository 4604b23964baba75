import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../bench/support/bench.ts';
import { asAgent, asMember, wire } from '../bench/support/http.ts';
import type { BenchDatabase } from '../bench/support/postgres.ts';
import { type SeededOrg, seedOrg } from '../bench/support/seed.ts';
import type { BenchServer } from '../bench/support/server.ts';
import { median } from '../bench/support/stats.ts';
import { openDatabase } from '../db/client.ts';
import { finding } from '../tests/support/client.ts';
import { type Scene, soak } from './support/soak.ts';
import { type Answered, beginTraffic, FINGERPRINT, type Traffic } from './support/traffic.ts';

const FINDINGS = 5_000;
const BYTES = 1_000;
/** Requests answered before the signal, and so many more at random. */
const BEFORE = 1_000;
const STOP_MS = 10_000;

/** Sixty-four connections. */
const CONNECTIONS: Traffic['connections'] = {
  kept: 32,
  pipelined: 8,
  chunked: 8,
  'new for each': 14,
  'whole lists': 2,
};

/** What a round was like. */
interface Round extends Answered {
  ms: number;
  code: number | null;
  /** Acknowledged, and not in the database. */
  lost: number;
}

export const stop = soak({
  summary: 'SIGTERM under load: no request is cut off, and the server ends within ten seconds',
  options: { rounds: 20 },
  minutes: 20,
  async run(scene, { rounds }) {
    const { site } = scene;
    const database = await scene.database();
    const first = await scene.server({ databaseUrl: database.url });
    const org = await seedOrg(database, first, { findings: FINDINGS, bytes: BYTES });
    await first.stop();

    const seen: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const result = await stopUnderLoad(scene, { database, org, round });
      seen.push(result);
      site.say(
        `  round ${round + 1}: ${result.answered} answered, ended with ${result.code} in ` +
          `${Math.round(result.ms)} ms, resets ${JSON.stringify(result.resets)}, failed ${JSON.stringify(result.failed)}`,
      );
    }
    const stuck = await stopWhenStuck(scene, { database, org });
    const name = 'stop ms, stalled reader, slow body, waiting query';
    site.say(`  ${name}: ${Math.round(stuck.ms)}, ended with ${stuck.code}`);
    const starting: number[] = [];
    for (let round = 0; round < rounds; round++) {
      starting.push(await stopAtStart(scene, { database, after: (round / rounds) * 1_000 }));
    }
    return [
      ...figuresOf(seen),
      { name, value: stuck.ms, aim: { atMost: STOP_MS } },
      {
        name: 'slowest stop ms, SIGTERM while it starts',
        value: Math.max(...starting),
        aim: { atMost: STOP_MS },
      },
    ];
  },
});

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function figuresOf(rounds: Round[]): Figure[] {
  const total = (read: (round: Round) => number) => sum(rounds.map(read));
  const all = (read: (round: Round) => Record<string, number>) =>
    total((round) => sum(Object.values(read(round))));
  const none = { atMost: 0 };
  const times = rounds.map(({ ms }) => ms);
  return [
    { name: 'requests answered', value: total(({ answered }) => answered) },
    { name: 'requests cut off', value: all(({ resets }) => resets), aim: none },
    { name: 'answers that are no success', value: all(({ failed }) => failed), aim: none },
    { name: 'pipelined behind a last answer', value: total(({ toRepeat }) => toRepeat) },
    { name: 'pushes acknowledged', value: total(({ acknowledged }) => acknowledged.length) },
    { name: 'of them not in the database', value: total(({ lost }) => lost), aim: none },
    { name: 'stop ms', value: median(times), rounds: { values: times } },
    { name: 'slowest stop ms', value: Math.max(...times), aim: { atMost: STOP_MS } },
    { name: 'exit codes other than 0', value: total(({ code }) => (code === 0 ? 0 : 1)), aim: none },
  ];
}

interface Given {
  database: BenchDatabase;
  org: SeededOrg;
}

async function stopUnderLoad(
  scene: Scene,
  { database, org, round }: Given & { round: number },
): Promise<Round> {
  const server = await scene.server({ databaseUrl: database.url });
  const run = `stop${`${round}`.padStart(4, '0')}`;
  const traffic = beginTraffic(trafficTo(server, org, run));
  await traffic.reached(BEFORE + Math.random() * BEFORE);
  const { ms, code } = await timeStop(server);
  const result = await traffic.ended;
  const stored = await database.sql.unsafe<{ fingerprint: string }[]>(
    `select fingerprint from ${org.schema}.findings where starts_with(fingerprint, '${run}')`,
  );
  const known = new Set(stored.map(({ fingerprint }) => fingerprint));
  const lost = result.acknowledged.filter((fingerprint) => !known.has(fingerprint)).length;
  return { ...result, ms, code, lost };
}

/** Sends SIGTERM, again for those who are impatient, and waits for the end. */
async function timeStop(server: BenchServer): Promise<{ ms: number; code: number | null }> {
  const began = performance.now();
  server.signal('SIGTERM');
  setTimeout(() => server.signal('SIGTERM'), 50);
  const code = await server.exited;
  return { ms: performance.now() - began, code };
}

function trafficTo({ origin }: BenchServer, org: SeededOrg, run: string): Traffic {
  const member = asMember(org);
  const read = (path: string) => wire(origin, { method: 'GET', path, headers: member });
  const push = wire(origin, { method: 'POST', path: '/agent/findings', headers: asAgent(org) });
  const [scanId = ''] = org.scanIds;
  return {
    origin,
    run,
    connections: CONNECTIONS,
    reads: [
      read('/findings?per_page=20'),
      read('/auth/me'),
      read('/dashboard/stats'),
      ...org.findingIds.slice(0, 10).map((id) => read(`/findings/${id}`)),
    ],
    list: read('/findings'),
    push: {
      head: `${push.trimEnd()}\r\ncontent-type: application/json\r\n`,
      body: JSON.stringify(finding(org, scanId, { fingerprint: FINGERPRINT, description: 'x'.repeat(500) })),
    },
  };
}

/** A stop that nobody makes easy: a reader who does not read, half a body, half a head, and a query that waits for a lock. */
async function stopWhenStuck(scene: Scene, { database, org }: Given) {
  const server = await scene.server({ databaseUrl: database.url });
  const pool = openDatabase({ url: database.url, max: 1 });
  const sockets: Socket[] = [];
  const send = (text: string) => {
    const { hostname, port } = new URL(server.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.pause();
    socket.write(text);
    sockets.push(socket);
  };
  const finding = org.findingIds[0];
  const [scan] = org.scanIds;
  let stopped = { ms: 0, code: null as number | null };
  await pool.sql.begin(async (tx) => {
    await tx.unsafe(`select 1 from ${org.schema}.scans where scan_id = '${scan}' for update`);
    for (let i = 0; i < 4; i++) {
      send(wire(server.origin, { method: 'GET', path: '/findings', headers: asMember(org) }));
      const patch = {
        method: 'PATCH',
        path: `/findings/${finding}`,
        headers: asMember(org),
        body: { status: 'fixed' },
      };
      send(wire(server.origin, patch).slice(0, -5));
      send('GET / HTTP/1.1\r\nHost: a');
      const end = { path: `/agent/scans/${scan}`, headers: asAgent(org), body: { status: 'completed' } };
      send(wire(server.origin, { method: 'PATCH', ...end }));
    }
    await sleep(1_000);
    stopped = await timeStop(server);
  });
  for (const socket of sockets) socket.destroy();
  await pool.close();
  return stopped;
}

/** @returns milliseconds from a SIGTERM in the middle of the start to the end */
async function stopAtStart(
  { site, build }: Scene,
  { database, after }: { database: BenchDatabase; after: number },
): Promise<number> {
  await build();
  const { PATH } = process.env;
  const env = { PATH, DATABASE_URL: database.url, SVC_HOST: '127.0.0.1', SVC_PORT: '0' };
  const child = spawn(process.execPath, [join(site.root, 'dist/server.js')], {
    ...{ cwd: site.workDir, env, stdio: 'ignore' },
  });
  const exited = once(child, 'exit');
  await sleep(after);
  const began = performance.now();
  child.kill('SIGTERM');
  await exited;
  return performance.now() - began;
}
