import { overShare } from './over-share.ts';

/** The steps of each organization's expensive work: searches, whole lists, and changes of many findings. */
export interface OrgSteps {
  /**
   * Runs one step of expensive work: immediately if no other organization is active, otherwise after earlier steps of the same
   * organization. Steps of one kind pause after each other, so that the lists of an organization together take a quarter of a
   * processor, and its searches and changes another one, except for steps longer than a third of a second. One step of each kind at a
   * time waits for the others: any number of changes, which need no permit, delay a search by one of them.
   * @param signal withdraws a step that has not begun
   * @throws `OVER_SHARE` when it is withdrawn
   */
  oneAtATime<T>(orgId: string, kind: StepKind, step: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Milliseconds to pause after `ms` milliseconds of such work outside of a step; 0 if no other organization is active. */
  restAfter(orgId: string, kind: StepKind, ms: number): number;
}

/** Work that is done in steps: a search, a part of a whole list, a part of many changes. */
export type StepKind = 'search' | 'list' | 'change';

/**
 * The part of one processor's time that the lists of an organization together take, because they must end within ten minutes.
 * Searches and changes divide as much among the kinds of work in progress, of which requests are one if there are too many.
 */
const EXPENSIVE_PART = 1 / 4;
/** A search holds a permit while it waits for the end of the pause. */
const MAX_REST_MS = 1_000;

export interface StepsOptions {
  /** Whether an organization must leave time to others. */
  mustShare(orgId: string): boolean;
  /** Whether an organization sends too many requests, which are one more kind of work. */
  isOverloaded(orgId: string): boolean;
}

export interface Steps extends OrgSteps {
  /** Whether steps of the organization run, wait or pause. Those of one that was alone do not count. */
  isWorking(orgId: string): boolean;
}

export function createSteps({ mustShare, isOverloaded }: StepsOptions): Steps {
  /** The work of each organization: its latest step, and the latest one of each kind with the pause after it. */
  const works = new Map<string, { latest: Promise<void>; kinds: Map<StepKind, Promise<void>> }>();

  function restAfter(id: string, kind: StepKind, ms: number): number {
    if (!mustShare(id)) return 0;
    const kinds = kind === 'list' ? 1 : (works.get(id)?.kinds.size ?? 1) + (isOverloaded(id) ? 1 : 0);
    return Math.min(MAX_REST_MS, (kinds / EXPENSIVE_PART - 1) * ms);
  }

  function inTurn<T>(
    id: string,
    kind: StepKind,
    step: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const work = works.get(id) ?? { latest: Promise.resolve(), kinds: new Map() };
    works.set(id, work);
    let began: number | undefined;
    const result = (work.kinds.get(kind) ?? Promise.resolve()).then(() => {
      const ended = work.latest.then(() => {
        if (signal?.aborted) throw withdrawn();
        began = performance.now();
        return step();
      });
      work.latest = ended.then(ignore, ignore);
      return ended;
    });
    const rest = async () => {
      const ms = began === undefined ? 0 : restAfter(id, kind, performance.now() - began);
      if (ms > 0) await new Promise((over) => setTimeout(over, ms));
    };
    const rested: Promise<void> = result.then(rest, rest).then(() => {
      if (work.kinds.get(kind) === rested) work.kinds.delete(kind);
      if (work.kinds.size === 0) works.delete(id);
    });
    work.kinds.set(kind, rested);
    if (!signal) return result;
    return new Promise((resolve, reject) => {
      const withdraw = () => began === undefined && reject(withdrawn());
      signal.addEventListener('abort', withdraw);
      result.then(resolve, reject).finally(() => signal.removeEventListener('abort', withdraw));
    });
  }

  return {
    oneAtATime: (id, kind, step, signal) => (mustShare(id) ? inTurn(id, kind, step, signal) : step()),
    restAfter,
    isWorking: (id) => works.has(id),
  };
}

const ignore = () => {};
const withdrawn = () => overShare('the request was aborted');
