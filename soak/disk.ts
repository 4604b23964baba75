import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { isUnavailable } from '../db/errors.ts';
import { orgMigrations } from '../drizzle/migrations.ts';
import { type Api, createClient, createScan, finding } from '../tests/support/api/client.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import type { Site } from '../tests/support/scenario/site.ts';
import { sum } from '../tests/support/scenario/stats.ts';
import { embeddedUrl } from './support/victim.ts';
import { findHalves } from './support/wholeness.ts';
import { findLost, type Ledger, openLedger, write } from './support/writers.ts';

const run = promisify(execFile);

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(8 * MIB, 0xff);
/** Load before, between and after the faults. */
const CALM_MS = 3_000;
const FULL_MS = 8_000;
const BACK_WITHIN_MS = 60_000;
const FORCE_WITHIN_MS = 30_000;

/**
 * How the disk fills. With `greedy`, space that becomes free is taken, too, while the disk is full; with `forced`,
 * another client writes until PostgreSQL exits because it has no room for its log.
 */
const WAYS = [
  { name: 'slowly', pauseMs: 50, greedy: false, forced: false },
  { name: 'at once', pauseMs: 0, greedy: false, forced: false },
  { name: 'to the last byte', pauseMs: 0, greedy: true, forced: false },
  { name: 'until PostgreSQL ends', pauseMs: 0, greedy: true, forced: true },
] as const;

export const disk = scenario({
  summary:
    'fills the disk of the embedded database under load: writes fail clearly, reads go on, it recovers when space is back',
  options: { megabytes: 1024, rounds: 2 },
  minutes: 15,
  async run(scene, { megabytes, rounds }): Promise<Figure[]> {
    const { site } = scene;
    const dir = await mountDisk(site, megabytes);
    if (!dir) return [];
    const server = await scene.server({ databaseUrl: 'embedded', env: { SVC_DATA_DIR: dir } });
    const api = createClient((request) => fetch(request), server.url);
    const ledger = await openLedger(api);
    const scanId = await createScan(api, ledger.org);
    const over = new AbortController();
    const reads = createReaders(api, ledger);
    const working = Promise.all([
      write(api, ledger, { signal: over.signal, patient: true }),
      ...reads.run(over.signal),
    ]);
    await sleep(CALM_MS);

    const figures: Figure[] = [];
    for (const way of WAYS) {
      const backMs: number[] = [];
      const failedReads: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const failedBefore = reads.failed;
        const refusedBefore = new Map(ledger.refused);
        const filler = fill(join(dir, 'filler'), way.pauseMs, way.greedy);
        await filler.full;
        if (way.forced) await writeUntilItEnds(dir);
        await sleep(FULL_MS);
        failedReads.push(reads.failed - failedBefore);
        await filler.remove();
        backMs.push(await untilWritten(api, ledger, scanId));
        const refused = [...ledger.refused].map(
          ([message, n]) => `${n - (refusedBefore.get(message) ?? 0)} × "${message}"`,
        );
        site.say(
          `  ${way.name}: writes after ${backMs.at(-1)} ms, ${failedReads.at(-1)} reads failed; ${refused.join(', ')}`,
        );
        await sleep(CALM_MS);
      }
      figures.push(
        {
          name: `filled ${way.name}: first write after there is space, ms`,
          value: Math.max(...backMs),
          aim: { atMost: 3_000 },
          rounds: { values: backMs },
        },
        {
          name: `filled ${way.name}: reads that failed`,
          value: Math.max(...failedReads),
          rounds: { values: failedReads },
          ...(!way.greedy && { aim: NONE }),
        },
      );
    }
    over.abort();
    await working;

    const lost = await findLost(api, ledger);
    const sql = postgres(await embeddedUrl(dir), { max: 1, onnotice: () => {} });
    const whole = { version: orgMigrations.length, counted: [ledger.org.id] };
    const halves = await findHalves(sql, whole).finally(() => sql.end());
    const faults = [...lost, ...Object.values(halves).flat(), ...ledger.unexpected];
    for (const fault of faults) site.say(`  ${fault}`);
    const refused = sum(ledger.refused.values());
    return [
      ...figures,
      { name: 'reads', value: reads.answered },
      { name: 'writes answered', value: ledger.answered },
      { name: 'writes refused as unavailable', value: refused, aim: { atLeast: 1 } },
      { name: 'writes lost', value: lost.length, aim: NONE },
      { name: 'half writes', value: Object.values(halves).flat().length, aim: NONE },
      { name: 'writes refused in another way', value: ledger.unexpected.length, aim: NONE },
    ];
  },
});

/** @returns undefined where this process may not mount */
async function mountDisk(site: Site, megabytes: number): Promise<string | undefined> {
  const dir = join(site.workDir, 'disk');
  await mkdir(dir);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir]);
  } catch (error) {
    site.say(
      `SKIPPED: a small disk cannot be mounted here, which takes root on Linux (${(error as Error).message.trim()})`,
    );
    return undefined;
  }
  site.onClose(() => run('umount', ['--lazy', dir]));
  return dir;
}

/** Writes into the log of the database; returns when the database has exited. */
async function writeUntilItEnds(dir: string): Promise<void> {
  const sql = postgres(await embeddedUrl(dir), { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe('set default_transaction_read_only = off');
    for (const deadline = Date.now() + FORCE_WITHIN_MS; Date.now() < deadline; ) {
      // To the log only: there is no table that would have to grow.
      await sql.unsafe(
        `select pg_logical_emit_message(false, 'soak', repeat('x', 1000000)) from generate_series(1, 20)`,
      );
    }
    throw new Error('the database has not run out of space');
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Writes a file until the disk is full. */
function fill(file: string, pauseMs: number, greedy: boolean) {
  let removed = false;
  let filled = () => {};
  const full = new Promise<void>((resolve) => {
    filled = resolve;
  });
  const done = (async () => {
    const handle = await open(file, 'w');
    try {
      while (!removed) {
        const size = await handle.write(CHUNK).then(
          ({ bytesWritten }) => bytesWritten,
          () => 0,
        );
        if (size === CHUNK.length) {
          await sleep(pauseMs);
          continue;
        }
        filled();
        if (!greedy) return;
        await sleep(20);
      }
    } finally {
      await handle.close();
    }
  })();
  return {
    full,
    async remove() {
      removed = true;
      await done;
      await rm(file);
    },
  };
}

/** Reading members and agents, and the probe. */
function createReaders(api: Api, { org }: Ledger) {
  const reads = [
    () => api.get('/findings?per_page=20', org.asOwner),
    () => api.get('/dashboard/stats', org.asOwner),
    () => api.get('/auth/me', { cookie: org.owner.cookie }),
    () => api.get(`/agent/findings?project_id=${org.projectId}&per_page=20`, org.asAgent),
    () => api.get('//healthz'),
  ];
  const readers = {
    answered: 0,
    failed: 0,
    run: (signal: AbortSignal) =>
      reads.map(async (read) => {
        while (!signal.aborted) {
          const status = await read().then(
            (answer) => answer.status,
            () => 0,
          );
          if (status === 200) readers.answered++;
          else readers.failed++;
          await sleep(10);
        }
      }),
  };
  return readers;
}

/** Pushes until one succeeds. @returns milliseconds */
async function untilWritten(api: Api, { org }: Ledger, scanId: string): Promise<number> {
  const began = Date.now();
  while (Date.now() - began < BACK_WITHIN_MS) {
    const body = finding(org, scanId);
    const answer = await api.post('/agent/findings', { ...org.asAgent, body }).catch(() => undefined);
    if (answer?.status === 201) return Date.now() - began;
    await sleep(10);
  }
  return Number.POSITIVE_INFINITY;
}
