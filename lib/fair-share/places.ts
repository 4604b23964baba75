import { createSemaphore, type Semaphore } from '../../db/pool/semaphore.ts';
import type { WorkKind } from '../metrics/metrics.ts';

/** Places for the expensive work of organizations, each of which may have half of a kind. */
export type WorkPlaces = Record<WorkKind, Semaphore<true>> & {
  searchPatienceMs: number;
  /** Whether searches and lists have the same places. */
  shared: boolean;
};

/** With at most this number of connections, searches and lists share one place. */
export const FEW = 3;

/** How long a search waits for a place. It waits longer where lists use the same place. */
export const SEARCH_PATIENCE_MS = 2_000;
const SEARCH_PATIENCE_OF_FEW_MS = 10_000;
/** How long a whole list waits for a place. */
export const LIST_PATIENCE_MS = 30_000;

/** The places of a kind that one organization may hold. */
export const placesPerOrg = (places: number): number => Math.max(1, Math.ceil(places / 2));

/**
 * The number of places for `max` connections: half as many in total, fewer for searches, which use the most CPU time of
 * PostgreSQL.
 */
export function countPlaces(max: number): Record<WorkKind, number> {
  const all = Math.max(1, Math.floor(max / 2));
  const search = Math.max(1, Math.floor(all / 2));
  return { search, list: Math.max(1, all - search) };
}

/** Creates the places of a process. @param max its connections */
export function createWorkPlaces(max: number): WorkPlaces {
  const counts = countPlaces(max);
  const placesFor = (kind: WorkKind) =>
    createSemaphore(Array<true>(counts[kind]).fill(true), {
      patienceMs: LIST_PATIENCE_MS,
      perKey: placesPerOrg(counts[kind]),
    });
  const list = placesFor('list');
  return max <= FEW
    ? { list, search: list, searchPatienceMs: SEARCH_PATIENCE_OF_FEW_MS, shared: true }
    : { list, search: placesFor('search'), searchPatienceMs: SEARCH_PATIENCE_MS, shared: false };
}

export interface WorkCounter {
  workAdmitted(kind: WorkKind, outcome: 'at once' | 'waited' | 'refused'): void;
}

/** Wraps places to count how requests for them end. */
export function countedPlaces(places: WorkPlaces, counter: WorkCounter): WorkPlaces {
  const patienceMs = { search: places.searchPatienceMs, list: LIST_PATIENCE_MS };
  const counted = (kind: WorkKind): Semaphore<true> => ({
    ...places[kind],
    enter(begin, refuse, request) {
      let waited = false;
      const withdraw = places[kind].enter(
        (thing, ...rest) => {
          counter.workAdmitted(kind, waited ? 'waited' : 'at once');
          begin(thing, ...rest);
        },
        (error) => {
          counter.workAdmitted(kind, 'refused');
          refuse(error);
        },
        { patienceMs: patienceMs[kind], ...request },
      );
      waited = true;
      return withdraw;
    },
  });
  return { ...places, search: counted('search'), list: counted('list') };
}
