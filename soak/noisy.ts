import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, must } from '../tests/support/api/client.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import {
  asAgent,
  asMember,
  download,
  pushOf,
  readOf,
  type WireRequest,
  wire,
} from '../tests/support/http/requests.ts';
import { type Load, MARK, type Sent, type Stream, startLoad } from '../tests/support/load/load.ts';
import { type Figure, figureOf, NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import { median, percentile, sum } from '../tests/support/scenario/stats.ts';

/** Findings of the organization that must not be affected. */
const OWN_FINDINGS = 10_000;
const BYTES = 1_000;
const KINDS = ['read', 'push'] as const;
const PER_SECOND = { read: 100, push: 50 };
/** The number of clients of each kind of noise. */
const CLIENTS = {
  searches: 40,
  exports: 9,
  lists: 9,
  pushes: 100,
  reports: 20,
  storage: 6,
  rules: 20,
  comments: 20,
};
/** The longest description of a finding that needs no escapes. */
const LONGEST = 100_000;
const REPORT_FINDINGS = 200;
const SEARCHES = 21;
const REST_MS = 1_000;
const WARM_UP_S = 3;

type Part = keyof typeof CLIENTS;
const ATTACKS: { name: string; parts: Part[] }[] = [
  { name: 'searches', parts: ['searches'] },
  { name: 'exports', parts: ['exports'] },
  { name: 'lists', parts: ['lists'] },
  { name: 'pushes', parts: ['pushes'] },
  { name: 'reports', parts: ['reports'] },
  { name: 'storage', parts: ['storage'] },
  { name: 'rules', parts: ['rules'] },
  { name: 'comments', parts: ['comments'] },
  {
    name: 'all of it',
    parts: ['searches', 'exports', 'lists', 'pushes', 'reports', 'storage', 'rules', 'comments'],
  },
];

export const noisy = scenario({
  summary:
    'an organization of 1,000,000 findings sends every kind of expensive request: another one is not affected',
  options: { rows: 1_000_000, rounds: 5, seconds: 10 },
  minutes: 30,
  async run(scene, { rows, rounds, seconds }) {
    if (seconds < WARM_UP_S + 2) throw new Error(`--seconds: at least ${WARM_UP_S + 2}`);
    const { site } = scene;
    await warnOfSessions(site.say);
    const server = await scene.server();
    const { url } = server;
    const loud = await scene.seed(server, { findings: rows, bytes: BYTES });
    const quiet = await scene.seed(server, { findings: OWN_FINDINGS, bytes: BYTES });
    const figures = await measureSearches(url, loud);
    for (const { name, value } of figures) site.say(`  ${name}: ${value.toFixed(0)}`);
    // Dirty pages of the seed are written now, not during the measurement.
    await (await scene.database()).checkpoint();
    const load = steadyLoad(url, quiet);
    const observe = (seconds: number) => startLoad({ ...load, seconds }).result;
    await observe(5);
    const noises = noisesOf(url, loud, await createRule(url, loud));
    for (const { name, parts } of ATTACKS) {
      const calm: Window[] = [];
      const busy: Window[] = [];
      const attacked: Window[] = [];
      const answers: Record<string, number> = {};
      for (let round = 0; round < rounds; round++) {
        calm.push(await observe(seconds));
        const end = keepProcessorBusy();
        site.onClose(end);
        busy.push(await observe(seconds));
        await end();
        // A process for each part: one alone is kept busy by the responses.
        const noise = parts.map((part) =>
          startLoad({
            url,
            streams: { [part]: noises[part] },
            seconds: seconds + 1,
            breaksOff: true,
            priority: 'last',
          }),
        );
        for (const { kill } of noise) site.onClose(kill);
        // Their start takes processor time, which is none of the service's.
        await Promise.all(noise.map(({ reached }) => reached()));
        await sleep(REST_MS);
        attacked.push(await observe(seconds - 1));
        for (const { result } of noise) {
          for (const { times, others } of Object.values(await result)) {
            addTo(answers, { ok: times.length, ...others });
          }
        }
        await sleep(REST_MS);
      }
      for (const kind of KINDS) {
        const p99 = (window: Window) => percentile(timesOf(window, kind), 0.99);
        const noisy = figureOf({ ours: attacked, limit: calm }, p99);
        const beside = figureOf({ ours: busy, limit: calm }, p99);
        const [before, after] = [calm, attacked].map((windows) =>
          median(windows.map((window) => percentile(timesOf(window, kind), 0.5))).toFixed(1),
        );
        site.say(`  ${name}: ${kind} p50 ms ${before} -> ${after}, p99 ms ${textOf(noisy.rounds)}`);
        figures.push(
          {
            name: `${name}: ${kind} p99 ms`,
            ...{ ...noisy, limitedBy: 'the same without noise', aim: { atMost: 3 } },
          },
          { name: '  and beside one busy processor', ...beside, limitedBy: 'the same alone' },
        );
      }
      site.say(`  ${name}: answered ${JSON.stringify(answers)}`);
      const errors: Record<string, number> = {};
      for (const window of [...calm, ...busy, ...attacked])
        for (const kind of KINDS) addTo(errors, window[kind].others);
      if (Object.keys(errors).length > 0) site.say(`  ${name}: errors of others ${JSON.stringify(errors)}`);
      figures.push({ name: `${name}: errors of others`, value: sum(Object.values(errors)), aim: NONE });
    }
    return figures;
  },
});

/**
 * The senders have priorities of their own. Where Linux divides processor time between sessions first, see sched(7), these take
 * it from the server, which is in the same session, instead of from PostgreSQL.
 */
async function warnOfSessions(say: (line: string) => void): Promise<void> {
  const setting = await readFile('/proc/sys/kernel/sched_autogroup_enabled', 'utf8').catch(() => '0');
  if (setting.trim() === '0') return;
  say(
    '  kernel.sched_autogroup_enabled is on: the server waits for processors longer than it would elsewhere',
  );
}

/**
 * Keeps one processor busy with a process that only computes: what others notice of the machine alone, because the expensive
 * work of one organization may take as much. @returns a function that ends the process
 */
function keepProcessorBusy(): () => Promise<void> {
  const child = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await exited;
  };
}

type Window = Record<(typeof KINDS)[number], Sent>;

/**
 * Without the first seconds: the process that sends is compiled, at a priority above the service's. Beside noise, that alone delayed
 * requests by up to 200 ms.
 */
const timesOf = (window: Window, kind: keyof Window): Float64Array =>
  window[kind].times.slice(WARM_UP_S * PER_SECOND[kind]);

/** Such as `9.6 -> 11.0, 9.1 -> 12.4`. */
const textOf = ({ values, limits = [] }: NonNullable<Figure['rounds']>): string =>
  values.map((value, i) => `${limits[i]?.toFixed(1)} -> ${value.toFixed(1)}`).join(', ');

function addTo(counts: Record<string, number>, more: Record<string, number>): void {
  for (const [what, count] of Object.entries(more)) counts[what] = (counts[what] ?? 0) + count;
}

/** Searches for a page and the total, one after the other. */
async function measureSearches(url: string, org: SeededOrg): Promise<Figure[]> {
  const words = {
    'a selective word': 'handler-1008',
    'two words': 'module-13/ 99999',
    'a word in all': 'injection',
  };
  const figures: Figure[] = [];
  for (const [name, q] of Object.entries(words)) {
    const times: number[] = [];
    for (let i = 0; i < SEARCHES; i++) {
      const { status, total } = await download(url, searchOf(org, q));
      if (status !== 200) throw new Error(`a search was answered ${status}`);
      times.push(total);
    }
    const aim = name === 'a word in all' ? {} : { aim: { atMost: 300 } };
    figures.push({ name: `search, ${name}: ms`, value: median(times), ...aim });
  }
  return figures;
}

const searchOf = (org: SeededOrg, q: string): WireRequest =>
  readOf(org, `/findings?page=1&per_page=50&q=${encodeURIComponent(q)}`);

function steadyLoad(url: string, org: SeededOrg): Load<keyof Window> {
  const reads = org.findingIds.map((id) => wire(url, readOf(org, `/findings/${id}`)));
  return {
    url,
    streams: {
      read: { requests: reads, status: 200, perSecond: PER_SECOND.read },
      push: { requests: [pushTo(url, org)], status: 201, perSecond: PER_SECOND.push },
    },
    // Clients have machines of their own: their waiting for a processor is no delay of the service.
    priority: 'first',
  };
}

const pushTo = (url: string, org: SeededOrg): string =>
  wire(url, pushOf(org, org.scanIds[0], { fingerprint: MARK, description: `${MARK} `.padEnd(300, 'x') }));

/** As many characters as the patterns of an organization may have, all different within a pattern. The mark makes each rule new. */
const EXPENSIVE_PATTERNS = Array.from({ length: 39 }, (_, i) => {
  const characters = Array.from({ length: 210 }, (_, at) => String.fromCodePoint(0x4e00 + i + at)).join('');
  return `*${characters}*${i === 0 ? MARK : i}`;
});
const RULE = { conditions: { path: EXPENSIVE_PATTERNS }, actions: { status: 'wontfix' } };
/** The longest comment: openings of mentions and code that never end. */
const EXPENSIVE_COMMENT = '`@[``'.repeat(2_000);

/** @returns the id of a rule with these patterns */
async function createRule(url: string, org: SeededOrg): Promise<string> {
  const body = { ...RULE, name: 'Noise', enabled: true };
  return must(await createClient(fetch, url).post('/rules', { ...org.asOwner, body })).id;
}

function noisesOf(url: string, org: SeededOrg, ruleId: string): Record<Part, Stream> {
  const stream = (part: Part, requests: WireRequest[]): Stream => ({
    ...{ requests: requests.map((request) => wire(url, request)), status: 200, connections: CLIENTS[part] },
  });
  const lists = (...queries: string[]) => queries.map((query) => readOf(org, `/findings${query}`));
  const words = ['injection', 'in', 'handler-1008', 'module-13/ 99999', 'sql e', 'no such word'];
  return {
    searches: stream(
      'searches',
      words.map((q) => searchOf(org, q)),
    ),
    exports: stream('exports', lists('?format=csv', '?format=sarif', '?q=e&format=csv')),
    lists: stream('lists', lists('', '?sort=last_seen_at', '?q=injection')),
    pushes: { requests: [pushTo(url, org)], status: 201, connections: CLIENTS.pushes },
    // Reports beyond the share of the account get 429.
    reports: {
      requests: [
        wire(url, {
          ...{ method: 'POST', path: `/agent/reports?project_id=${org.projectId}`, headers: asAgent(org) },
          body: {
            findings: Array.from({ length: REPORT_FINDINGS }, (_, i) => ({
              title: `Finding ${i}`,
              severity: 'low',
            })),
          },
        }),
      ],
      status: 201,
      connections: CLIENTS.reports,
    },
    storage: {
      requests: [
        wire(
          url,
          pushOf(org, org.scanIds[0], { fingerprint: MARK, description: `${MARK} `.padEnd(LONGEST, 'x') }),
        ),
      ],
      status: 201,
      connections: CLIENTS.storage,
    },
    // Each change makes the next push prepare the patterns anew. Pushes are answered 201, which counts as another outcome.
    rules: stream('rules', [
      { method: 'PATCH', path: `/rules/${ruleId}`, headers: asMember(org), body: RULE },
      pushOf(org, org.scanIds[0], { fingerprint: MARK, file: EXPENSIVE_PATTERNS[1] }),
      { method: 'POST', path: '/rules/preview', headers: asMember(org), body: RULE },
    ]),
    comments: {
      ...stream(
        'comments',
        // The last one does not exist.
        [...org.findingIds.slice(0, 9), '00000000-0000-7000-8000-000000000000'].map((id) => ({
          ...{ method: 'POST', path: `/findings/${id}/comments`, headers: asMember(org) },
          body: { body: EXPENSIVE_COMMENT },
        })),
      ),
      status: 201,
    },
  };
}
