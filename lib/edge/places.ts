import { ABORTED, OVER_SHARE } from '../../db/pool/semaphore.ts';
import {
  countPlaces,
  LIST_WAIT_MS,
  type Places,
  placesPerOrg,
  SEARCH_WAIT_MS,
  type WorkPlaces,
} from '../fair-share/places.ts';
import type { WorkKind } from '../metrics/metrics.ts';

/** A place in use. Plain data, because workerd lets requests share nothing else. */
interface Taken {
  key: string | undefined;
  /** Time of the latest heartbeat. */
  since: number;
}

/** The places in use of all requests of an isolate. */
export type TakenPlaces = Record<WorkKind, Set<Taken>>;

export const noPlacesTaken = (): TakenPlaces => ({ search: new Set(), list: new Set() });

/** Assumed number of connections, because Hyperdrive does not report its limit. */
const CONNECTIONS = 20;
const POLL_MS = 20;
/** Interval of the heartbeat. workerd ends the request of a disconnected client, and its timers, without notice. */
const BEAT_MS = 250;
/** A place without a heartbeat for this time is free. */
const FORGOTTEN_MS = 1_000;

/** The places for one request. It polls, because workerd does not let another request resolve its promises. */
export function placesOf(taken: TakenPlaces): WorkPlaces {
  const counts = countPlaces(CONNECTIONS);
  return {
    search: polled(taken.search, counts.search),
    list: polled(taken.list, counts.list),
    searchWaitMs: SEARCH_WAIT_MS,
    shared: false,
  };
}

function polled(taken: Set<Taken>, max: number): Places {
  const perKey = placesPerOrg(max);
  let waiting = 0;

  function take(key: string | undefined): Taken | undefined {
    const now = Date.now();
    let ofKey = 0;
    for (const place of taken) {
      if (now - place.since > FORGOTTEN_MS) taken.delete(place);
      else if (place.key === key) ofKey++;
    }
    if (taken.size >= max || (key !== undefined && ofKey >= perKey)) return undefined;
    const place = { key, since: now };
    taken.add(place);
    return place;
  }

  async function poll(key: string | undefined, timeoutMs: number, signal?: AbortSignal): Promise<Taken> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (Date.now() >= deadline) throw failure(`no place within ${timeoutMs} ms`, OVER_SHARE);
      await new Promise((later) => setTimeout(later, POLL_MS));
      if (signal?.aborted) throw failure('the request was aborted', ABORTED);
      const place = take(key);
      if (place) return place;
    }
  }

  return {
    async acquire({ key, timeoutMs = LIST_WAIT_MS, signal } = {}) {
      let place = take(key);
      if (!place) {
        waiting++;
        place = await poll(key, timeoutMs, signal).finally(() => waiting--);
      }
      const held = place;
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
