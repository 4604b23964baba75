import { randomBytes } from 'node:crypto';
import { finding } from '../tests/support/api/client.ts';
import { type SeededOrg, seedOrg } from '../tests/support/database/seed.ts';
import { asAgent, asMember, download, type WireRequest, wire } from '../tests/support/http/requests.ts';
import { findLoadGenerator, MARK } from '../tests/support/load/load.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { median, percentile } from '../tests/support/scenario/stats.ts';
import { type NoiseMade, openNoise } from './support/noise.ts';
import { type Scene, soak } from './support/soak.ts';
import { openSteadyLoad, type SteadyKind, type SteadyLoad, type SteadyWindow } from './support/steady.ts';

/** Of the organization that must not notice. */
const OWN_FINDINGS = 10_000;
const BYTES = 1_000;
const PER_SECOND = { read: 100, push: 50 };
/** How many clients do each at a time. */
const SEARCHING = 40;
const EXPORTING = 9;
const LISTING = 9;
const PUSHING = 100;
const SEARCHES = 21;
const REST_MS = 1_000;

interface Attack {
  name: string;
  parts: Part[];
}

/** One kind of noise. */
type Part = 'searches' | 'exports' | 'lists' | 'pushes';

const ATTACKS: Attack[] = [
  { name: 'searches', parts: ['searches'] },
  { name: 'exports', parts: ['exports'] },
  { name: 'lists', parts: ['lists'] },
  { name: 'pushes', parts: ['pushes'] },
  { name: 'all of it', parts: ['searches', 'exports', 'lists', 'pushes'] },
];

export const noisy = soak({
  summary: 'an organization of 1,000,000 findings asks for all it can get: another one must not notice',
  options: { rows: 1_000_000, rounds: 3, seconds: 10 },
  minutes: 25,
  async run(scene, { rows, rounds, seconds }) {
    const { site } = scene;
    const database = await scene.database();
    const server = await scene.server({ databaseUrl: database.url });
    site.say(`  making ${rows.toLocaleString('en-US')} findings`);
    const loud = await seedOrg(database, server, { findings: rows, bytes: BYTES });
    const quiet = await seedOrg(database, server, { findings: OWN_FINDINGS, bytes: BYTES });
    const figures = await measureSearches(server.origin, loud);
    for (const { name, value } of figures) site.say(`  ${name}: ${value.toFixed(0)}`);
    // What the many rows left behind is written now, not while others are observed.
    await database.sql.unsafe('checkpoint');
    const observe = openSteadyLoad(site, steadyLoad(server.origin, quiet));
    await observe(5);
    const makeNoise = await openNoises(scene, server.origin, loud);
    for (const { name, parts } of ATTACKS) {
      const seen = { quiet: emptyWindow(), attacked: emptyWindow() };
      const made: NoiseMade[] = [];
      for (let round = 0; round < rounds; round++) {
        add(seen.quiet, await observe(seconds));
        const noises = parts.map((part) => makeNoise[part](seconds + 1));
        await pause(REST_MS);
        add(seen.attacked, await observe(seconds - 1));
        made.push(...(await Promise.all(noises)));
        await pause(REST_MS);
      }
      const answers = JSON.stringify(sumOf(made));
      for (const kind of ['read', 'push'] as const) {
        const [value, limit] = [p99(seen.attacked[kind]), p99(seen.quiet[kind])];
        site.say(
          `  ${name}: ${kind} p99 ${limit.toFixed(1)} -> ${value.toFixed(1)} ms, p50 ${p50(seen.quiet[kind]).toFixed(1)} -> ${p50(seen.attacked[kind]).toFixed(1)} ms`,
        );
        figures.push({
          name: `${name}: ${kind} p99 ms`,
          ...{ value, limit, limitedBy: 'the same without noise', aim: { atMost: 1.5 } },
        });
      }
      site.say(`  ${name}: answered ${answers}`);
      const errors = { ...seen.quiet.errors, ...seen.attacked.errors };
      if (Object.keys(errors).length > 0) site.say(`  ${name}: errors of others ${JSON.stringify(errors)}`);
      figures.push({
        name: `${name}: errors of others`,
        value: Object.values(errors).reduce((sum, count) => sum + count, 0),
        aim: { atMost: 0 },
      });
    }
    return figures;
  },
});

/** One search after the other, for a page and the total. */
async function measureSearches(origin: string, org: SeededOrg): Promise<Figure[]> {
  const words = {
    'a selective word': 'handler-1008',
    'two words': 'module-13/ 99999',
    'a word in all': 'injection',
  };
  const figures: Figure[] = [];
  for (const [name, q] of Object.entries(words)) {
    const times: number[] = [];
    for (let i = 0; i < SEARCHES; i++) {
      const { status, total } = await download(origin, searchOf(org, q));
      if (status !== 200) throw new Error(`a search was answered ${status}`);
      times.push(total);
    }
    const isSelective = q !== words['a word in all'];
    figures.push({
      name: `search, ${name}: ms`,
      value: median(times),
      ...(isSelective && { aim: { atMost: 300 } }),
    });
  }
  return figures;
}

const searchOf = (org: SeededOrg, q: string): WireRequest => ({
  ...{ method: 'GET', path: `/findings?page=1&per_page=50&q=${encodeURIComponent(q)}` },
  headers: asMember(org),
});

function steadyLoad(origin: string, org: SeededOrg): SteadyLoad {
  const scanId = org.scanIds[0] as string;
  return {
    origin,
    requests: {
      read: org.findingIds.map((id) =>
        wire(origin, { method: 'GET', path: `/findings/${id}`, headers: asMember(org) }),
      ),
      push: [pushOf(origin, org, scanId)],
    },
    status: { read: 200, push: 201 },
    perSecond: PER_SECOND,
    run: randomBytes(4).toString('hex'),
  };
}

const pushOf = (origin: string, org: SeededOrg, scanId: string): string =>
  wire(origin, {
    ...{ method: 'POST', path: '/agent/findings', headers: asAgent(org) },
    body: finding(org, scanId, { fingerprint: MARK, description: `${MARK} `.padEnd(300, 'x') }),
  });

/** What makes each kind of noise for some seconds. */
async function openNoises(
  { site }: Scene,
  origin: string,
  org: SeededOrg,
): Promise<Record<Part, (seconds: number) => Promise<NoiseMade>>> {
  const get = (path: string): WireRequest => ({ method: 'GET', path, headers: asMember(org) });
  const searches = ['injection', 'in', 'handler-1008', 'module-13/ 99999', 'sql e', 'no such word'].map((q) =>
    searchOf(org, q),
  );
  const exports = [
    get('/findings?format=csv'),
    get('/findings?format=sarif'),
    get('/findings?q=e&format=csv'),
  ];
  const lists = [get('/findings'), get('/findings?sort=last_seen_at'), get('/findings?q=injection')];
  const noiseOf = (requests: WireRequest[], clients: number) => {
    const make = openNoise(site);
    return (seconds: number) => make({ origin, requests, clients, seconds });
  };
  const loader = await findLoadGenerator('node');
  const requests = [pushOf(origin, org, org.scanIds[0] as string)];
  return {
    searches: noiseOf(searches, SEARCHING),
    exports: noiseOf(exports, EXPORTING),
    lists: noiseOf(lists, LISTING),
    async pushes(seconds) {
      const load = { origin, requests, connections: PUSHING, seconds, status: 201 };
      const run = randomBytes(4).toString('hex');
      const { answered, errors } = await loader.run({ ...load, run, nice: 19 }, site.workDir);
      return { statuses: { 201: answered, other: errors }, bytes: 0 };
    },
  };
}

const emptyWindow = (): SteadyWindow => ({ read: [], push: [], errors: {} });

function add(sum: SteadyWindow, { read, push, errors }: SteadyWindow): void {
  sum.read.push(...read);
  sum.push.push(...push);
  for (const [what, count] of Object.entries(errors)) sum.errors[what] = (sum.errors[what] ?? 0) + count;
}

function sumOf(made: readonly NoiseMade[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { statuses } of made)
    for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}

const pause = (ms: number) => new Promise((later) => setTimeout(later, ms));
const sorted = (times: SteadyWindow[SteadyKind]) => Float64Array.from(times).sort();
const p99 = (times: number[]) => percentile(sorted(times), 0.99);
const p50 = (times: number[]) => percentile(sorted(times), 0.5);
