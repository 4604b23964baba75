import { OVER_SHARE, type Semaphore } from '../../db/pool/semaphore.ts';
import {
  countPlaces,
  LIST_PATIENCE_MS,
  placesPerOrg,
  SEARCH_PATIENCE_MS,
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
    searchPatienceMs: SEARCH_PATIENCE_MS,
    shared: false,
  };
}

function polled(taken: Set<Taken>, max: number): Semaphore<true> {
  const perKey = placesPerOrg(max);

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

  return {
    enter(begin, refuse, { key, patienceMs = LIST_PATIENCE_MS } = {}) {
      const deadline = Date.now() + patienceMs;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = () => {
        const place = take(key);
        if (place) {
          const beat = setInterval(() => {
            place.since = Date.now();
          }, BEAT_MS);
          const leave = () => {
            clearInterval(beat);
            taken.delete(place);
          };
          begin(true, leave, leave);
        } else if (Date.now() < deadline) timer = setTimeout(look, POLL_MS);
        else refuse(Object.assign(new Error(`no place within ${patienceMs} ms`), { code: OVER_SHARE }));
      };
      look();
      return () => clearTimeout(timer);
    },
    // Each waiting request polls for itself.
    refuseAll() {},
    inside: () => taken.size,
    waiting: () => 0,
  };
}
