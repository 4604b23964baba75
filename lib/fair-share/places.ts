import { sqlState } from '../../db/errors.ts';
import { ABORTED, createSemaphore, type Semaphore } from '../../db/pool/semaphore.ts';
import type { WorkKind } from '../metrics/metrics.ts';

export type Places = Pick<Semaphore<true>, 'acquire' | 'inUse' | 'waiting'>;

/** Places for the expensive work of organizations, each of which may have half of a kind. */
export type WorkPlaces = Record<WorkKind, Places> & {
  searchWaitMs: number;
  /** Whether searches and lists have the same places. */
  shared: boolean;
};

/** With at most this number of connections, searches and lists share one place. */
export const FEW = 3;

/** How long a search waits for a place. It waits longer where lists use the same place. */
export const SEARCH_WAIT_MS = 2_000;
const SEARCH_WAIT_OF_FEW_MS = 10_000;
/** How long a whole list waits for a place. */
export const LIST_WAIT_MS = 30_000;

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
      timeoutMs: LIST_WAIT_MS,
      perKey: placesPerOrg(counts[kind]),
    });
  const list = placesFor('list');
  return max <= FEW
    ? { list, search: list, searchWaitMs: SEARCH_WAIT_OF_FEW_MS, shared: true }
    : { list, search: placesFor('search'), searchWaitMs: SEARCH_WAIT_MS, shared: false };
}

export interface WorkCounter {
  workAdmitted(kind: WorkKind, outcome: 'at once' | 'waited' | 'refused'): void;
}

/** Wraps places to count how requests for them end. */
export function countedPlaces(places: WorkPlaces, counter: WorkCounter): WorkPlaces {
  const timeoutMs = { search: places.searchWaitMs, list: LIST_WAIT_MS };
  const counted = (kind: WorkKind): Places => ({
    ...places[kind],
    async acquire(request) {
      const before = places[kind].waiting();
      const acquired = places[kind].acquire({ timeoutMs: timeoutMs[kind], ...request });
      const waits = places[kind].waiting() > before;
      try {
        const permit = await acquired;
        counter.workAdmitted(kind, waits ? 'waited' : 'at once');
        return permit;
      } catch (error) {
        if (sqlState(error) !== ABORTED) counter.workAdmitted(kind, 'refused');
        throw error;
      }
    },
  });
  return { ...places, search: counted('search'), list: counted('list') };
}
