import { sqlState } from '../../db/errors.ts';
import type { WithConnection } from '../../db/pool/pool.ts';
import { ABORTED, ACQUIRE_TIMEOUT_MS, createSemaphore, type Semaphore } from '../../db/pool/semaphore.ts';
import type { WorkKind } from '../metrics/reports.ts';
import { untilLong } from './gate.ts';

/** Long enough for reports, which take from a tenth of a second to a minute. */
const READER_HALF_LIFE_MS = 300_000;

export type Permits = Pick<Semaphore, 'tryAcquire' | 'acquire' | 'isBlocking' | 'inUse' | 'waiting'>;

/**
 * Permits for the expensive work of organizations. An account may have half of a kind, but one search while several organizations are
 * active. Searches are all statements that may use a processor of PostgreSQL's for long: also changes of many findings.
 */
export type WorkPermits = Record<WorkKind, Permits>;

/** The permits of a kind that one account may hold. */
export const permitsPerAccount = (permits: number): number => Math.max(1, Math.ceil(permits / 2));

/**
 * The number of permits for `max` connections: half as many in total, fewer for searches, which use the most CPU time of
 * PostgreSQL. A process reads two reports at a time, if it has the memory: each needs a processor, and up to ten times its size.
 */
export function countPermits(max: number, report = 2): Record<WorkKind, number> {
  const all = Math.max(1, Math.floor(max / 2));
  const search = Math.max(1, Math.floor(all / 2));
  return { search, list: Math.max(1, all - search), report };
}

/**
 * Creates the permits of a process.
 * @param max its connections
 * @param isShared whether several organizations are active
 * @param reports how many reports are read at a time
 */
export function createWorkPermits(max: number, isShared: () => boolean, reports?: number): WorkPermits {
  const counts = countPermits(max, reports);
  const permitsFor = (total: number, perAccount: number | (() => number)) =>
    createSemaphore({ total, perAccount, timeoutMs: ACQUIRE_TIMEOUT_MS });
  const searches = permitsPerAccount(counts.search);
  return {
    search: permitsFor(counts.search, () => (isShared() ? 1 : searches)),
    list: permitsFor(counts.list, permitsPerAccount(counts.list)),
    report: createSemaphore({
      ...{ total: counts.report, perAccount: permitsPerAccount(counts.report) },
      ...{ timeoutMs: ACQUIRE_TIMEOUT_MS, halfLifeMs: READER_HALF_LIFE_MS },
    }),
  };
}

export interface WorkCounter {
  workAdmitted(kind: WorkKind, outcome: 'at once' | 'waited' | 'refused'): void;
}

/** Wraps permits to count how requests for them end. */
export function countedPermits(permits: WorkPermits, counter: WorkCounter): WorkPermits {
  function counted(kind: WorkKind): Permits {
    const tryAcquire: Permits['tryAcquire'] = (request) => {
      const release = permits[kind].tryAcquire(request);
      if (release) counter.workAdmitted(kind, 'at once');
      return release;
    };
    const acquire: Permits['acquire'] = async (request) => {
      const free = tryAcquire(request);
      if (free) return free;
      try {
        const release = await permits[kind].acquire(request);
        counter.workAdmitted(kind, 'waited');
        return release;
      } catch (error) {
        if (sqlState(error) !== ABORTED) counter.workAdmitted(kind, 'refused');
        throw error;
      }
    };
    return { ...permits[kind], tryAcquire, acquire };
  }
  return { search: counted('search'), list: counted('list'), report: counted('report') };
}

/**
 * Limits one kind of work to `max` connections at a time, so that the others remain for the rest. One account gets at most all
 * but one.
 */
export function createConnectionShare(withConnection: WithConnection, max: number): WithConnection {
  const permits = createSemaphore({
    ...{ total: max, perAccount: Math.max(1, max - 1), timeoutMs: ACQUIRE_TIMEOUT_MS },
  });
  return async (use, org) => {
    const release = untilLong(await permits.acquire({ sharer: org }));
    try {
      return await withConnection(use, org);
    } finally {
      release();
    }
  };
}
