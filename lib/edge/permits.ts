import { ABORTED, OVER_SHARE } from '../../db/pool/semaphore.ts';
import {
  countPermits,
  LIST_WAIT_MS,
  type Permits,
  permitsPerOrg,
  SEARCH_WAIT_MS,
  type WorkPermits,
} from '../fair-share/permits.ts';
import type { WorkKind } from '../metrics/metrics.ts';

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

/** Reports in the memory of an isolate. */
const REPORTS = 2;
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
    report: polled(taken.report, REPORTS),
    searchWaitMs: SEARCH_WAIT_MS,
    shared: false,
  };
}

function polled(taken: Set<Taken>, max: number): Permits {
  const perKey = permitsPerOrg(max);
  let waiting = 0;

  function take(key: string | undefined): Taken | undefined {
    const now = Date.now();
    let ofKey = 0;
    for (const permit of taken) {
      if (now - permit.since > FORGOTTEN_MS) taken.delete(permit);
      else if (permit.key === key) ofKey++;
    }
    if (taken.size >= max || (key !== undefined && ofKey >= perKey)) return undefined;
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

  return {
    async acquire({ key, timeoutMs = LIST_WAIT_MS, signal } = {}) {
      let permit = take(key);
      if (!permit) {
        waiting++;
        permit = await poll(key, timeoutMs, signal).finally(() => waiting--);
      }
      const held = permit;
      const beat = setInterval(() => {
        held.since = Date.now();
      }, BEAT_MS);
      const release = () => {
        clearInterval(beat);
        taken.delete(held);
      };
      return { resource: true, release };
    },
    inUse: () => taken.size,
    waiting: () => waiting,
  };
}

const failure = (message: string, code: string) => Object.assign(new Error(message), { code });
