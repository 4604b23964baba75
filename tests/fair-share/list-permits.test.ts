import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSemaphore } from '../../db/pool/semaphore.ts';
import { createListPermits, type ListPermits } from '../../lib/fair-share/list-permits.ts';

/* How the readers of whole lists give way to each other. The clock is a fake one. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const permitsFor = (total: number) => createListPermits(createSemaphore({ total, timeoutMs: 10_000 }));

/** Reads a list, with rows waiting for it all the time. */
async function read(permits: ListPermits, kibPerSecond: number, waits = true) {
  const began = performance.now();
  const ms = () => performance.now() - began;
  let isBrokenOff = false;
  const reader = {
    taken: () => (ms() / 1_000) * kibPerSecond * 1_024,
    waited: () => (waits ? ms() : 0),
    breakOff() {
      isBrokenOff = true;
      leave();
    },
  };
  const leave = await permits.enter(reader);
  return { leave, isBrokenOff: () => isBrokenOff };
}

/** Whether a further list gets a permit before it is refused. */
async function admits(permits: ListPermits): Promise<boolean> {
  const next = read(permits, 1_000).then(
    ({ leave }) => leave(),
    ({ code }) => code,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  return (await next) === undefined;
}

describe('whole lists', () => {
  it('give way to others when their reader is slow, the slowest first', async () => {
    const permits = permitsFor(3);
    const readers = [await read(permits, 1_000), await read(permits, 100), await read(permits, 50)];
    await vi.advanceTimersByTimeAsync(5_000);
    expect(readers.map(({ isBrokenOff }) => isBrokenOff())).toEqual([false, false, false]);
    expect(await admits(permits)).toBe(true);
    expect(readers.map(({ isBrokenOff }) => isBrokenOff())).toEqual([false, false, true]);
    for (const { leave } of readers) leave();
  });

  it('give way to others when they have been read for minutes, unless their reader is fast', async () => {
    const permits = permitsFor(2);
    const [fast, slower] = [await read(permits, 4_000), await read(permits, 1_000)];
    await vi.advanceTimersByTimeAsync(3 * 60_000);
    expect(await admits(permits)).toBe(false);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(await admits(permits)).toBe(true);
    expect([fast.isBrokenOff(), slower.isBrokenOff()]).toEqual([false, true]);
    fast.leave();
  });

  it.each([
    ['the database that is slow', 0, false],
    ['a reader of an ordinary speed', 300, true],
  ])('do not give way to %s, and refuse the next one', async (_, kibPerSecond, waits) => {
    const permits = permitsFor(1);
    const { leave, isBrokenOff } = await read(permits, kibPerSecond, waits);
    expect(await admits(permits)).toBe(false);
    expect(isBrokenOff()).toBe(false);
    leave();
  });
});
