import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { RETRY_DELAYS_S } from '../lib/client/retry.ts';
import { spawnAdmin } from '../tests/support/admin/command.ts';
import {
  createClient,
  createOrg,
  createScan,
  finding,
  push,
  type TestOrg,
} from '../tests/support/api/client.ts';
import { NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { BASE_DOMAIN, byHost, type CellsSite, hasHaproxy, startCells } from './support/cells.ts';

/** One of three moves is killed at a random time and repeated. */
const KILLED = 3;
const KILL_WITHIN_MS = 4_000;

interface Counts {
  /** Fingerprints of answered pushes. */
  pushed: string[];
  /** Pushes that failed in spite of all repeats. */
  errors: string[];
  /** Why pushes were repeated, and how often. */
  repeats: Map<string, number>;
  slowest: number;
}

export const cells = scenario({
  summary:
    'organizations moved between two cells and back behind HAProxy, while agents push: no error after repeats, nothing lost or counted twice',
  options: { rounds: 3, findings: 2_000, agents: 4 },
  minutes: 30,
  async run(scene, { rounds, findings, agents }) {
    const { site } = scene;
    if (!(await hasHaproxy())) {
      site.say('  skipped: HAProxy is not installed');
      return [];
    }
    const proxied = await startCells(scene);
    const api = createClient(byHost, proxied.url);
    const moving = await createOrg(api);
    const staying = await createOrg(api);
    const scans = { moving: await createScan(api, moving), staying: await createScan(api, staying) };
    await push(api, moving, scans.moving);
    await copyFinding(proxied, moving, findings);

    const stop = new AbortController();
    const newCounts = (): Counts => ({ pushed: [], errors: [], repeats: new Map(), slowest: 0 });
    const [moved, others] = [newCounts(), newCounts()];
    const work = [
      ...Array.from({ length: agents }, () => pushUntil(stop.signal, proxied, moving, scans.moving, moved)),
      pushUntil(stop.signal, proxied, staying, scans.staying, others),
    ];
    const pauses: number[] = [];
    const totals: number[] = [];
    for (let move = 0; move < 2 * rounds; move++) {
      await sleep(1_000);
      const began = performance.now();
      const pause = await moveOnce(proxied, moving, move, (text) => site.say(`  ${text}`));
      totals.push(performance.now() - began);
      if (pause !== null) pauses.push(pause);
      site.say(`  move ${move + 1}: ${Math.round(totals.at(-1) ?? 0)} ms, paused for ${pause} ms`);
    }
    await sleep(1_000);
    stop.abort();
    await Promise.all(work);

    for (const error of [...moved.errors, ...others.errors].slice(0, 5)) site.say(`  given up: ${error}`);
    for (const [name, { repeats }] of Object.entries({ moved, others }))
      for (const [reason, count] of repeats) site.say(`  ${name}, repeated ${count} times: ${reason}`);
    const first = await rowsOf(proxied, moving);
    const lost = moved.pushed.filter((fingerprint) => !first.has(fingerprint));
    const twice = moved.pushed.filter((fingerprint) => (first.get(fingerprint) ?? 0) > 1);
    const second = await rowsOf(proxied, staying);
    return [
      { name: 'pushes', value: moved.pushed.length, aim: { atLeast: 1 } },
      { name: 'repeats', value: repeatsOf(moved) },
      { name: 'errors after repeats', value: moved.errors.length, aim: NONE },
      { name: 'findings lost', value: lost.length, aim: NONE },
      { name: 'findings counted twice', value: twice.length, aim: NONE },
      { name: 'pause ms, median', value: median(pauses) },
      { name: 'pause ms, longest', value: Math.max(...pauses), aim: { atMost: 10_000 } },
      { name: 'move ms, median', value: median(totals) },
      { name: 'slowest push ms, with repeats', value: moved.slowest },
      { name: 'pushes of another organization', value: others.pushed.length, aim: { atLeast: 1 } },
      { name: '… repeated or failed', value: repeatsOf(others) + others.errors.length, aim: NONE },
      { name: '… lost', value: others.pushed.filter((name) => !second.has(name)).length, aim: NONE },
    ];
  },
});

/** Moves the organization to the other cell by the command, and lets the proxy follow. @returns the pause; null after a crash */
async function moveOnce(
  { cells: [one, two], route }: CellsSite,
  { slug }: TestOrg,
  move: number,
  say: (text: string) => void,
): Promise<number | null> {
  const [from, to] = move % 2 === 0 ? [one, two] : [two, one];
  const args = ['orgs', 'move', slug, '--to', to.name, '--on-served', 'echo served >&2'];
  const env = { SVC_MOVE_TARGET_URL: to.databaseUrl, SVC_CELLS_URL: from.cellsUrl, SVC_CELL: from.name };
  const run = () => {
    const started = spawnAdmin(from.databaseUrl, args, env);
    started.child.stderr?.on('data', (text) => {
      if (String(text).includes('served')) void route(`${slug}.${BASE_DOMAIN}`, to.name);
    });
    return started;
  };
  if (move % KILLED === KILLED - 1) {
    const { child, ended } = run();
    const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * KILL_WITHIN_MS);
    const { code, out } = await ended;
    clearTimeout(timer);
    say(code === null ? 'killed' : 'ended before it was killed');
    if (code === 0) return pauseOf(out, say);
  }
  const { code, out, err } = await run().ended;
  if (code === 0) return pauseOf(out, say);
  if (!err.includes('has moved to')) throw new Error(`the organization was not moved: ${err}`);
  return null;
}

/** Shows the parts of a move. @returns the pause; null if an earlier command has begun it */
function pauseOf(out: string, say: (text: string) => void): number | null {
  for (const line of out.split('\n')) if (/^(compared|paused|writes go on)/.test(line)) say(line);
  const pause = /took no changes for (\d+) ms/.exec(out)?.[1];
  return pause === undefined ? null : Number(pause);
}

const repeatsOf = ({ repeats }: Counts): number =>
  [...repeats.values()].reduce((sum, count) => sum + count, 0);

/** Pushes one finding after another, each again as agents do. */
async function pushUntil(
  signal: AbortSignal,
  { url }: CellsSite,
  org: TestOrg,
  scan: string,
  counts: Counts,
): Promise<void> {
  const api = createClient(byHost, url);
  while (!signal.aborted) {
    const fingerprint = `agent-${randomBytes(6).toString('hex')}`;
    const began = performance.now();
    for (let attempt = 0; ; attempt++) {
      const answer = await api
        .post('/agent/findings', { ...org.asAgent, body: finding(org, scan, { fingerprint }) })
        .catch((error: Error) => ({ status: 599, text: error.message, error: error.message }));
      if (answer.status < 300) {
        counts.pushed.push(fingerprint);
        break;
      }
      const delay = RETRY_DELAYS_S[attempt];
      if (answer.status < 500 || delay === undefined) {
        counts.errors.push(`${answer.status}: ${answer.text}`);
        break;
      }
      const reason = `${answer.status} ${answer.error ?? answer.text.slice(0, 200)}`;
      counts.repeats.set(reason, (counts.repeats.get(reason) ?? 0) + 1);
      await sleep(delay * 1_000 * (0.75 + Math.random() / 2));
    }
    counts.slowest = Math.max(counts.slowest, performance.now() - began);
    await sleep(5);
  }
}

/** Copies the finding of the organization, so that there is something to move. */
async function copyFinding({ cells: [one] }: CellsSite, { id }: TestOrg, count: number): Promise<void> {
  const database = openDatabase({ url: one.databaseUrl, max: 1, statementMs: 0 });
  const table = `"${orgSchemaName(id)}".findings`;
  await database.sql.unsafe(`
    insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(f) || jsonb_build_object(
      'id', gen_random_uuid(), 'fingerprint', 'copy-' || i, 'description', repeat('x', 1000)))).*
    from ${table} f, generate_series(1, ${count}) i`);
  await database.close();
}

/** How often each finding was seen, in the cell that has the organization. */
async function rowsOf({ cells }: CellsSite, { id }: TestOrg): Promise<Map<string, number>> {
  for (const { databaseUrl } of cells) {
    const database = openDatabase({ url: databaseUrl, max: 1 });
    try {
      const served = await database.sql.unsafe(`select 1 from shared.orgs where id = '${id}'`);
      if (served.length === 0) continue;
      const rows = await database.sql.unsafe<{ fingerprint: string; seen_count: number }[]>(
        `select fingerprint, seen_count from "${orgSchemaName(id)}".findings`,
      );
      return new Map(rows.map((row) => [row.fingerprint, row.seen_count]));
    } finally {
      await database.close();
    }
  }
  throw new Error('no cell has the organization');
}
