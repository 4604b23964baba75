import { describe, expect, it } from 'vitest';
import { createGroup } from '../../db/group.ts';

describe('a group', () => {
  const deferred = () => {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  };

  it('runs together what arrives in one turn, and what arrives while it is under way', async () => {
    const flights: number[][] = [];
    const gate = deferred();
    const group = createGroup<number, number>({
      maxItems: 10,
      async run(items) {
        flights.push(items);
        if (flights.length === 1) await gate.promise;
        return items.map((item) => item * 2);
      },
    });
    const all = [1, 2].map((item) => group(item));
    while (flights.length === 0) await new Promise((turn) => setImmediate(turn));
    all.push(group(3), group(4));
    gate.resolve();
    expect(await Promise.all(all)).toEqual([2, 4, 6, 8]);
    expect(flights).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('never takes two of a key, more than it may, or too much weight', async () => {
    const flights: string[][] = [];
    const group = createGroup<string, string>({
      maxItems: 3,
      keyOf: (item) => item,
      maxWeight: 10,
      weigh: (item) => item.length,
      async run(items) {
        flights.push(items);
        return items;
      },
    });
    await Promise.all(['first', 'a', 'a', 'b', 'c', 'd', 'eight888', 'much too heavy', 'z'].map(group));
    expect(flights).toEqual([['first', 'a', 'b'], ['a', 'c', 'd'], ['eight888', 'z'], ['much too heavy']]);
  });

  it('does not wait for a flight that is late, when there may be others', async () => {
    const lost = deferred();
    const group = createGroup<string, string>({
      maxItems: 10,
      maxAway: 2,
      async run(items) {
        if (items.includes('lost')) await lost.promise;
        return items;
      },
    });
    const first = group('lost');
    await new Promise((turn) => setImmediate(() => setImmediate(turn)));
    expect(await Promise.all([group('second'), group('third')])).toEqual(['second', 'third']);
    lost.resolve();
    expect(await first).toBe('lost');
  });

  it('gives each its own error, and all of them the error of the flight', async () => {
    const group = createGroup<string, string>({
      maxItems: 10,
      async run(items) {
        if (items.includes('crash')) throw new Error('crashed');
        return items.map((item) => (item === 'bad' ? new Error('bad') : item));
      },
    });
    const outcome = await Promise.allSettled(['good', 'bad', 'fine'].map(group));
    expect(outcome.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const crashed = await Promise.allSettled(['crash', 'with', 'us'].map(group));
    expect(crashed[0]).toMatchObject({ reason: { message: 'crashed' } });
    expect(await group('after')).toBe('after');
  });
});
