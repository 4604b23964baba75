import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSemaphore, type Release, type SemaphoreOptions } from '../../db/pool/semaphore.ts';

const TIMEOUT_MS = 50;

/** A semaphore of four units, and the order in which senders acquire them or fail. `a:x` is the sender `x` of the account `a`. */
function setUp(options: SemaphoreOptions = {}) {
  const semaphore = createSemaphore({ total: 4, timeoutMs: TIMEOUT_MS, ...options });
  const order: string[] = [];
  const releases: Release[] = [];
  const acquire = (name: string, request = {}, as = name) => {
    const [account, id = name] = name.split(':');
    return semaphore.acquire({ sharer: { id, account }, ...request }).then(
      (release) => {
        order.push(as);
        releases.push(release);
      },
      (error) => {
        order.push(`${as} ${error.code}`);
      },
    );
  };
  /** Releases what was acquired first. */
  const release = async (count: number) => {
    for (const release of releases.splice(0, count)) release();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { semaphore, order, releases, acquire, release };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a fair semaphore', () => {
  it('serves accounts round-robin, and the senders of one as well, however many requests came first', async () => {
    const { order, acquire, release } = setUp();
    const names = ['a:x', 'a:x', 'a:x', 'a:x', 'a:x', 'a:x', 'a:y', 'b', 'b'];
    const requests = names.map((name) => acquire(name));
    await Promise.all(requests.slice(0, 4));
    for (let i = 0; i < 5; i++) await release(1);
    expect(order.slice(4)).toEqual(['a:x', 'b', 'a:y', 'b', 'a:x']);
  });

  it('serves the account that used least lately, so that many with expensive requests do not delay a cheap one', async () => {
    vi.useFakeTimers();
    const { order, acquire, release } = setUp({ total: 1, timeoutMs: 3_600_000, halfLifeMs: 300_000 });
    const useFor = async (name: string, ms: number) => {
      await acquire(name);
      vi.advanceTimersByTime(ms);
      await release(1);
    };
    await useFor('cheap', 1_000);
    for (const name of ['a', 'b', 'c']) await useFor(name, 7_000);
    await acquire('a');
    for (const name of ['b', 'c', 'b', 'c', 'cheap']) void acquire(name);
    for (let i = 0; i < 3; i++) {
      vi.advanceTimersByTime(7_000);
      await release(1);
    }
    expect(order.slice(5)).toEqual(['cheap', 'b', 'c']);
    // Use of an hour ago no longer counts.
    vi.advanceTimersByTime(3_600_000);
    await release(3);
    await useFor('new', 7_000);
    await acquire('new');
    for (const name of ['new', 'a']) void acquire(name);
    await release(1);
    expect(order.at(-1)).toBe('a');
  });

  it('gives one account its share at most, and says so when its request times out', async () => {
    const { semaphore, order, releases, acquire, release } = setUp({ perAccount: 3 });
    const noisy = ['x', 'y', 'x', 'y', 'x'].map((id) => acquire(`noisy:${id}`));
    await Promise.all([...noisy, acquire('b'), acquire('c')]);
    expect(order.slice(0, 4)).toEqual(['noisy:x', 'noisy:y', 'noisy:x', 'b']);
    expect(order.slice(4).sort()).toEqual(['c TOO_BUSY', 'noisy:x OVER_SHARE', 'noisy:y OVER_SHARE']);
    await release(releases.length);
    expect([semaphore.inUse(), semaphore.waiting()]).toEqual([0, 0]);
  });

  it('serves all that wait when a share grows, before a new request', async () => {
    let share = 1;
    const { semaphore, acquire } = setUp({ total: 2, perAccount: () => share });
    const requests = [acquire('a'), acquire('a')];
    await requests[0];
    share = 2;
    expect(semaphore.tryAcquire({ sharer: { id: 'b' } })).toBeUndefined();
    await Promise.all(requests);
  });

  it('does not let small requests starve a large one', async () => {
    const { semaphore, order, acquire, release } = setUp();
    const requests = [acquire('a', { units: 3 }), acquire('b', { units: 4 }), acquire('c')];
    await requests[0];
    expect(semaphore.waiting()).toBe(2);
    await release(1);
    expect(order).toEqual(['a', 'b']);
    await release(1);
    expect(order).toEqual(['a', 'b', 'c']);
    await Promise.all(requests);
  });

  it('does not let a request pass a larger one of its account, or wait for one that was withdrawn', async () => {
    const { semaphore, order, acquire } = setUp({ perAccount: 3 });
    const controller = new AbortController();
    await acquire('a', { units: 2 });
    const large = acquire('a', { units: 2, signal: controller.signal }, 'large');
    const small = acquire('a', {}, 'small');
    expect([semaphore.inUse(), semaphore.waiting()]).toEqual([2, 2]);
    controller.abort();
    await Promise.all([large, small]);
    expect(order.toSorted()).toEqual(['a', 'large ABORTED', 'small']);
  });

  it('withdraws a request whose signal is aborted', async () => {
    const { semaphore, order, acquire, release } = setUp();
    const controller = new AbortController();
    const requests = Array.from({ length: 4 }, () => acquire('a'));
    const withdrawn = acquire('b', { signal: controller.signal });
    requests.push(acquire('c'));
    controller.abort();
    await withdrawn;
    await release(1);
    await Promise.all(requests);
    expect(order).toEqual(['a', 'a', 'a', 'a', 'b ABORTED', 'c']);
    expect([semaphore.inUse(), semaphore.waiting()]).toEqual([4, 0]);
  });

  it('serves a repeated request first, within the timeout of its first attempt', async () => {
    const { order, acquire, release } = setUp();
    await Promise.all(Array.from({ length: 4 }, () => acquire('a')));
    const began = performance.now();
    const requests = [
      acquire('a'),
      acquire('late', { since: began - TIMEOUT_MS / 2 }),
      acquire('a', { since: began }, 'repeated'),
    ];
    await release(1);
    await Promise.all(requests);
    expect(order.slice(4)).toEqual(['repeated', 'late TOO_BUSY', 'a OVER_SHARE']);
  });

  it('takes units back in parts, and each once', async () => {
    const { semaphore } = setUp();
    const release = await semaphore.acquire({ units: 4 });
    const waiting = semaphore.acquire({ units: 2 });
    release(2);
    release(2);
    expect([await waiting.then(() => true), semaphore.inUse()]).toEqual([true, 4]);
    release();
    release();
    expect(semaphore.inUse()).toBe(2);
  });

  it('rejects all waiting requests at once', async () => {
    const { semaphore, order, acquire } = setUp();
    const requests = ['a', 'a', 'a', 'a', 'b', 'c', 'c'].map((name) => acquire(name));
    semaphore.rejectWaiting(Object.assign(new Error('down'), { code: 'DOWN' }));
    await Promise.all(requests);
    expect(order).toEqual(['a', 'a', 'a', 'a', 'b DOWN', 'c DOWN', 'c DOWN']);
    expect(semaphore.waiting()).toBe(0);
  });
});
