import { ACQUIRE_TIMEOUT_MS } from '../../db/pool/semaphore.ts';
import type { Engine } from '../../db/server-facts.ts';
import { overShare } from './over-share.ts';
import { createSteps, type OrgSteps } from './steps.ts';

/**
 * Limits the concurrent requests of each organization while several are active, so that one with many requests does not
 * delay the others. An organization is active for `RECENT_MS` after its latest request.
 */
export interface OrgGate extends OrgSteps {
  /**
   * Admits a request, immediately if no other organization is active.
   * @param signalOf called if the request has to wait; the signal withdraws it
   * @returns a function to call when the request is answered or begins expensive work
   * @throws `OVER_SHARE` after the timeout, or soon after the request was withdrawn
   */
  enter(orgId: string, signalOf?: () => AbortSignal): (() => void) | Promise<() => void>;
  /** Whether no other organization is active. */
  isAlone(orgId: string): boolean;
}

/**
 * Concurrent requests of one organization while others are active. 8 are enough to fill the batches of pushes. Reading and
 * answering a hundred at once would block the event loop for more than 10 ms.
 */
export const REQUESTS_AT_ONCE = 8;
/** On Citus, where a batch of pushes is several statements: fewer and larger batches of as many pushes take less time. */
export const REQUESTS_AT_ONCE_ON_CITUS = 16;
/**
 * An organization is overloaded if it had on average more than half of its limit in progress or waiting. The average is of this time,
 * exponentially weighted, so that a burst is none: for instance the requests that have arrived while this process waited for a processor.
 */
const MEAN_MS = 500;
/**
 * An overloaded organization has half of its limit, and pauses after each request, so that each of these places is used for this part
 * of the time. Half of both while it does expensive work as well.
 */
const OVERLOADED_PART = 1 / 4;
/** Limits the pause, twice as much while the organization does expensive work. */
const MAX_PAUSE_MS = 150;
/** If a request has waited for this time, its organization has all of its places, for half of the time, with shorter pauses. */
const PATIENCE_MS = 3_000;
const MAX_SHORT_PAUSE_MS = 50;
/**
 * An overloaded organization yields if it sends this many times as many requests as one that is not, or does expensive work. If all send
 * as much, a client may send their requests in turn, so that all of them would wait for the pauses of one.
 */
const MORE = 2;
/** An organization without requests is forgotten when its average is below this. */
const FORGOTTEN = 0.5;
const RECENT_MS = 500;
/** A request that takes longer no longer counts against the limit if others wait. */
const LONG_MS = 1_000;
const CHECK_INTERVAL_MS = 250;

interface Waiting {
  begin(): void;
  refuse(error: Error): void;
  since: number;
  signal: AbortSignal | undefined;
}

interface ActiveRequest {
  since: number;
  leave(): void;
  /** Ends it without a pause. */
  release(): void;
}

/** The requests of one organization. */
interface Queue {
  active: Set<ActiveRequest>;
  waiting: Waiting[];
  /** How many of the active ones are answered and keep their places during a pause. */
  pausing: number;
  /** The average number of requests in progress or waiting, see `MEAN_MS`, until `meanAt`. */
  mean: number;
  /** How many requests were sent, with the same weights. */
  sent: number;
  meanAt: number;
}

export interface OrgGateOptions {
  timeoutMs?: number;
  /** False if a pause would hold a connection that other requests wait for. */
  rests?: boolean;
  /** What stores the findings, once that is known. */
  engine?: () => Engine | undefined;
}

export function createOrgGate({
  timeoutMs = ACQUIRE_TIMEOUT_MS,
  rests = true,
  engine = () => undefined,
}: OrgGateOptions = {}): OrgGate {
  const queues = new Map<string, Queue>();
  let checkTimer: ReturnType<typeof setInterval> | undefined;
  const requests = createActivity();
  /** The organization that has sent the fewest requests, of those active ones that send no more than they may. */
  let quietest = { id: '', at: Number.NEGATIVE_INFINITY, sent: 0 };

  const othersAreActive = (id: string) => requests.hasOthers(id);
  const steps = createSteps({
    mustShare: (id) => rests && othersAreActive(id),
    isOverloaded: (id) => isOverloaded(queues.get(id)),
  });

  function queueOf(id: string): Queue {
    let queue = queues.get(id);
    if (!queue) {
      queue = { active: new Set(), waiting: [], pausing: 0, mean: 0, sent: 0, meanAt: performance.now() };
      queues.set(id, queue);
    }
    return queue;
  }

  /** To be called before the number of requests changes. */
  function updateMean(queue: Queue): void {
    const now = performance.now();
    // At most twice the limit, so that an organization is overloaded for a second at the most after the last one had to wait.
    const count = Math.min(2 * limit(), queue.active.size - queue.pausing + queue.waiting.length);
    const weight = Math.exp((queue.meanAt - now) / MEAN_MS);
    queue.mean = count + (queue.mean - count) * weight;
    queue.sent *= weight;
    queue.meanAt = now;
  }

  const limit = () => (engine() === 'citus' ? REQUESTS_AT_ONCE_ON_CITUS : REQUESTS_AT_ONCE);

  /** Updates the average, too. */
  function isOverloaded(queue: Queue | undefined): boolean {
    if (!queue) return false;
    updateMean(queue);
    return queue.mean > limit() / 2;
  }

  /** How an organization yields. Not if all active ones are overloaded: each has its limit of requests in progress then. */
  function yieldOf(id: string, queue: Queue): 'not' | 'little' | 'much' {
    if (!isOverloaded(queue)) return 'not';
    const { id: other, at, sent } = quietest;
    if (other === id || !isRecent(at)) return 'not';
    if (queue.sent < MORE * sent && !steps.isWorking(id)) return 'not';
    const [first] = queue.waiting;
    return first && performance.now() - first.since > PATIENCE_MS ? 'little' : 'much';
  }

  const loadOf = (id: string) => (steps.isWorking(id) ? 2 : 1);

  const isBelowLimit = (id: string, queue: Queue) =>
    queue.active.size < (yieldOf(id, queue) === 'much' ? limit() / 2 / loadOf(id) : limit()) ||
    !othersAreActive(id);

  /** How long a request of `ms` milliseconds keeps its place after it is answered. */
  function pauseAfter(id: string, queue: Queue, ms: number): number {
    const load = loadOf(id);
    const pauses = {
      not: 0,
      little: Math.min(MAX_SHORT_PAUSE_MS, ms),
      much: Math.min(load * MAX_PAUSE_MS, (load / OVERLOADED_PART - 1) * ms),
    };
    return pauses[yieldOf(id, queue)];
  }

  function admit(id: string, queue: Queue): () => void {
    let state: 'active' | 'pausing' | 'over' = 'active';
    const release = () => {
      if (state === 'over') return;
      updateMean(queue);
      if (state === 'pausing') queue.pausing--;
      state = 'over';
      queue.active.delete(request);
      admitWaiting(id, queue);
    };
    const leave = () => {
      if (state !== 'active') return;
      const pause = pauseAfter(id, queue, performance.now() - request.since);
      if (pause === 0) return release();
      state = 'pausing';
      queue.pausing++;
      setTimeout(release, pause);
    };
    const request: ActiveRequest = { since: performance.now(), leave, release };
    queue.active.add(request);
    return leave;
  }

  function admitWaiting(id: string, queue: Queue): void {
    while (queue.waiting[0] && isBelowLimit(id, queue)) {
      const next = queue.waiting.shift() as Waiting;
      if (next.signal?.aborted) next.refuse(overShare('the request was aborted'));
      else next.begin();
    }
    if (queue.active.size > 0) return;
    if (queue.mean < FORGOTTEN) queues.delete(id);
    else keepChecking();
  }

  /**
   * Refuses requests that have waited too long, or whose clients are gone, and forgets organizations without requests. Admits waiting
   * requests if no other organization is active any more, or if an active request takes longer than `LONG_MS`, because it waits for a
   * body or a lock.
   */
  function checkWaiting(): void {
    const now = performance.now();
    const stays = ({ since, signal, refuse }: Waiting) => {
      const isOver = now - since >= timeoutMs || signal?.aborted;
      if (isOver) refuse(overShare(`not admitted within ${timeoutMs} ms`));
      return !isOver;
    };
    for (const [id, queue] of [...queues]) {
      updateMean(queue);
      queue.waiting = queue.waiting.filter(stays);
      if (queue.waiting.length > 0)
        for (const { since, release } of [...queue.active]) if (since < now - LONG_MS) release();
      admitWaiting(id, queue);
    }
    if ([...queues.values()].some(({ active, waiting: { length } }) => length > 0 || active.size === 0))
      return;
    clearInterval(checkTimer);
    checkTimer = undefined;
  }

  function keepChecking(): void {
    checkTimer ??= setInterval(checkWaiting, CHECK_INTERVAL_MS);
  }

  return {
    oneAtATime: steps.oneAtATime,
    restAfter: steps.restAfter,
    isAlone: (id) => !othersAreActive(id),
    enter(id, signalOf) {
      const queue = queueOf(id);
      requests.record(id);
      const isCalm = !isOverloaded(queue);
      const sent = ++queue.sent;
      if (isCalm && (id === quietest.id || sent <= quietest.sent || !isRecent(quietest.at)))
        quietest = { id, at: performance.now(), sent };
      if (queue.waiting.length === 0 && isBelowLimit(id, queue)) return admit(id, queue);
      keepChecking();
      return new Promise((resolve, refuse) => {
        const begin = () => resolve(admit(id, queue));
        queue.waiting.push({ begin, refuse, since: performance.now(), signal: signalOf?.() });
      });
    },
  };
}

/** Remembers the two organizations with the latest requests, which is enough to know whether another one is active. */
function createActivity() {
  let latest = { id: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;
  return {
    record(id: string): void {
      const at = performance.now();
      if (latest.id === id) latest.at = at;
      else [other, latest] = [latest, { id, at }];
    },
    hasOthers: (id: string): boolean => isRecent((latest.id === id ? other : latest).at),
  };
}

const isRecent = (at: number): boolean => performance.now() - at < RECENT_MS;
