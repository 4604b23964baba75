import {
  ABORTED,
  ACQUIRE_TIMEOUT_MS,
  type AcquireRequest,
  OVER_SHARE,
  type Release,
} from '../../db/pool/semaphore.ts';
import { countPermits, type Permits, permitsPerAccount, type WorkPermits } from '../fair-share/permits.ts';
import type { WorkKind } from '../metrics/reports.ts';

/** A permit in use. Plain data, because workerd lets requests share nothing else. */
interface Taken {
  key: string | undefined;
  /** Time of the latest heartbeat. */
  since: number;
}

/** The permits in use of all requests of an isolate. */
export type TakenPermits = Record<WorkKind, Set<Taken>>;

export const noPermitsTaken = (): TakenPermits => ({
  search: new Set(),
  list: new Set(),
  report: new Set(),
});

/** Assumed number of connections, because Hyperdrive does not report its limit. */
const CONNECTIONS = 20;
const POLL_MS = 20;
/** Interval of the heartbeat. workerd ends the request of a disconnected client, and its timers, without notice. */
const BEAT_MS = 250;
/** A permit without a heartbeat for this time is free. */
const FORGOTTEN_MS = 1_000;

/** The permits for one request. It polls, because workerd does not let another request resolve its promises. */
export function permitsOf(taken: TakenPermits): WorkPermits {
  const counts = countPermits(CONNECTIONS);
  return {
    search: polled(taken.search, counts.search),
    list: polled(taken.list, counts.list),
    report: polled(taken.report, counts.report),
  };
}

function polled(taken: Set<Taken>, max: number): Permits {
  const perAccount = permitsPerAccount(max);
  let waiting = 0;

  function take(key: string | undefined): Taken | undefined {
    const now = Date.now();
    let ofKey = 0;
    for (const permit of taken) {
      if (now - permit.since > FORGOTTEN_MS) taken.delete(permit);
      else if (permit.key === key) ofKey++;
    }
    if (taken.size >= max || (key !== undefined && ofKey >= perAccount)) return undefined;
    const permit = { key, since: now };
    taken.add(permit);
    return permit;
  }

  async function poll(key: string | undefined, timeoutMs: number, signal?: AbortSignal): Promise<Taken> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (Date.now() >= deadline) throw failure(`no permit within ${timeoutMs} ms`, OVER_SHARE);
      await new Promise((later) => setTimeout(later, POLL_MS));
      if (signal?.aborted) throw failure('the request was aborted', ABORTED);
      const permit = take(key);
      if (permit) return permit;
    }
  }

  const keyOf = ({ sharer }: AcquireRequest) => sharer && (sharer.account ?? sharer.id);

  function hold(permit: Taken): Release {
    const beat = setInterval(() => {
      permit.since = Date.now();
    }, BEAT_MS);
    return () => {
      clearInterval(beat);
      taken.delete(permit);
    };
  }

  return {
    tryAcquire(request = {}) {
      const permit = take(keyOf(request));
      return permit && hold(permit);
    },
    async acquire(request = {}) {
      const { timeoutMs = ACQUIRE_TIMEOUT_MS, signal } = request;
      waiting++;
      const permit = await poll(keyOf(request), timeoutMs, signal).finally(() => waiting--);
      return hold(permit);
    },
    // The readers of an isolate's lists belong to other requests, which cannot be aborted from here.
    isBlocking: () => false,
    inUse: () => taken.size,
    waiting: () => waiting,
  };
}

const failure = (message: string, code: string) => Object.assign(new Error(message), { code });
