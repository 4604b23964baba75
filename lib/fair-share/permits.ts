import { sqlState } from '../../db/errors.ts';
import { ABORTED, createSemaphore, type Semaphore } from '../../db/pool/semaphore.ts';
import type { WorkKind } from '../metrics/metrics.ts';

export type Permits = Pick<Semaphore<true>, 'acquire' | 'inUse' | 'waiting'>;

/** Permits for the expensive work of organizations, each of which may have half of a kind. */
export type WorkPermits = Record<WorkKind, Permits> & {
  searchWaitMs: number;
  /** Whether searches and lists have the same permits. */
  shared: boolean;
};

/** With at most this number of connections, searches and lists share one permit. */
export const FEW = 3;

/** How long a search waits for a permit. It waits longer where lists use the same permit. */
export const SEARCH_WAIT_MS = 2_000;
const SEARCH_WAIT_OF_FEW_MS = 10_000;
/** How long a whole list waits for a permit. */
export const LIST_WAIT_MS = 30_000;

/** The permits of a kind that one organization may hold. */
export const permitsPerOrg = (permits: number): number => Math.max(1, Math.ceil(permits / 2));

/**
 * The number of permits for `max` connections: half as many in total, fewer for searches, which use the most CPU time of
 * PostgreSQL.
 */
export function countPermits(max: number): Record<'search' | 'list', number> {
  const all = Math.max(1, Math.floor(max / 2));
  const search = Math.max(1, Math.floor(all / 2));
  return { search, list: Math.max(1, all - search) };
}

/** Reports that a process reads at a time. Each needs a processor, and up to ten times its size. */
const REPORTS = 2;

/** How long a report waits for its turn. */
export const REPORT_WAIT_MS = 10_000;

/** Creates the permits of a process. @param max its connections */
export function createWorkPermits(max: number): WorkPermits {
  const counts = { ...countPermits(max), report: REPORTS };
  const permitsFor = (kind: WorkKind) =>
    createSemaphore(Array<true>(counts[kind]).fill(true), {
      timeoutMs: LIST_WAIT_MS,
      perKey: permitsPerOrg(counts[kind]),
    });
  const [list, report] = [permitsFor('list'), permitsFor('report')];
  return max <= FEW
    ? { list, report, search: list, searchWaitMs: SEARCH_WAIT_OF_FEW_MS, shared: true }
    : { list, report, search: permitsFor('search'), searchWaitMs: SEARCH_WAIT_MS, shared: false };
}

export interface WorkCounter {
  workAdmitted(kind: WorkKind, outcome: 'at once' | 'waited' | 'refused'): void;
}

/** Wraps permits to count how requests for them end. */
export function countedPermits(permits: WorkPermits, counter: WorkCounter): WorkPermits {
  const timeoutMs = { search: permits.searchWaitMs, list: LIST_WAIT_MS, report: REPORT_WAIT_MS };
  const counted = (kind: WorkKind): Permits => ({
    ...permits[kind],
    async acquire(request) {
      const before = permits[kind].waiting();
      const acquired = permits[kind].acquire({ timeoutMs: timeoutMs[kind], ...request });
      const waits = permits[kind].waiting() > before;
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
  return { ...permits, search: counted('search'), list: counted('list'), report: counted('report') };
}
