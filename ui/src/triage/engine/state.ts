import { createStore } from '../../app/store.ts';
import type { Job, Run, Undoable, UndoStack } from './model.ts';

/** The most changes that can be undone with the key. `GET /changes` lists all. */
const MAX_UNDO = 50;

export const createUndoStack = (): UndoStack => ({ started: 0, changes: [] });

export type State = ReturnType<typeof createState>;

/** The state of the engine: changes in progress, and changes that can be undone. */
export function createState(undoable: UndoStack) {
  const job = createStore<Job | undefined>(undefined);
  let abort: AbortController | undefined;
  return {
    running: new Set<Run>(),
    job: job.get,
    setJob: job.set,
    /** Begins a bulk change. @returns the signal that `stop` aborts */
    begin(next: Job): AbortSignal {
      abort = new AbortController();
      job.set(next);
      return abort.signal;
    },
    stop: () => abort?.abort(),
    subscribe: job.subscribe,

    /** The position of a new change among those that can be undone. */
    nextOrder: (): number => undoable.started++,
    last: (): Undoable | undefined => undoable.changes.at(-1),
    remember(this: void, change: Undoable): void {
      undoable.changes = [...undoable.changes, change].sort((a, b) => a.order - b.order).slice(-MAX_UNDO);
    },
    forget(this: void, change: Undoable | undefined): void {
      undoable.changes = undoable.changes.filter((one) => one !== change);
    },
  };
}

/** A bulk change of so many findings, before its first request. */
export const begun = (total: number): Job => ({
  total,
  running: true,
  undoing: false,
  done: 0,
  failed: [],
  kept: 0,
  left: 0,
  unknown: 0,
});
