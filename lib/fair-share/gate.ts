import { ACQUIRE_TIMEOUT_MS, OVER_SHARE } from '../../db/pool/semaphore.ts';
import type { Engine } from '../../db/server-facts.ts';

/**
 * Limits the concurrent requests of each organization while several are active, so that one with many requests does not
 * delay the others. An organization is active for `RECENT_MS` after its latest request.
 */
export interface OrgGate {
  /**
   * Admits a request, immediately if no other organization is active.
   * @param signalOf called if the request has to wait; the signal withdraws it
   * @returns a function to call when the request is answered or begins expensive work
   * @throws `OVER_SHARE` after the timeout, or soon after the request was withdrawn
   */
  enter(orgId: string, signalOf?: () => AbortSignal): (() => void) | Promise<() => void>;
  /** Whether no other organization is active. */
  isAlone(orgId: string): boolean;
  /**
   * Runs one step of expensive work: immediately if no other organization is active, otherwise after earlier steps of the
   * same organization, which then uses at most one processor for such work.
   */
  oneAtATime<T>(orgId: string, step: () => Promise<T>): Promise<T>;
  /**
   * The same for a step of many changes, which has no permit, so that there may be any number: one of them at a time waits beside
   * other work. Work that holds a permit, which other organizations wait for, waits for one of them at the most.
   */
  oneChangeAtATime<T>(orgId: string, step: () => Promise<T>): Promise<T>;
  /** Milliseconds to pause after a step of `ms` milliseconds; 0 if no other organization is active. */
  restAfter(orgId: string, ms: number): number;
}

/** A pause takes this many times as long as the step before it, which leaves CPU time to others. */
const REST_FACTOR = 3;
const MAX_REST_MS = 1_000;

/**
 * Concurrent requests of one organization while others are active. 8 are enough to fill the batches of pushes. Reading and
 * answering a hundred at once would block the event loop for more than 10 ms.
 */
export const REQUESTS_AT_ONCE = 8;
/** On Citus, where a batch of pushes is several statements: fewer and larger batches of as many pushes take less time. */
export const REQUESTS_AT_ONCE_ON_CITUS = 16;
/**
 * Limits the pause before the next waiting request is admitted. The pause is as long as the previous request took, so that an
 * organization with a permanent queue uses half of the time.
 */
const MAX_PAUSE_MS = 50;
const RECENT_MS = 500;
/** A request that takes longer no longer counts against the limit if others wait. */
const LONG_MS = 1_000;
const CHECK_INTERVAL_MS = 250;

interface Waiting {
  begin(): void;
  refuse(error: Error): void;
  deadline: number;
  signal: AbortSignal | undefined;
}

interface ActiveRequest {
  since: number;
  leave(): void;
}

/** The requests of one organization. */
interface Queue {
  active: Set<ActiveRequest>;
  waiting: Waiting[];
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
  /** The latest step of each organization's expensive work, and of its changes; resolves when it ends. */
  const lastSteps = new Map<string, Promise<void>>();
  let checkTimer: ReturnType<typeof setInterval> | undefined;
  /** The two organizations with the latest requests. */
  let latest = { id: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;

  function recordRequest(id: string): void {
    const at = performance.now();
    if (latest.id === id) {
      latest.at = at;
      return;
    }
    other = latest;
    latest = { id, at };
  }

  function othersAreActive(id: string): boolean {
    const { at } = latest.id === id ? other : latest;
    return performance.now() - at < RECENT_MS;
  }

  function queueOf(id: string): Queue {
    let queue = queues.get(id);
    if (!queue) {
      queue = { active: new Set(), waiting: [] };
      queues.set(id, queue);
    }
    return queue;
  }

  const isBelowLimit = (id: string, { active }: Queue) =>
    active.size < (engine() === 'citus' ? REQUESTS_AT_ONCE_ON_CITUS : REQUESTS_AT_ONCE) ||
    !othersAreActive(id);

  function admit(id: string, queue: Queue): () => void {
    let left = false;
    const request: ActiveRequest = {
      since: performance.now(),
      leave() {
        if (left) return;
        left = true;
        const pause = queue.waiting.length > 0 && othersAreActive(id) ? performance.now() - request.since : 0;
        if (pause > 0) setTimeout(release, Math.min(MAX_PAUSE_MS, pause));
        else release();
      },
    };
    const release = () => {
      queue.active.delete(request);
      admitWaiting(id, queue);
    };
    queue.active.add(request);
    return request.leave;
  }

  function admitWaiting(id: string, queue: Queue): void {
    while (queue.waiting[0] && isBelowLimit(id, queue)) {
      const next = queue.waiting.shift() as Waiting;
      if (next.signal?.aborted) next.refuse(overShare('the request was aborted'));
      else next.begin();
    }
    if (queue.active.size === 0) queues.delete(id);
  }

  /**
   * Refuses requests that have waited too long, or whose clients are gone. Admits waiting requests if no other organization is
   * active any more, or if an active request takes longer than `LONG_MS`, because it waits for a body or a lock.
   */
  function checkWaiting(): void {
    const now = performance.now();
    let waiting = 0;
    const stays = ({ deadline, signal, refuse }: Waiting) => {
      const isOver = deadline <= now || signal?.aborted;
      if (isOver) refuse(overShare(`not admitted within ${timeoutMs} ms`));
      return !isOver;
    };
    for (const [id, queue] of [...queues]) {
      queue.waiting = queue.waiting.filter(stays);
      if (queue.waiting.length > 0)
        for (const { since, leave } of [...queue.active]) if (since < now - LONG_MS) leave();
      admitWaiting(id, queue);
      waiting += queue.waiting.length;
    }
    if (waiting > 0) return;
    clearInterval(checkTimer);
    checkTimer = undefined;
  }

  /** Runs a step after the earlier ones of a queue. */
  async function inTurn<T>(queue: string, step: () => Promise<T>): Promise<T> {
    const result = (lastSteps.get(queue) ?? Promise.resolve()).then(step);
    const ended = result.then(
      () => {},
      () => {},
    );
    lastSteps.set(queue, ended);
    try {
      return await result;
    } finally {
      if (lastSteps.get(queue) === ended) lastSteps.delete(queue);
    }
  }

  const mustWait = (id: string) => rests && othersAreActive(id);

  return {
    oneAtATime: (id, step) => (mustWait(id) ? inTurn(id, step) : step()),
    oneChangeAtATime: (id, step) =>
      mustWait(id) ? inTurn(`changes of ${id}`, () => inTurn(id, step)) : step(),
    isAlone: (id) => !othersAreActive(id),
    restAfter: (id, ms) => (mustWait(id) ? Math.min(MAX_REST_MS, REST_FACTOR * ms) : 0),
    enter(id, signalOf) {
      recordRequest(id);
      const queue = queueOf(id);
      if (queue.waiting.length === 0 && isBelowLimit(id, queue)) {
        return admit(id, queue);
      }
      checkTimer ??= setInterval(checkWaiting, CHECK_INTERVAL_MS);
      return new Promise((resolve, refuse) => {
        const begin = () => resolve(admit(id, queue));
        queue.waiting.push({ begin, refuse, deadline: performance.now() + timeoutMs, signal: signalOf?.() });
      });
    },
  };
}

const overShare = (message: string) => Object.assign(new Error(message), { code: OVER_SHARE });
