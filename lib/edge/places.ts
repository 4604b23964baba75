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

/** Places of one kind that are taken: plain data, which all requests of an isolate may touch. */
interface Taken {
  key: string | undefined;
  /** When it was last said that it is in use. */
  since: number;
}

/** What all requests of an isolate share. */
export type TakenPlaces = Record<WorkKind, Set<Taken>>;

export const noPlacesTaken = (): TakenPlaces => ({ search: new Set(), list: new Set() });

/**
 * Connections that an isolate's requests are counted on to use at a time; how many there are, Hyperdrive decides and does not
 * tell.
 */
const CONNECTIONS = 20;
const POLL_MS = 20;
/** workerd ends the request of a client that has gone without a word, and its timers: whoever has a place says so often. */
const BEAT_MS = 250;
const FORGOTTEN_MS = 1_000;

/** The places as one request sees them: no promise of another request can wake it, so it looks again and again. */
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
