import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../db/pool/semaphore.ts';
import {
  createListPermits,
  type ListPermits,
  type ListPermitsOptions,
} from '../../lib/fair-share/list-permits.ts';

describe('whole lists', () => {
  const permitsFor = (count: number, options: ListPermitsOptions) =>
    createListPermits(createSemaphore(Array<true>(count).fill(true), options), options);

  /** Reads a list, with rows waiting for it all the time. */
  async function read(permits: ListPermits, bytesPerSecond: number) {
    const began = performance.now();
    const waited = () => performance.now() - began;
    const taken = () => (waited() / 1_000) * bytesPerSecond;
    const reader = { taken, waited, broken: 0, breakOff: () => {} };
    const leave = await permits.enter(reader);
    reader.breakOff = () => {
      reader.broken++;
      leave();
    };
    return Object.assign(reader, { leave });
  }

  it('give way to others when their reader is slow, the slowest first', async () => {
    const permits = permitsFor(3, { timeoutMs: 5_000, slowMs: 200 });
    const readers = [
      await read(permits, 1_000_000),
      await read(permits, 100_000),
      await read(permits, 50_000),
    ];
    const broken = () => readers.map((reader) => reader.broken);
    await sleep(400);
    expect(broken()).toEqual([0, 0, 0]);
    await read(permits, 1_000_000);
    expect(broken()).toEqual([0, 0, 1]);
    for (const { leave } of readers) leave();
  });

  it('give way to others when they have been read for long, unless their reader is fast', async () => {
    const permits = permitsFor(2, { timeoutMs: 5_000, slowMs: 100, longMs: 400 });
    const began = performance.now();
    const fast = await read(permits, 4_000_000);
    const slower = await read(permits, 1_000_000);
    await read(permits, 4_000_000);
    expect(performance.now() - began).toBeGreaterThanOrEqual(400);
    expect([fast.broken, slower.broken]).toEqual([0, 1]);
    fast.leave();
  });

  it('do not give way when it is the database that is slow', async () => {
    const permits = permitsFor(1, { timeoutMs: 500, slowMs: 100 });
    const reader = await permits.enter({
      taken: () => 0,
      waited: () => 0,
      breakOff: () => expect.unreachable(),
    });
    await expect(read(permits, 0)).rejects.toThrow('no permit within 500 ms');
    reader();
  });

  it('come to their end, also when all readers are slower than the database and there are too many', async () => {
    const permits = permitsFor(2, { timeoutMs: 300, slowMs: 100 });
    let [done, broken] = [0, 0];
    const until = performance.now() + 2_000;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (performance.now() < until) {
          const reader = await read(permits, 1_000_000).catch(() => undefined);
          if (!reader) continue;
          await sleep(400);
          if (reader.broken) broken++;
          else done++;
          reader.leave();
        }
      }),
    );
    expect(done).toBeGreaterThan(4);
    expect(broken).toBe(0);
  });

  it('refuse who comes when there are too many', async () => {
    const permits = permitsFor(1, { timeoutMs: 50 });
    await read(permits, 0);
    await expect(read(permits, 0)).rejects.toThrow('no permit within 50 ms');
  });
});
