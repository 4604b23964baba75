import type { Job, Run, Undoable, UndoStack } from './model.ts';

/** The most changes that can be undone with the key. `GET /changes` lists all. */
const MAX_UNDO = 50;

export const createUndoStack = (): UndoStack => ({ started: 0, changes: [] });

export type State = ReturnType<typeof createState>;

/** The state of the engine: changes in progress, and changes that can be undone. */
export function createState(undoable: UndoStack) {
  const listeners = new Set<() => void>();
  let job: Job | undefined;
  let abort: AbortController | undefined;
  const setJob = (next: Job | undefined): void => {
    job = next;
    for (const listener of listeners) listener();
  };
  return {
    running: new Set<Run>(),
    job: (): Job | undefined => job,
    setJob,
    /** Begins a bulk change. @returns the signal that `stop` aborts */
    begin(next: Job): AbortSignal {
      abort = new AbortController();
      setJob(next);
      return abort.signal;
    },
    stop: () => abort?.abort(),
    subscribe(this: void, listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

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
