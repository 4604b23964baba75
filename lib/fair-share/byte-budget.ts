import { ACQUIRE_TIMEOUT_MS, OVER_SHARE } from '../../db/pool/semaphore.ts';

/** Limits the bytes that requests hold in memory at a time, in total and per sender: an organization, or an address. */
export interface ByteBudget {
  /**
   * Reserves bytes. Senders that wait are served round-robin, and the requests of one in their order.
   * @param bytes at most `perKey`
   * @param request.signal withdraws the request while it waits
   * @param request.sender for a body that arrives after this call
   * @returns a function that frees them
   * @throws `OVER_SHARE` after the timeout
   */
  reserve(key: string, bytes: number, request?: ReserveRequest): Promise<() => void>;
  inUse(): number;
  waiting(): number;
}

export interface ReserveRequest {
  signal?: AbortSignal;
  sender?: Sender;
}

/** A client that sends a body. While others wait, it is aborted if it is slow. */
export interface Sender {
  /** The bytes that have arrived; undefined when the body is complete. */
  received(): number | undefined;
  /** Aborts the request, which then frees its bytes. */
  breakOff(): void;
}

export interface ByteBudgetOptions {
  total: number;
  perKey: number;
  timeoutMs?: number;
}

/** A reservation whose body is arriving. */
interface Arriving {
  key: string;
  bytes: number;
  sender: Sender;
  since: number;
}

/**
 * While other requests wait, a body must arrive as fast as if all reserved bytes came in this time. Otherwise a few clients
 * that send a byte per second could keep everybody else from sending.
 */
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
  const { total, perKey, timeoutMs = ACQUIRE_TIMEOUT_MS } = options;
  /** A queue moves to the end when it is served. */
  const queues = new Map<string, Queue>();
  const arriving = new Set<Arriving>();
  let held = 0;
  let waiting = 0;
  let checkTimer: ReturnType<typeof setInterval> | undefined;

  const fitsShare = ({ held }: Queue, bytes: number) => held + bytes <= perKey;

  function take(key: string, queue: Queue, bytes: number, sender: Sender | undefined): () => void {
    let isFree = false;
    held += bytes;
    queue.held += bytes;
    const entry = sender && { key, bytes, sender, since: performance.now() };
    if (entry) arriving.add(entry);
    return () => {
      if (isFree) return;
      isFree = true;
      if (entry) arriving.delete(entry);
      held -= bytes;
      queue.held -= bytes;
      serve();
      deleteUnused(key, queue);
    };
  }

  function deleteUnused(key: string, { held, waiters }: Queue): void {
    if (held === 0 && waiters.length === 0) queues.delete(key);
  }

  /** Serves the first queue whose share allows it. It waits for enough bytes, so that small requests do not starve large ones. */
  function serve(): void {
    while (waiting > 0) {
      const next = [...queues].find(
        ([, queue]) => queue.waiters[0] && fitsShare(queue, queue.waiters[0].bytes),
      );
      if (!next) return;
      const [key, queue] = next;
      const [waiter] = queue.waiters as [Waiter];
      if (held + waiter.bytes > total) return;
      queues.delete(key);
      queues.set(key, queue);
      waiter.grant();
    }
  }

  /** Aborts the sender of the largest body that arrives slowly, if a waiting request can use its bytes. */
  function breakOffSlow(): void {
    const now = performance.now();
    const isTotalUsed = isSomeoneNext();
    let largest: Arriving | undefined;
    for (const entry of arriving) {
      const received = entry.sender.received();
      if (received === undefined) {
        arriving.delete(entry);
        continue;
      }
      const ms = now - entry.since;
      const isSlow = ms >= GRACE_MS && received < (entry.bytes * ms) / ARRIVAL_MS;
      const isWanted = isTotalUsed || (queues.get(entry.key)?.waiters.length ?? 0) > 0;
      if (isSlow && isWanted && entry.bytes > (largest?.bytes ?? 0)) largest = entry;
    }
    if (!largest) return;
    // Removed now, so that it is aborted once: its bytes are freed later.
    arriving.delete(largest);
    largest.sender.breakOff();
  }

  function wait(
    key: string,
    queue: Queue,
    bytes: number,
    { signal, sender }: ReserveRequest,
  ): Promise<() => void> {
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

  /** Whether a waiting request is next in line and only the total delays it. */
  function isSomeoneNext(): boolean {
    for (const queue of queues.values())
      if (queue.waiters[0] && fitsShare(queue, queue.waiters[0].bytes)) return true;
    return false;
  }

  return {
    async reserve(key, bytes, request = {}) {
      const queue = queues.get(key) ?? { held: 0, waiters: [] };
      queues.set(key, queue);
      const fits = queue.waiters.length === 0 && fitsShare(queue, bytes) && held + bytes <= total;
      return fits && !isSomeoneNext()
        ? take(key, queue, bytes, request.sender)
        : wait(key, queue, bytes, request);
    },
    inUse: () => held,
    waiting: () => waiting,
  };
}
