import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHashSlots } from '../../lib/edge/hash-slots.ts';

describe('slots of an isolate', () => {
  beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => vi.useRealTimers());

  const unavailable = { key: 'server_error/unavailable', status: 500 };

  function openSlots(maxWaitMs = 1_000) {
    const slots = createHashSlots({ slotMs: 100, maxWaitMs });
    const began = Date.now();
    const begun: [name: string, ms: number][] = [];
    const enter = (client: string, name = client) =>
      slots.enter(client).then(() => begun.push([name, Date.now() - began]));
    return { slots, begun, enter };
  }

  it('begin at once for a single client', async () => {
    const { begun, enter } = openSlots();
    await enter('ada');
    await vi.advanceTimersByTimeAsync(500);
    await enter('ada');
    expect(begun.map(([, ms]) => ms)).toEqual([0, 500]);
  });

  it('leave time for other requests in between, and every second one for other clients', async () => {
    const { slots, begun, enter } = openSlots();
    for (const n of [1, 2, 3, 4]) void enter('flood', `flood ${n}`);
    void enter('ada');
    expect(slots.load().waiting).toBe(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual([
      ['flood 1', 0],
      ['flood 2', 100],
      ['ada', 200],
      ['flood 3', 300],
      ['flood 4', 500],
    ]);
    expect(slots.load()).toEqual({ waiting: 0, refused: { full: 0, late: 0 } });
  });

  it('are refused at once to a client that would have to wait for too long, not to another one', async () => {
    const { slots, enter } = openSlots();
    const flood = Array.from({ length: 20 }, (_, n) => enter('flood', `flood ${n}`).catch((error) => error));
    expect(await flood.at(-1)).toMatchObject(unavailable);
    expect(() => slots.requireRoom('flood')).toThrow(/^Too many passwords/);
    expect(() => slots.requireRoom('ada')).not.toThrow();
    expect(slots.load().waiting).toBe(5);
    // 14 of the flood, and the question for room.
    expect(slots.load().refused).toEqual({ full: 15, late: 0 });
  });

  it('are there again when time has passed, whether those before were used or not', async () => {
    const { slots, begun, enter } = openSlots();
    for (let n = 0; n < 20; n++) void enter('flood').catch(() => {});
    vi.setSystemTime(Date.now() + 1_000);
    void enter('flood', 'next');
    expect(slots.load().waiting).toBe(0);
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toContainEqual(['next', 1_000]);
  });
});
