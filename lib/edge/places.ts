import { OVER_SHARE, type Semaphore } from '../../db/pool/semaphore.ts';
import {
  countPlaces,
  LIST_PATIENCE_MS,
  placesPerOrg,
  SEARCH_PATIENCE_MS,
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
