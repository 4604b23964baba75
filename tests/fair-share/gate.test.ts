import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOrgGate, type OrgGate, REQUESTS_AT_ONCE } from '../../lib/fair-share/gate.ts';
import type { StepKind } from '../../lib/fair-share/steps.ts';

/* How an organization that sends too much leaves time to others. The clock is a fake one. */

const REQUEST_MS = 5;
const STEP_MS = 10;

const sleep = (ms: number) => new Promise<void>((over) => setTimeout(over, ms));

let gate: OrgGate;
let ended: boolean;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  gate = createOrgGate();
  ended = false;
});
afterEach(async () => {
  ended = true;
  await vi.advanceTimersByTimeAsync(60_000);
  // The gate forgets organizations without requests, and its timer ends.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function request(org: string, ms = REQUEST_MS): Promise<void> {
  const leave = await gate.enter(org);
  await sleep(ms);
  leave();
}

interface Sender {
  answered: number;
  slowestMs: number;
}

/** Connections that each send a request as soon as the one before is answered. */
function send(org: string, connections: number, pauseMs = 0): Sender {
  const sender: Sender = { answered: 0, slowestMs: 0 };
  const connect = async () => {
    while (!ended) {
      const began = performance.now();
      await request(org);
      sender.answered++;
      sender.slowestMs = Math.max(sender.slowestMs, performance.now() - began);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  for (let i = 0; i < connections; i++) void connect();
  return sender;
}

/** Connections that send requests of all organizations in turn. Those of the first one take longer. */
function sendInTurn(orgs: readonly string[], connections: number): Sender {
  const sender: Sender = { answered: 0, slowestMs: 0 };
  let next = 0;
  const connect = async () => {
    while (!ended) {
      const turn = next++ % orgs.length;
      await request(orgs[turn] as string, turn === 0 ? 4 * REQUEST_MS : REQUEST_MS);
      sender.answered++;
    }
  };
  for (let i = 0; i < connections; i++) void connect();
  return sender;
}

/** Does one step of expensive work after the other. */
function work(org: string, kind: StepKind): { steps: number } {
  const worker = { steps: 0 };
  const next = async () => {
    while (!ended) {
      await gate.oneAtATime(org, kind, () => sleep(STEP_MS));
      worker.steps++;
    }
  };
  void next();
  return worker;
}

/** The requests answered in a second. The second before it is long enough to find who sends too much. */
async function perSecond(senders: readonly Sender[]): Promise<number[]> {
  await vi.advanceTimersByTimeAsync(1_000);
  const before = senders.map(({ answered }) => answered);
  await vi.advanceTimersByTimeAsync(1_000);
  return senders.map(({ answered }, i) => answered - (before[i] ?? 0));
}

/** Requests of an organization in a second, if each of its places is used for a part of the time. */
const rate = (places: number, part = 1) => (places * part * 1_000) / REQUEST_MS;

describe('an organization that sends as much as it can', () => {
  it('has half of its places for a quarter of the time beside one that sends little', async () => {
    const noisy = send('noisy', 100);
    const quiet = send('quiet', 1, 50);
    const [answered = 0] = await perSecond([noisy]);
    expect(answered).toBeGreaterThan(0.8 * rate(REQUESTS_AT_ONCE / 2, 1 / 4));
    expect(answered).toBeLessThan(1.2 * rate(REQUESTS_AT_ONCE / 2, 1 / 4));
    expect(quiet.slowestMs).toBe(REQUEST_MS);
  });

  it('has half of that while it does expensive work', async () => {
    const noisy = send('noisy', 100);
    send('quiet', 1, 50);
    work('noisy', 'search');
    const [answered = 0] = await perSecond([noisy]);
    expect(answered).toBeGreaterThan(0.8 * rate(REQUESTS_AT_ONCE / 4, 1 / 8));
    expect(answered).toBeLessThan(1.2 * rate(REQUESTS_AT_ONCE / 4, 1 / 8));
  });

  it('is admitted within a few seconds, however much it sends', async () => {
    send('quiet', 1, 50);
    const noisy = send('noisy', 2_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(noisy.slowestMs).toBeLessThan(5_000);
  });

  it('pauses no longer when it sends less again', async () => {
    send('quiet', 1, 50);
    const noisy = send('noisy', 2);
    for (let i = 0; i < 400; i++) void request('noisy');
    await perSecond([noisy]);
    const [answered] = await perSecond([noisy]);
    expect(answered).toBeCloseTo(rate(2), -2);
  });

  it('has all of its places beside one that sends as much', async () => {
    const answered = await perSecond([send('one', 100), send('two', 20)]);
    for (const one of answered) expect(one).toBeCloseTo(rate(REQUESTS_AT_ONCE), -2);
  });

  it('has all of its places if the others send as much, and wait for the same client', async () => {
    const orgs = ['slow', 'two', 'three', 'four'];
    const [answered = 0] = await perSecond([sendInTurn(orgs, 64)]);
    expect(answered).toBeGreaterThan(0.9 * orgs.length * (rate(REQUESTS_AT_ONCE) / 4));
  });

  it('pauses beside one that sends little, also if a third one sends as much', async () => {
    const noisy = send('noisy', 100);
    send('accomplice', 2);
    send('quiet', 1, 50);
    const [answered] = await perSecond([noisy]);
    expect(answered).toBeLessThan(1.2 * rate(REQUESTS_AT_ONCE / 2, 1 / 4));
  });

  it('has no limit when it is alone, also if another one was active before', async () => {
    const other = send('other', 1, 50);
    const noisy = send('noisy', 100);
    await perSecond([noisy, other]);
    ended = true;
    await vi.advanceTimersByTimeAsync(2_000);
    ended = false;
    const [answered] = await perSecond([send('noisy', 100)]);
    expect(answered).toBeCloseTo(rate(100), -2);
  });
});

describe('an organization with few requests', () => {
  it('is not delayed when many arrive at once, as after the process has waited', async () => {
    send('other', 1, 50);
    const quiet = send('quiet', 1, 50);
    send('noisy', 100);
    await perSecond([quiet]);
    const began = performance.now();
    const all = Array.from({ length: 5 * REQUESTS_AT_ONCE }, async () => {
      await request('quiet');
      return performance.now() - began;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(Math.max(...(await Promise.all(all)))).toBeLessThanOrEqual(6 * REQUEST_MS);
  });
});

describe('expensive work beside another organization', () => {
  const steps = async (...workers: { steps: number }[]) => {
    send('quiet', 1, 50);
    await vi.advanceTimersByTimeAsync(10_000);
    return workers.map((worker) => (worker.steps * STEP_MS) / 10_000);
  };

  it('takes a quarter of the time, however many lists there are', async () => {
    send('quiet', 1, 50);
    await vi.advanceTimersByTimeAsync(10);
    const [one = 0, two = 0] = await steps(work('noisy', 'list'), work('noisy', 'list'));
    expect(one + two).toBeCloseTo(1 / 4, 1);
    expect(one).toBeCloseTo(two, 1);
  });

  it('divides another quarter among all kinds if it is not a list', async () => {
    gate.enter('quiet');
    const kinds = ['list', 'search', 'change'] as const;
    const [list = 0, search = 0, change = 0] = await steps(...kinds.map((kind) => work('noisy', kind)));
    expect(list).toBeCloseTo(1 / 4, 1);
    for (const part of [search, change]) {
      expect(part).toBeGreaterThan(0.8 / 12);
      expect(part).toBeLessThan(1.2 / 12);
    }
  });

  it('that is withdrawn before its turn fails at once, and the next step does not wait for it', async () => {
    gate.enter('quiet');
    send('quiet', 1, 50);
    gate.enter('noisy');
    const client = new AbortController();
    const began = performance.now();
    const ends: string[] = [];
    const step = (name: string, signal?: AbortSignal) =>
      gate
        .oneAtATime('noisy', 'search', () => sleep(STEP_MS), signal)
        .then(
          () => ends.push(`${name} ended at ${performance.now() - began}`),
          ({ code }) => ends.push(`${name} ${code} at ${performance.now() - began}`),
        );
    const steps = [step('first'), step('withdrawn', client.signal), step('last')];
    await vi.advanceTimersByTimeAsync(15);
    client.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(steps);
    // The pause after the first step takes 30 ms.
    expect(ends).toEqual(['first ended at 10', 'withdrawn OVER_SHARE at 15', 'last ended at 50']);
  });

  it('takes less if the organization sends too many requests as well', async () => {
    send('noisy', 100);
    const [part = 0] = await steps(work('noisy', 'search'));
    expect(part).toBeGreaterThan(0.8 / 8);
    expect(part).toBeLessThan(1.2 / 8);
  });
});
