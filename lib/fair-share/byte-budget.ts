import { ACQUIRE_TIMEOUT_MS, OVER_SHARE } from '../../db/pool/semaphore.ts';

/** Limits the bytes that requests hold in memory at a time, in total and per sender: an organization, or an address. */
export interface ByteBudget {
  /**
   * Reserves bytes. Senders that wait are served round-robin, and the requests of one in their order.
   * @param bytes at most `perKey`
   * @param request.signal withdraws the request while it waits
   * @param request.sender for a body that arrives after this call
   * @returns a function that frees them; call it when the body has arrived, with the bytes that are still needed, and when none are
   * @throws `OVER_SHARE` after the timeout
   */
  reserve(key: string, bytes: number, request?: ReserveRequest): Promise<Release>;
  inUse(): number;
  waiting(): number;
}

/** Frees reserved bytes. @param rest stay reserved; 0 by default. There is nothing more to arrive */
export type Release = (rest?: number) => void;

export interface ReserveRequest {
  signal?: AbortSignal;
  sender?: Sender;
}

/** A client that sends a body. While others wait, it is aborted if it is slow. */
export interface Sender {
  /** The bytes that have arrived. */
  received(): number;
  /** Aborts the request, which then frees its bytes. */
  breakOff(): void;
}

export interface ByteBudgetOptions {
  total: number;
  perKey: number;
  timeoutMs?: number;
  /**
   * While other requests wait, a body must arrive as fast as if all reserved bytes came in this time. Otherwise a few clients that
   * send a byte per second could keep everybody else from sending. By default 20 s.
   */
  arrivalMs?: number;
}

/** A reservation whose body is arriving. */
interface Arriving {
  key: string;
  bytes: number;
  sender: Sender;
  since: number;
}

const ARRIVAL_MS = 20_000;
/** Before this time, the rate of a sender is not known. */
const GRACE_MS = 2_000;
const CHECK_MS = 500;

interface Waiter {
  bytes: number;
  grant(): void;
}

/** The requests of a sender. */
interface Queue {
  held: number;
  waiters: Waiter[];
}

export function createByteBudget(options: ByteBudgetOptions): ByteBudget {
  const { total, perKey, timeoutMs = ACQUIRE_TIMEOUT_MS, arrivalMs = ARRIVAL_MS } = options;
  /** A queue moves to the end when it is served. */
  const queues = new Map<string, Queue>();
  const arriving = new Set<Arriving>();
  let held = 0;
  let waiting = 0;
  let checkTimer: ReturnType<typeof setInterval> | undefined;

  const fitsShare = ({ held }: Queue, bytes: number) => held + bytes <= perKey;

  function take(key: string, queue: Queue, bytes: number, sender: Sender | undefined): Release {
    let reserved = bytes;
    held += bytes;
    queue.held += bytes;
    const entry = sender && { key, bytes, sender, since: performance.now() };
    if (entry) arriving.add(entry);
    return (rest = 0) => {
      if (entry) arriving.delete(entry);
      const freed = reserved - rest;
      if (freed <= 0) return;
      reserved = rest;
      held -= freed;
      queue.held -= freed;
      serve();
      deleteUnused(key, queue);
    };
  }

  function deleteUnused(key: string, { held, waiters }: Queue): void {
    if (held === 0 && waiters.length === 0) queues.delete(key);
  }

  /** The first queue whose share allows its next request. */
  function nextInLine(): { key: string; queue: Queue; waiter: Waiter } | undefined {
    for (const [key, queue] of queues) {
      const [waiter] = queue.waiters;
      if (waiter && fitsShare(queue, waiter.bytes)) return { key, queue, waiter };
    }
    return undefined;
  }

  /** Serves waiting requests. The first one waits for enough bytes, so that small requests do not starve large ones. */
  function serve(): void {
    while (waiting > 0) {
      const next = nextInLine();
      if (!next || held + next.waiter.bytes > total) return;
      queues.delete(next.key);
      queues.set(next.key, next.queue);
      next.waiter.grant();
    }
  }

  /** Aborts senders that are slow, the slowest first, until the requests that are next have enough bytes. */
  function breakOffSlow(): void {
    const now = performance.now();
    const progress = ({ bytes, sender, since }: Arriving) =>
      (sender.received() * arrivalMs) / (bytes * (now - since));
    const slow = [...arriving]
      .filter((entry) => now - entry.since >= GRACE_MS && progress(entry) < 1)
      .sort((a, b) => progress(a) - progress(b) || b.bytes - a.bytes);
    const next = nextInLine();
    let missing = next ? held + next.waiter.bytes - total : 0;
    const missingInShares = new Map<string, number>();
    for (const entry of slow) {
      const { key, bytes, sender } = entry;
      const missingInShare = missingInShares.get(key) ?? missingOf(key);
      if (missing <= 0 && missingInShare <= 0) continue;
      missing -= bytes;
      missingInShares.set(key, missingInShare - bytes);
      // Removed now, so that it is aborted once: its bytes are freed later.
      arriving.delete(entry);
      sender.breakOff();
    }
  }

  /** The bytes that the next request of a sender lacks in its share. */
  function missingOf(key: string): number {
    const { held = 0, waiters = [] } = queues.get(key) ?? {};
    return waiters[0] ? held + waiters[0].bytes - perKey : 0;
  }

  function wait(
    key: string,
    queue: Queue,
    bytes: number,
    { signal, sender }: ReserveRequest,
  ): Promise<Release> {
    checkTimer ??= setInterval(breakOffSlow, CHECK_MS);
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.waiters.splice(queue.waiters.indexOf(waiter), 1);
        if (--waiting === 0) {
          clearInterval(checkTimer);
          checkTimer = undefined;
        }
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const refuse = (message: string) => {
        leave();
        deleteUnused(key, queue);
        // Those behind it may need less.
        serve();
        reject(Object.assign(new Error(message), { code: OVER_SHARE }));
      };
      const waiter: Waiter = {
        bytes,
        grant() {
          leave();
          resolve(take(key, queue, bytes, sender));
        },
      };
      const onAbort = () => refuse('the request was aborted');
      const timer = setTimeout(() => refuse(`no memory within ${timeoutMs} ms`), timeoutMs);
      queue.waiters.push(waiter);
      waiting++;
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) onAbort();
    });
  }

  return {
    async reserve(key, bytes, request = {}) {
      const queue = queues.get(key) ?? { held: 0, waiters: [] };
      queues.set(key, queue);
      const fits = queue.waiters.length === 0 && fitsShare(queue, bytes) && held + bytes <= total;
      return fits && !nextInLine()
        ? take(key, queue, bytes, request.sender)
        : wait(key, queue, bytes, request);
    },
    inUse: () => held,
    waiting: () => waiting,
  };
}
