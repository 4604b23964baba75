import {
  type Change,
  changeStatuses,
  type Failure,
  type Outcome,
  type Previous,
  type Send,
} from './change-statuses.ts';

/** A bulk change that is running, or that ended incomplete. */
export interface Job extends Outcome {
  total: number;
  running: boolean;
  undoing: boolean;
}

type OnDone = (outcome: Outcome) => void;

/** Changes that are sent, reported and undone together. */
interface Run {
  changes: readonly Change[];
  settled: Promise<void>;
}

/** Reports to the user. */
export interface Messages {
  changed(changes: readonly Change[], undo: () => void): void;
  undone(changes: readonly Change[]): void;
  failed(failure: Failure, error: unknown): void;
  notRestored(count: number): void;
  nothingToUndo(): void;
  busy(): void;
  explain(this: void, error: unknown): string;
}

interface Dependencies {
  send: Send;
  /** Shows new statuses before the service has answered. @returns reverts the display */
  show(changes: readonly Change[]): () => void;
  /** Reads findings again once no request is in progress. */
  refresh(): void;
  messages: Messages;
}

export interface Triage {
  /** Sets statuses. The display changes immediately. */
  run(changes: readonly Change[], onDone?: OnDone): void;
  /** Undoes the last change. */
  undo(): void;
  /** Stops the running bulk change after the current batch. */
  stop(): void;
  /** Repeats the part of the last bulk change that failed or was not tried. */
  retry(onDone?: OnDone): void;
  /** Discards the outcome of the last bulk change. */
  dismiss(): void;
  job(this: void): Job | undefined;
  subscribe(this: void, listener: () => void): () => void;
}

/** The most changes that can be undone. */
const MAX_UNDO = 50;

/** Changes statuses of findings. Every page that triages uses it. */
export function createTriage({ send, show, refresh, messages }: Dependencies): Triage {
  const listeners = new Set<() => void>();
  const running = new Set<Run>();
  let job: Job | undefined;
  let abort: AbortController | undefined;
  let started = 0;
  /** In the order in which the changes were started. Responses may arrive in a different order. */
  let undoable: { order: number; previous: readonly Previous[] }[] = [];

  const setJob = (next: Job | undefined) => {
    job = next;
    for (const listener of listeners) listener();
  };
  const remember = (order: number, previous: readonly Previous[]) => {
    undoable = [...undoable, { order, previous }].sort((a, b) => a.order - b.order).slice(-MAX_UNDO);
  };

  function start(changes: readonly Change[], undoing = false, onDone?: OnDone): void {
    const order = started++;
    const ids = new Set(changes.map(({ id }) => id));
    // Two changes of one finding must reach the service in the order in which they were made.
    const earlier = [...running].filter((one) => one.changes.some(({ id }) => ids.has(id)));
    const revert = show(changes);
    const run: Run = { changes, settled: Promise.resolve() };
    running.add(run);
    run.settled = perform();

    async function perform() {
      const isBulk = changes.length > 1;
      const controller = new AbortController();
      const total = changes.length;
      if (isBulk) {
        abort = controller;
        setJob({ total, running: true, undoing, done: 0, previous: [], failed: [], left: [] });
      }
      await Promise.all(earlier.map(({ settled }) => settled));
      const outcome = await changeStatuses(changes, {
        send,
        explain: messages.explain,
        signal: controller.signal,
        onProgress: ({ done, failed }) => isBulk && job && setJob({ ...job, done, failed: [...failed] }),
      });
      running.delete(run);
      const { previous, failed, left } = outcome;
      const isIncomplete = failed.length > 0 || left.length > 0;
      if (isIncomplete) {
        // Reading the list again may fail for a while. Until then it shows what the service confirmed.
        const changed = new Set(previous.map(({ id }) => id));
        revert();
        show(changes.filter(({ id }) => changed.has(id)));
      }
      if (running.size === 0) refresh();
      if (previous.length > 0 && !undoing) remember(order, previous);
      onDone?.(outcome);
      if (isBulk) setJob(isIncomplete ? { ...outcome, total, running: false, undoing } : undefined);
      report(outcome, isBulk && isIncomplete);
    }

    function report({ previous, failed: [failure], error }: Outcome, isShownAsJob: boolean) {
      if (isShownAsJob) return;
      if (failure) {
        messages.failed(failure, error);
        if (undoing) remember(order, changes);
      } else if (undoing) {
        messages.undone(changes);
      } else if (previous.length > 0) {
        messages.changed(changes, () => undo(previous));
      }
    }
  }

  async function undo(chosen?: readonly Previous[]): Promise<void> {
    if (job?.running) return messages.busy();
    // The last change may still be in progress.
    await Promise.all([...running].map(({ settled }) => settled));
    const previous = chosen ?? undoable.at(-1)?.previous;
    if (!previous) return messages.nothingToUndo();
    undoable = undoable.filter((one) => one.previous !== previous);
    const changes = previous.flatMap(({ status, ...one }) =>
      status === 'verified' ? [] : [{ ...one, status }],
    );
    if (changes.length > 0) start(changes, true);
    if (changes.length < previous.length) messages.notRestored(previous.length - changes.length);
  }

  return {
    run(changes, onDone) {
      if (changes.length > 0 && !(job?.running && changes.length > 1)) start(changes, false, onDone);
    },
    undo: () => void undo(),
    stop: () => abort?.abort(),
    retry(onDone) {
      if (job) start([...job.failed.map(changeOf), ...job.left], job.undoing, onDone);
    },
    dismiss: () => setJob(undefined),
    job: () => job,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const changeOf = ({ reason: _, ...change }: Failure): Change => change;
