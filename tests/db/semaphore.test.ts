import { describe, expect, it } from 'vitest';
import { createSemaphore, type Permit } from '../../db/pool/semaphore.ts';

const TIMEOUT_MS = 50;

/** A semaphore of four resources, and the order in which keys acquire them or fail. */
function setUp(perKey?: number) {
  const semaphore = createSemaphore([1, 2, 3, 4], { timeoutMs: TIMEOUT_MS, ...(perKey && { perKey }) });
  const order: string[] = [];
  const permits: Permit<number>[] = [];
  const acquire = (key: string, request = {}, name = key) =>
    semaphore.acquire({ key, ...request }).then(
      (permit) => {
        order.push(name);
        permits.push(permit);
      },
      (error) => {
        order.push(`${name} ${error.code}`);
      },
    );
  /** Releases what was acquired first. */
  const release = async (count: number) => {
    for (const permit of permits.splice(0, count)) permit.release();
    await Promise.resolve();
  };
  return { semaphore, order, permits, acquire, release };
}

describe('a fair semaphore', () => {
  it('serves the keys round-robin, however many requests of one key came first', async () => {
    const { order, acquire, release } = setUp();
    const requests = [...Array(10).fill('noisy'), 'b', 'c'].map((key) => acquire(key));
    await Promise.all(requests.slice(0, 4));
    await release(3);
    await Promise.resolve();
    expect(order.slice(4)).toEqual(['noisy', 'b', 'c']);
  });

  it('gives one key its share at most, and says so when its request times out', async () => {
    const { semaphore, order, permits, acquire, release } = setUp(3);
    const noisy = Array.from({ length: 5 }, () => acquire('noisy'));
    await Promise.all([...noisy, acquire('b'), acquire('c')]);
    expect(order.slice(0, 4)).toEqual(['noisy', 'noisy', 'noisy', 'b']);
    expect(order.slice(4).sort()).toEqual(['c TOO_BUSY', 'noisy OVER_SHARE', 'noisy OVER_SHARE']);
    await release(permits.length);
    expect([semaphore.inUse(), semaphore.waiting()]).toEqual([0, 0]);
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

  it('keeps a resource for the delay of its release, and gives a permit back once', async () => {
    const { semaphore, order, permits, acquire } = setUp(4);
    await Promise.all(Array.from({ length: 4 }, () => acquire('a')));
    const [permit] = permits;
    permit?.release(20);
    permit?.release();
    expect(semaphore.inUse()).toBe(3);
    const began = performance.now();
    await acquire('a');
    expect(performance.now() - began).toBeGreaterThan(15);
    expect([order.at(-1), semaphore.inUse()]).toEqual(['a', 4]);
  });

  it('rejects all waiting requests at once', async () => {
    const { semaphore, order, acquire } = setUp();
    const requests = ['a', 'a', 'a', 'a', 'b', 'c', 'c'].map((key) => acquire(key));
    semaphore.rejectWaiting(Object.assign(new Error('down'), { code: 'DOWN' }));
    await Promise.all(requests);
    expect(order).toEqual(['a', 'a', 'a', 'a', 'b DOWN', 'c DOWN', 'c DOWN']);
    expect(semaphore.waiting()).toBe(0);
  });
});
