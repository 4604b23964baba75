export interface Permit<Resource> {
  resource: Resource;
  /** Ends the use; further calls do nothing. Nobody gets the resource before `delayMs` have passed. */
  release(delayMs?: number): void;
}

export interface AcquireRequest {
  /** Names the share that the resource counts against; unset: no share. */
  key?: string | undefined;
  /** When a repeated request was first made, by `performance.now()`: its timeout began then, and it is served first. */
  since?: number | undefined;
  /** Replaces the semaphore's timeout. */
  timeoutMs?: number | undefined;
  /** Withdraws a waiting request. */
  signal?: AbortSignal | undefined;
}

/** Requests of one key. */
interface Queue<Resource> {
  key: string | undefined;
  inUse: number;
  waiters: { grant(permit: Permit<Resource>): void; reject(error: Error): void }[];
}

/** Default timeout for acquiring a connection. */
export const ACQUIRE_TIMEOUT_MS = 10_000;

/** Error codes of `acquire`: timeout; timeout while the key holds its whole share; aborted by the signal. */
export const TOO_BUSY = 'TOO_BUSY';
export const OVER_SHARE = 'OVER_SHARE';
export const ABORTED = 'ABORTED';

export type Semaphore<Resource> = ReturnType<typeof createSemaphore<Resource>>;

/**
 * A fair semaphore: a fixed number of resources, such as connections, each used by one holder at a time. Requests wait in a
 * queue per key, such as an organization, and the queues are served round-robin.
 * @param free the resource at the end is used first
 * @param options.perKey most resources that one key holds at a time; unset: all
 */
export function createSemaphore<Resource>(free: Resource[], options: { timeoutMs: number; perKey?: number }) {
  const share = Math.min(options.perKey ?? free.length, free.length);
  /** A queue moves to the end when it is served. */
  const queues = new Map<string | undefined, Queue<Resource>>();
  let inUse = 0;
  let waiting = 0;

  const hasShareLeft = ({ key, inUse }: Queue<Resource>) => key === undefined || inUse < share;

  function deleteUnused({ key, inUse, waiters }: Queue<Resource>): void {
    if (inUse === 0 && waiters.length === 0) queues.delete(key);
  }

  function grant(queue: Queue<Resource>): Permit<Resource> {
    const resource = free.pop() as Resource;
    let isReleased = false;
    inUse++;
    queue.inUse++;
    const release = (delayMs = 0) => {
      if (isReleased) return;
      isReleased = true;
      inUse--;
      queue.inUse--;
      if (delayMs > 0) setTimeout(putBack, delayMs, resource);
      else free.push(resource);
      serve();
      deleteUnused(queue);
    };
    return { resource, release };
  }

  function putBack(resource: Resource): void {
    free.push(resource);
    serve();
  }

  function serve(): void {
    while (waiting > 0 && free.length > 0) {
      const queue = nextQueue();
      if (!queue) return;
      queues.delete(queue.key);
      queues.set(queue.key, queue);
      queue.waiters[0]?.grant(grant(queue));
    }
  }

  function nextQueue(): Queue<Resource> | undefined {
    for (const queue of queues.values()) if (queue.waiters.length > 0 && hasShareLeft(queue)) return queue;
    return undefined;
  }

  function wait(queue: Queue<Resource>, request: AcquireRequest): Promise<Permit<Resource>> {
    const { since, timeoutMs = options.timeoutMs, signal } = request;
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.waiters.splice(queue.waiters.indexOf(waiter), 1);
        waiting--;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Queue<Resource>['waiters'][number] = {
        grant(permit) {
          leave();
          resolve(permit);
        },
        reject(error) {
          leave();
          deleteUnused(queue);
          reject(error);
        },
      };
      const fail = (message: string, code: string) =>
        waiter.reject(Object.assign(new Error(message), { code }));
      const onAbort = () => fail('the request was aborted', ABORTED);
      const onTimeout = () =>
        fail(`no permit within ${timeoutMs} ms`, hasShareLeft(queue) ? TOO_BUSY : OVER_SHARE);
      const waitedMs = since === undefined ? 0 : performance.now() - since;
      const timer = setTimeout(onTimeout, timeoutMs - waitedMs);
      if (since === undefined) queue.waiters.push(waiter);
      else queue.waiters.unshift(waiter);
      waiting++;
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) onAbort();
    });
  }

  return {
    acquire(request: AcquireRequest = {}): Promise<Permit<Resource>> {
      const { key } = request;
      const queue = queues.get(key) ?? { key, inUse: 0, waiters: [] };
      queues.set(key, queue);
      const isFree = free.length > 0 && queue.waiters.length === 0 && hasShareLeft(queue);
      return isFree ? Promise.resolve(grant(queue)) : wait(queue, request);
    },
    rejectWaiting(error: Error): void {
      for (const { waiters } of [...queues.values()]) for (const waiter of [...waiters]) waiter.reject(error);
    },
    inUse: () => inUse,
    waiting: () => waiting,
  };
}
