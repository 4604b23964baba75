import { ACQUIRE_TIMEOUT_MS, OVER_SHARE } from '../../db/pool/semaphore.ts';
import type { BudgetLoad } from '../metrics/reports.ts';

/** Limits the bytes that requests hold in memory at a time, in total and per sender: an organization, or an address. */
export interface ByteBudget extends BudgetLoad {
  /**
   * Reserves bytes. Senders that wait are served round-robin, and the requests of one in their order.
   * @param bytes at most `perKey`
   * @param request.signal withdraws the request while it waits
   * @param request.sender for a body that arrives after this call
   * @returns a function that frees them; call it when the body has arrived, with the bytes that are still needed, and when none are
   * @throws `OVER_SHARE` after the timeout
   */
  reserve(key: string, bytes: number, request?: ReserveRequest): Promise<Release>;
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
}

/** A reservation whose body is arriving, as it was when it was looked at last. */
interface Arriving {
  key: string;
  bytes: number;
  sender: Sender;
  at: number;
  received: number;
  /** How fast it has come since the time before, as a share of what it must; 1 at first. */
  progress: number;
}

/**
 * While other requests wait, a body must arrive as fast as if all reserved bytes came in this time. Otherwise a few clients that send
 * a byte per second could keep everybody else from sending.
 */
const ARRIVAL_MS = 20_000;
/** The rate of a sender is measured over this time. */
const RATE_MS = 2_000;
/** A request that waits for less may be served without aborting anybody. */
const PATIENCE_MS = 1_000;
const CHECK_MS = 500;

interface Waiter {
  bytes: number;
  since: number;
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
  const refused = { late: 0, slow: 0 };
  let checkTimer: ReturnType<typeof setInterval> | undefined;

  const fitsShare = ({ held }: Queue, bytes: number) => held + bytes <= perKey;

  function take(key: string, queue: Queue, bytes: number, sender: Sender | undefined): Release {
    let reserved = bytes;
    let isFree = false;
    held += bytes;
    queue.held += bytes;
    const entry = sender && { key, bytes, sender, at: performance.now(), received: 0, progress: 1 };
    if (entry) arriving.add(entry);
    return (rest = 0) => {
      if (isFree) return;
      isFree = rest === 0;
      if (entry) arriving.delete(entry);
      const freed = Math.max(0, reserved - rest);
      reserved -= freed;
      held -= freed;
      queue.held -= freed;
      if (freed > 0) serve();
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

  /** The senders that are slow, the slowest first. */
  function findSlow(): Arriving[] {
    const now = performance.now();
    for (const entry of arriving) {
      const ms = now - entry.at;
      if (ms < RATE_MS) continue;
      const received = entry.sender.received();
      entry.progress = ((received - entry.received) * ARRIVAL_MS) / (entry.bytes * ms);
      Object.assign(entry, { at: now, received });
    }
    return [...arriving]
      .filter(({ progress }) => progress < 1)
      .sort((a, b) => a.progress - b.progress || b.bytes - a.bytes);
  }

  /** Aborts slow senders for requests that wait for long. */
  function breakOffSlow(): void {
    const overdue = performance.now() - PATIENCE_MS;
    const slow = findSlow();
    let wanted = held - total;
    for (const [key, queue] of queues) {
      const waiters = queue.waiters.filter(({ since }) => since <= overdue);
      const [first] = waiters;
      if (!first) continue;
      const bytes = waiters.reduce((sum, one) => sum + one.bytes, 0);
      const left = queue.held - perKey;
      const ofKey = slow.filter((entry) => entry.key === key);
      wanted += Math.min(perKey, bytes) - breakOff(ofKey, { least: left + first.bytes, most: left + bytes });
    }
    const next = nextInLine()?.waiter;
    if (!next || next.since > overdue) return;
    const rest = slow.filter((entry) => arriving.has(entry));
    breakOff(rest, { least: held - total + next.bytes, most: wanted });
  }

  /**
   * Aborts senders until `most` bytes are freed: nobody, if `least` bytes are not missing, or more than all of them can free.
   * @returns the bytes that they free
   */
  function breakOff(senders: readonly Arriving[], { least, most }: { least: number; most: number }): number {
    const all = senders.reduce((sum, { bytes }) => sum + bytes, 0);
    if (least <= 0 || all < least) return 0;
    let freed = 0;
    for (const entry of senders) {
      if (freed >= most) break;
      freed += entry.bytes;
      // Removed now, so that it is aborted once: its bytes are freed later.
      arriving.delete(entry);
      refused.slow++;
      entry.sender.breakOff();
    }
    return freed;
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
        since: performance.now(),
        grant() {
          leave();
          resolve(take(key, queue, bytes, sender));
        },
      };
      const onAbort = () => refuse('the request was aborted');
      const timer = setTimeout(() => {
        refused.late++;
        refuse(`no memory within ${timeoutMs} ms`);
      }, timeoutMs);
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
    refused: () => refused,
  };
}
