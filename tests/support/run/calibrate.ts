import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Test files that run at the same time. */
export const WORKERS = 6;

/** Enough to keep both cores of the reference machine busy. */
const THREADS = 3;

/**
 * How long {@link measureMs} takes on the reference machine, two cores of a shared virtual machine with nothing else to do:
 * the shortest of 30 calls. All limits and expected durations are stated for that machine.
 */
const REFERENCE_MS = 560;
const MAX_SLOWNESS = 10;

/** The work of a thread: parsing, sorting and text, as in most of the suite's own work. */
const WORK = `
const { createHash } = require('node:crypto');
const rows = Array.from({ length: 400 }, (_, i) => ({ id: i * 7919 % 400, title: 'finding ' + i, tags: ['a', 'b', String(i)] }));
for (let round = 0, kept = ''; round < 500; round++) {
  const parsed = JSON.parse(JSON.stringify(rows));
  parsed.sort((a, b) => a.id - b.id);
  kept = createHash('sha256').update(kept + parsed.map(({ title }) => title.replace(/\\d+/g, (n) => n * 2)).join()).digest('hex');
}
`;

/** Runs a fixed amount of work in each of a few threads. */
async function measureMs(): Promise<number> {
  const began = performance.now();
  const threads = Array.from({ length: THREADS }, () => new Worker(WORK, { eval: true }));
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  return performance.now() - began;
}

/**
 * How many times slower than the reference machine this one is at the moment, other processes' load included: 1 to 10.
 * `SVC_TEST_SLOWNESS` sets it instead.
 */
export async function measureSlowness(given = process.env.SVC_TEST_SLOWNESS): Promise<number> {
  if (given) return toSlowness(Number(given));
  return toSlowness((await measureMs()) / REFERENCE_MS);
}

function toSlowness(value: number): number {
  if (Number.isNaN(value)) throw new Error('SVC_TEST_SLOWNESS must be a number, such as 2.5');
  return Math.round(Math.min(Math.max(value, 1), MAX_SLOWNESS) * 10) / 10;
}
