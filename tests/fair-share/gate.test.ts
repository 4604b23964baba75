import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OVER_SHARE, type Sharer } from '../../db/pool/semaphore.ts';
import { createGate, type Gate, REQUESTS_AT_ONCE } from '../../lib/fair-share/gate.ts';
import { createWorkPermits } from '../../lib/fair-share/permits.ts';
import { runExpensive } from '../../lib/http/lists/search.ts';

/* How accounts share the requests in progress. The clock is a fake one. */

const REQUEST_MS = 5;

const sleep = (ms: number) => new Promise<void>((over) => setTimeout(over, ms));
const ONE: Sharer = { id: 'one' };
const TWO: Sharer = { id: 'two' };

let gate: Gate;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  gate = createGate();
});
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function request(org: Sharer, ms = REQUEST_MS): Promise<void> {
  const leave = gate.tryEnter(org) ?? (await gate.enter(org));
  await sleep(ms);
  leave();
}

/** Sends requests of both organizations until the returned function is called. */
function keepShared() {
  const timer = setInterval(() => {
    for (const org of [ONE, TWO]) request(org).catch(() => {});
  }, 100);
  return () => clearInterval(timer);
}

/** Sends requests at the same time. @returns how many are in progress before the first one is answered */
async function inProgress(org: Sharer, count: number, bodyBytes = 0): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < count; i++)
    void gate.enter(org, { bodyBytes }).then(async (leave) => {
      admitted++;
      await sleep(REQUEST_MS);
      leave();
    });
  await vi.advanceTimersByTimeAsync(REQUEST_MS - 1);
  return admitted;
}

describe('requests in progress', () => {
  it('of an organization have no limit while it is alone', async () => {
    expect(await inProgress(ONE, 100)).toBe(100);
  });

  it('are limited while another organization is active, and no longer half a second later', async () => {
    void request(TWO);
    expect(await inProgress(ONE, 100)).toBe(REQUESTS_AT_ONCE);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await inProgress(ONE, 100)).toBe(100);
  });

  it.each([
    { bodyBytes: 4_000, atOnce: 8 },
    { bodyBytes: 10_000, atOnce: 2 },
    { bodyBytes: 8_000_000, atOnce: 2 },
    { bodyBytes: Number.POSITIVE_INFINITY, atOnce: 2 },
  ])('count by the length of their bodies: $atOnce of $bodyBytes bytes', async ({ bodyBytes, atOnce }) => {
    void request(TWO);
    expect(await inProgress(ONE, 10, bodyBytes)).toBe(atOnce);
    await vi.advanceTimersByTimeAsync(1_000);
  });

  it('count together for the organizations of an account, which are admitted in turn', async () => {
    const orgs = Array.from({ length: 20 }, (_, i) => ({ id: `org ${i}`, account: 'one' }));
    const order: string[] = [];
    const send = async (org: Sharer) => {
      await gate.enter(org).then((leave) => sleep(REQUEST_MS).then(() => leave()));
      order.push(org.id);
    };
    const [first, ...others] = orgs as [Sharer, ...Sharer[]];
    await gate.enter({ ...TWO }).then((leave) => leave());
    const all = [...Array.from({ length: 2 * REQUESTS_AT_ONCE }, () => first), ...others].map(send);
    await vi.advanceTimersByTimeAsync(REQUEST_MS);
    expect(order).toHaveLength(REQUESTS_AT_ONCE);
    await vi.advanceTimersByTimeAsync(REQUEST_MS);
    // One of the first organization, then one of each.
    expect(new Set(order.slice(REQUESTS_AT_ONCE)).size).toBe(REQUESTS_AT_ONCE);
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(all);
  });

  it('of one account do not delay another one', async () => {
    void inProgress(ONE, 1_000);
    const began = performance.now();
    const quiet = request(TWO).then(() => performance.now() - began);
    await vi.advanceTimersByTimeAsync(100);
    expect(await quiet).toBe(REQUEST_MS);
    await vi.advanceTimersByTimeAsync(10_000);
  });

  it('no longer count after a second, so that a lock or a slow body does not keep others out', async () => {
    const stop = keepShared();
    for (let i = 0; i < REQUESTS_AT_ONCE; i++) void request(ONE, 10_000);
    await vi.advanceTimersByTimeAsync(100);
    const began = performance.now();
    const next = request(ONE).then(() => performance.now() - began);
    await vi.advanceTimersByTimeAsync(2_000);
    stop();
    expect(await next).toBeGreaterThan(500);
    expect(await next).toBeLessThanOrEqual(1_000 + REQUEST_MS);
  });

  it('that are not admitted in time, or whose client is gone, are refused', async () => {
    const others = setInterval(() => void request(TWO), 100);
    gate = createGate({ timeoutMs: 200 });
    void request(TWO);
    for (let i = 0; i < REQUESTS_AT_ONCE; i++) void request(ONE, 500);
    const client = new AbortController();
    const gone = gate.enter(ONE, { signal: client.signal }).catch(({ code }) => code);
    const late = gate.enter(ONE).catch(({ code }) => code);
    client.abort();
    expect(await gone).toBe(OVER_SHARE);
    await vi.advanceTimersByTimeAsync(300);
    clearInterval(others);
    expect(await late).toBe(OVER_SHARE);
  });
});

describe('expensive work', () => {
  const { search: searchPermits } = createWorkPermits(4, () => true);
  const search = (run: () => Promise<void>) =>
    runExpensive(
      { c: { req: { raw: {} } }, org: ONE, services: { gate, searchPermits }, leaveGate() {} } as never,
      run,
      'too many',
    );

  it('counts as half of the requests until it ends or fails', async () => {
    void request(TWO);
    const work = async (ms: number) => {
      await sleep(ms);
      throw new Error('failed');
    };
    const works = [REQUEST_MS, 2 * REQUEST_MS].map((ms) => gate.work(ONE, () => work(ms)));
    const failed = Promise.allSettled(works);
    expect(gate.tryEnter(ONE)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(REQUEST_MS);
    expect(await inProgress(ONE, 100)).toBe(REQUESTS_AT_ONCE / 2);
    await vi.advanceTimersByTimeAsync(1_000);
    await failed;
  });

  it('does not keep the requests of its account waiting until it has a permit', async () => {
    const release = await searchPermits.acquire({ sharer: TWO });
    void request(TWO);
    const searches = [search(() => sleep(REQUEST_MS)), search(() => sleep(REQUEST_MS))];
    expect(await inProgress(ONE, 100)).toBe(REQUESTS_AT_ONCE);
    release();
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(searches);
  });

  it('is the next one of its organization once it has a permit', async () => {
    void request(TWO);
    void inProgress(ONE, 10 * REQUESTS_AT_ONCE);
    let isRunning = false;
    const searching = search(async () => {
      isRunning = true;
    });
    await vi.advanceTimersByTimeAsync(REQUEST_MS);
    expect(isRunning).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    await searching;
  });
});

describe('the batches of whole lists', () => {
  /** Reads a batch of each list of an organization. @returns the most that were read at a time, and the milliseconds it took */
  async function read(lists: number) {
    const began = performance.now();
    let endedAt = began;
    let [running, most] = [0, 0];
    const batch = async () => {
      most = Math.max(most, ++running);
      await sleep(REQUEST_MS);
      running--;
      endedAt = performance.now();
      throw new Error('the next list is read all the same');
    };
    const all = Array.from({ length: lists }, () => gate.fetch(ONE, batch).catch(() => {}));
    await vi.advanceTimersByTimeAsync(2 * lists * REQUEST_MS);
    await Promise.all(all);
    return { most, ms: endedAt - began };
  }

  it('are read one at a time and for half of the time while another organization is active', async () => {
    expect(await read(5)).toEqual({ most: 5, ms: REQUEST_MS });
    void request(TWO);
    expect(await read(5)).toEqual({ most: 1, ms: 9 * REQUEST_MS });
  });

  it('wait for as long as it takes', async () => {
    gate = createGate({ timeoutMs: 1_000 });
    const stop = keepShared();
    await vi.advanceTimersByTimeAsync(100);
    for (const _ of [1, 2]) void gate.work(ONE, () => sleep(5_000));
    const batch = gate.fetch(ONE, async () => 'read');
    await vi.advanceTimersByTimeAsync(6_000);
    stop();
    expect(await batch).toBe('read');
  });
});

it('an account has one search at a time while another organization is active, and half of the permits otherwise', () => {
  const searches = (isShared: boolean) => {
    const { search } = createWorkPermits(20, () => isShared);
    const sharers = [{ id: 'one', account: 'a' }, { id: 'two', account: 'a' }, { id: 'three' }];
    return Array.from({ length: 9 }, (_, i) => search.tryAcquire({ sharer: sharers[i % 3] })).filter(Boolean)
      .length;
  };
  expect([searches(false), searches(true)]).toEqual([5, 2]);
});
