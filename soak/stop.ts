import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import { finding } from '../tests/support/api/client.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { asAgent, asMember, readOf, wire } from '../tests/support/http/requests.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import { median, sum } from '../tests/support/scenario/stats.ts';
import type { LaunchedServer } from '../tests/support/server/process.ts';
import { type Answered, beginTraffic, FINGERPRINT, type Traffic } from './support/traffic.ts';

const FINDINGS = 5_000;
const BYTES = 1_000;
/** Requests answered before the signal: this number, and up to as many more at random. */
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

/** The result of a round. */
interface Round extends Answered {
  ms: number;
  code: number | null;
  /** Acknowledged, and not in the database. */
  lost: number;
}

export const stop = scenario({
  summary: 'SIGTERM under load: no request is cut off, and the server ends within ten seconds',
  options: { rounds: 20 },
  minutes: 20,
  async run(scene, { rounds }) {
    const { site } = scene;
    const first = await scene.server();
    const org = await scene.seed(first, { findings: FINDINGS, bytes: BYTES });
    await first.stop();

    const seen: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const result = await stopUnderLoad(scene, org, round);
      seen.push(result);
      site.say(
        `  round ${round + 1}: ${result.answered} answered, ended with ${result.code} in ` +
          `${Math.round(result.ms)} ms, resets ${JSON.stringify(result.resets)}, failed ${JSON.stringify(result.failed)}`,
      );
    }
    const stuck = await stopWhenStuck(scene, org);
    const name = 'stop ms, stalled reader, slow body, waiting query';
    site.say(`  ${name}: ${Math.round(stuck.ms)}, ended with ${stuck.code}`);
    const starting: number[] = [];
    for (let round = 0; round < rounds; round++) {
      starting.push(await stopAtStart(scene, (round / rounds) * 1_000));
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

function figuresOf(rounds: Round[]): Figure[] {
  const total = (read: (round: Round) => number) => sum(rounds.map(read));
  const all = (read: (round: Round) => Record<string, number>) =>
    total((round) => sum(Object.values(read(round))));
  const times = rounds.map(({ ms }) => ms);
  return [
    { name: 'requests answered', value: total(({ answered }) => answered) },
    { name: 'requests cut off', value: all(({ resets }) => resets), aim: NONE },
    { name: 'answers that are no success', value: all(({ failed }) => failed), aim: NONE },
    { name: 'pipelined behind a last answer', value: total(({ toRepeat }) => toRepeat) },
    { name: 'pushes acknowledged', value: total(({ acknowledged }) => acknowledged.length) },
    { name: 'of them not in the database', value: total(({ lost }) => lost), aim: NONE },
    { name: 'stop ms', value: median(times), rounds: { values: times } },
    { name: 'slowest stop ms', value: Math.max(...times), aim: { atMost: STOP_MS } },
    { name: 'exit codes other than 0', value: total(({ code }) => (code === 0 ? 0 : 1)), aim: NONE },
  ];
}

async function stopUnderLoad(scene: Scene, org: SeededOrg, round: number): Promise<Round> {
  const server = await scene.server();
  const run = `stop${`${round}`.padStart(4, '0')}`;
  const traffic = beginTraffic(trafficTo(server.url, org, run));
  const enough = BEFORE + Math.random() * BEFORE;
  await traffic.reached((answered) => answered >= enough);
  const { ms, code } = await timeStop(server);
  const result = await traffic.result;
  const stored = await (await scene.database()).sql.unsafe<{ fingerprint: string }[]>(
    `select fingerprint from ${org.schema}.findings where starts_with(fingerprint, '${run}')`,
  );
  const known = new Set(stored.map(({ fingerprint }) => fingerprint));
  const lost = result.acknowledged.filter((fingerprint) => !known.has(fingerprint)).length;
  return { ...result, ms, code, lost };
}

/** Sends SIGTERM twice, as an impatient operator does, and waits for the exit. */
async function timeStop(server: LaunchedServer): Promise<{ ms: number; code: number | null }> {
  const began = performance.now();
  server.signal('SIGTERM');
  setTimeout(() => server.signal('SIGTERM'), 50);
  const code = await server.exited;
  return { ms: performance.now() - began, code };
}

function trafficTo(url: string, org: SeededOrg, run: string): Traffic {
  const read = (path: string) => wire(url, readOf(org, path));
  const push = wire(url, { method: 'POST', path: '/agent/findings', headers: asAgent(org) });
  const fields = { fingerprint: FINGERPRINT, description: 'x'.repeat(500) };
  const points = org.findingIds.slice(0, 10).map((id) => `/findings/${id}`);
  return {
    ...{ url, run, connections: CONNECTIONS, list: read('/findings') },
    reads: ['/findings?per_page=20', '/auth/me', '/dashboard/stats', ...points].map(read),
    push: {
      head: `${push.trimEnd()}\r\ncontent-type: application/json\r\n`,
      body: JSON.stringify(finding(org, org.scanIds[0] ?? '', fields)),
    },
  };
}

/** The worst time to stop: a reader that does not read, half a body, half a head, and a query that waits for a lock. */
async function stopWhenStuck(scene: Scene, org: SeededOrg) {
  const server = await scene.server();
  const { url } = await scene.database();
  const pool = openDatabase({ url, max: 1 });
  const sockets: Socket[] = [];
  const send = (text: string) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    socket.pause();
    socket.write(text);
    sockets.push(socket);
  };
  const [scan] = org.scanIds;
  const triage = {
    path: `/findings/${org.findingIds[0]}`,
    headers: asMember(org),
    body: { status: 'fixed' },
  };
  const end = { path: `/agent/scans/${scan}`, headers: asAgent(org), body: { status: 'completed' } };
  let stopped = { ms: 0, code: null as number | null };
  await pool.sql.begin(async (tx) => {
    await tx.unsafe(`select 1 from ${org.schema}.scans where scan_id = '${scan}' for update`);
    for (let i = 0; i < 4; i++) {
      send(wire(server.url, readOf(org, '/findings')));
      send(wire(server.url, { method: 'PATCH', ...triage }).slice(0, -5));
      send('GET / HTTP/1.1\r\nHost: a');
      send(wire(server.url, { method: 'PATCH', ...end }));
    }
    await sleep(1_000);
    stopped = await timeStop(server);
  });
  for (const socket of sockets) socket.destroy();
  await pool.close();
  return stopped;
}

/** @returns milliseconds from a SIGTERM during the start to the exit */
async function stopAtStart(scene: Scene, after: number): Promise<number> {
  const server = await scene.launch({});
  await sleep(after);
  const began = performance.now();
  await server.stop();
  return performance.now() - began;
}
