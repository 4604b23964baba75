import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../db/batcher.ts';

describe('a batcher', () => {
  const deferred = () => {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  };

  it('runs together what arrives in one turn, and what arrives while it is under way', async () => {
    const batches: number[][] = [];
    const gate = deferred();
    const batcher = createBatcher<number, number>({
      maxItems: 10,
      async run(items) {
        batches.push(items);
        if (batches.length === 1) await gate.promise;
        return items.map((item) => item * 2);
      },
    });
    const all = [1, 2].map((item) => batcher(item));
    while (batches.length === 0) await new Promise((turn) => setImmediate(turn));
    all.push(batcher(3), batcher(4));
    gate.resolve();
    expect(await Promise.all(all)).toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('never takes two of a key, more than it may, or too much weight', async () => {
    const batches: string[][] = [];
    const batcher = createBatcher<string, string>({
      maxItems: 3,
      keysOf: (item) => [item],
      maxWeight: 10,
      weigh: (item) => item.length,
      async run(items) {
        batches.push(items);
        return items;
      },
    });
    await Promise.all(['first', 'a', 'a', 'b', 'c', 'd', 'eight888', 'much too heavy', 'z'].map(batcher));
    expect(batches).toEqual([['first', 'a', 'b'], ['a', 'c', 'd'], ['eight888', 'z'], ['much too heavy']]);
  });

  it('takes none that shares any of its keys with an earlier item of the batch', async () => {
    const batches: string[][] = [];
    const batcher = createBatcher<string, string>({
      maxItems: 10,
      keysOf: (item) => item.split(','),
      async run(items) {
        batches.push(items);
        return items;
      },
    });
    await Promise.all(['a,b', 'b,c', 'd', 'c,e', 'f,f'].map(batcher));
    // `c,e` does not overtake `b,c`.
    expect(batches).toEqual([['a,b', 'd', 'f,f'], ['b,c'], ['c,e']]);
  });

  it('starts a full batch while another one runs, unless they share a key', async () => {
    const batches: string[][] = [];
    const gate = deferred();
    let acquired = 0;
    const batcher = createBatcher<string, string>({
      maxItems: 2,
      maxConcurrent: 2,
      async acquire(runBatch) {
        acquired++;
        await runBatch();
      },
      keysOf: (item) => item.split(','),
      async run(items) {
        batches.push(items);
        if (items.includes('a')) await gate.promise;
        return items;
      },
    });
    const first = batcher('a');
    while (batches.length === 0) await new Promise((turn) => setImmediate(turn));
    const waits = [batcher('a,b'), batcher('b')];
    const runs = [batcher('c'), batcher('d'), batcher('e'), batcher('f')];
    expect(await Promise.all(runs)).toEqual(['c', 'd', 'e', 'f']);
    const before = acquired;
    for (let turns = 0; turns < 20; turns++) await new Promise((turn) => setImmediate(turn));
    expect(acquired - before).toBeLessThan(2);
    gate.resolve();
    expect(await Promise.all([first, ...waits])).toEqual(['a', 'a,b', 'b']);
    expect(batches).toEqual([['a'], ['c', 'd'], ['e', 'f'], ['a,b'], ['b']]);
  });

  it('does not wait for a slow batch while more are allowed', async () => {
    const lost = deferred();
    const batcher = createBatcher<string, string>({
      maxItems: 10,
      maxConcurrent: 2,
      async run(items) {
        if (items.includes('lost')) await lost.promise;
        return items;
      },
    });
    const first = batcher('lost');
    await new Promise((turn) => setImmediate(() => setImmediate(turn)));
    expect(await Promise.all([batcher('second'), batcher('third')])).toEqual(['second', 'third']);
    lost.resolve();
    expect(await first).toBe('lost');
  });

  it('gives each its own error, and all of them the error of the batch', async () => {
    const batcher = createBatcher<string, string>({
      maxItems: 10,
      async run(items) {
        if (items.includes('crash')) throw new Error('crashed');
        return items.map((item) => (item === 'bad' ? new Error('bad') : item));
      },
    });
    const outcome = await Promise.allSettled(['good', 'bad', 'fine'].map(batcher));
    expect(outcome.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const crashed = await Promise.allSettled(['crash', 'with', 'us'].map(batcher));
    expect(crashed[0]).toMatchObject({ reason: { message: 'crashed' } });
    expect(await batcher('after')).toBe('after');
  });
});
