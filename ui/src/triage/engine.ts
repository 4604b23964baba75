import type { FindingFilter, FindingStatus } from '../app/search.ts';
import {
  changeMatching,
  isLost,
  isOtherCount,
  MATCHING_BATCH,
  type MatchingChange,
  type MatchingOutcome,
  nothingMatched,
  type SendMatching,
} from './change-matching.ts';
import {
  type Change,
  type Conflict,
  changeStatuses,
  type Failure,
  type Outcome,
  type Previous,
  type Send,
} from './change-statuses.ts';

/** A bulk change that is running, or that ended incomplete. */
export interface Job {
  total: number;
  running: boolean;
  undoing: boolean;
  done: number;
  failed: readonly Failure[];
  /** Findings that someone else has changed, and that were left alone. */
  kept: number;
  /** Findings that were not tried. */
  left: number;
  /** Findings that may have been changed by a request whose response was lost. */
  unknown: number;
  /** The error of the request that failed. */
  error?: unknown;
}

type OnDone = (outcome: Outcome) => void;

/** Changes that are sent, reported and undone together. */
interface Run {
  /** Whether it changes one of these findings. */
  covers(ids: ReadonlySet<string>): boolean;
  settled: Promise<void>;
}

/** Changes that can be undone. */
export interface Undoable {
  /** Changes are in the order in which they were started. Responses may arrive in a different order. */
  order: number;
  changeIds: readonly string[];
  /** How many findings were changed. */
  count: number;
  /** The changed findings; none if they were changed by a filter. */
  previous: readonly Previous[];
}

/** The changes of this visit that can be undone. Pages of an organization share them. */
export interface UndoStack {
  started: number;
  changes: Undoable[];
}

export const createUndoStack = (): UndoStack => ({ started: 0, changes: [] });

/** The response to a request that undoes a change. */
export interface Undone {
  restored: { id: string; status: FindingStatus }[];
  conflicts: { id: string; status: FindingStatus }[];
}

/** Reports to the user. */
export interface Messages {
  changed(changes: readonly Change[], undo: () => void): void;
  /** @param gone how many findings no longer matched when it was their turn */
  changedMatching(
    change: MatchingChange,
    result: { done: number; kept: number; gone: number },
    undo: () => void,
  ): void;
  /** Another number of findings matches by now. @param proceed changes them nevertheless */
  otherCount(change: MatchingChange, count: number, proceed: () => void): void;
  /** @param findings the restored ones @param kept how many someone else has changed since */
  undone(findings: readonly Previous[], kept: number): void;
  failed(failure: { why: string }, error: unknown): void;
  /** @param overwrite makes the changes nevertheless */
  conflicts(conflicts: readonly Conflict[], overwrite: () => void): void;
  nothingToUndo(): void;
  busy(): void;
  explain(this: void, error: unknown): string;
}

interface Dependencies {
  send: Send;
  sendMatching: SendMatching;
  /** How many findings match a filter now. */
  countMatching(filter: FindingFilter): Promise<number>;
  undo(changeId: string): Promise<Undone>;
  undoable: UndoStack;
  /** Shows new values before the service has answered. @returns reverts the display */
  show(changes: readonly Change[]): () => void;
  /** Shows what the service has restored. */
  showRestored(findings: Undone['restored']): void;
  /** Reads findings again once no request is in progress. */
  refresh(): void;
  messages: Messages;
}

export interface Triage {
  /** Changes findings. The display changes immediately. */
  run(changes: readonly Change[], onDone?: OnDone): void;
  /** Changes all findings that match a filter. @param onDone called when nothing is left to do */
  runMatching(change: MatchingChange, onDone?: () => void): void;
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

/** The most changes that can be undone with the key. `GET /changes` lists all. */
const MAX_UNDO = 50;

/** Changes findings. Every page that triages uses it. */
export function createTriage(dependencies: Dependencies): Triage {
  const { send, show, refresh, messages, undoable } = dependencies;
  const listeners = new Set<() => void>();
  const running = new Set<Run>();
  let job: Job | undefined;
  let abort: AbortController | undefined;
  /** Repeats what is left of the job. */
  let again: (onDone?: OnDone) => void = () => {};

  const setJob = (next: Job | undefined) => {
    job = next;
    for (const listener of listeners) listener();
  };
  const remember = (change: Undoable) => {
    undoable.changes = [...undoable.changes, change].sort((a, b) => a.order - b.order).slice(-MAX_UNDO);
  };

  function start(changes: readonly Change[], onDone?: OnDone): void {
    const order = undoable.started++;
    const ids = new Set(changes.map(({ id }) => id));
    // Two changes of one finding must reach the service in the order in which they were made.
    const earlier = [...running].filter((one) => one.covers(ids));
    const revert = show(changes);
    const run: Run = {
      covers: (others) => changes.some(({ id }) => others.has(id)),
      settled: Promise.resolve(),
    };
    running.add(run);
    run.settled = perform();

    async function perform() {
      const isBulk = changes.length > 1;
      const controller = new AbortController();
      const total = changes.length;
      if (isBulk) {
        abort = controller;
        setJob(begun(total));
      }
      await Promise.all(earlier.map(({ settled }) => settled));
      const outcome = await changeStatuses(changes, {
        send,
        explain: messages.explain,
        signal: controller.signal,
        onProgress: ({ done, failed }) => isBulk && job && setJob({ ...job, done, failed: [...failed] }),
      });
      running.delete(run);
      const { previous, changeIds, failed, conflicts, left } = outcome;
      const isIncomplete = failed.length > 0 || left.length > 0;
      const changed = new Set(previous.map(({ id }) => id));
      if (isIncomplete || conflicts.length > 0) {
        // Reading the list again may fail for a while. Until then it shows what the service confirmed.
        revert();
        show(changes.filter(({ id }) => changed.has(id)));
      }
      if (running.size === 0) refresh();
      const undo = { order, changeIds, count: previous.length, previous };
      if (previous.length > 0) remember(undo);
      onDone?.(outcome);
      if (isBulk) {
        again = (next) => start([...failed.map(changeOf), ...left], next ?? onDone);
        const { done, error } = outcome;
        setJob(
          isIncomplete
            ? { ...begun(total), running: false, done, failed, left: left.length, error }
            : undefined,
        );
      }
      if (conflicts.length > 0) messages.conflicts(conflicts, () => overwrite(conflicts, onDone));
      const [failure] = failed;
      if (isBulk && isIncomplete) return;
      if (failure) messages.failed(failure, outcome.error);
      else if (previous.length > 0)
        messages.changed(
          changes.filter(({ id }) => changed.has(id)),
          () => void undoChange(undo),
        );
    }
  }

  function startMatching(
    change: MatchingChange,
    onDone?: () => void,
    from: MatchingOutcome = nothingMatched(),
    undoFrom?: Undoable,
  ): void {
    const order = undoable.started++;
    const { total } = change;
    const earlier = [...running];
    const controller = new AbortController();
    abort = controller;
    setJob({ ...begun(total), done: from.done, kept: from.kept });
    // It may change any finding.
    const run: Run = { covers: () => true, settled: Promise.resolve() };
    running.add(run);
    run.settled = perform();

    async function perform() {
      await Promise.all(earlier.map(({ settled }) => settled));
      const outcome = await changeMatching(change, from, {
        send: dependencies.sendMatching,
        signal: controller.signal,
        onProgress: ({ done, kept }) => job && setJob({ ...job, done, kept }),
      });
      running.delete(run);
      if (running.size === 0) refresh();
      const { done, kept, changeIds, complete, error } = outcome;
      const undo: Undoable = { order, changeIds, count: done, previous: [] };
      undoable.changes = undoable.changes.filter((one) => one !== undoFrom);
      if (done > 0) remember(undo);
      if (isOtherCount(outcome)) return await askAgain(error);
      const left = Math.max(0, total - done - kept);
      if (complete) {
        setJob(undefined);
        onDone?.();
        messages.changedMatching(change, { done, kept, gone: left }, () => void undoChange(undo));
        return;
      }
      again = () => startMatching(change, onDone, outcome, undo);
      const unknown = isLost(error) ? Math.min(left, MATCHING_BATCH) : 0;
      setJob({ ...begun(total), running: false, done, kept, left, unknown, error });
    }

    async function askAgain(error: unknown) {
      try {
        const count = await dependencies.countMatching(change.filter);
        setJob(undefined);
        messages.otherCount(change, count, () => startMatching({ ...change, total: count }, onDone));
      } catch {
        setJob(undefined);
        messages.failed({ why: messages.explain(error) }, error);
      }
    }
  }

  /** Changes findings that someone else has changed, unless somebody changes them once more. */
  const overwrite = (conflicts: readonly Conflict[], onDone?: OnDone) =>
    start(
      conflicts.map(({ now, ...change }) => ({ ...change, if_status: now })),
      onDone,
    );

  async function undoChange(chosen?: Undoable): Promise<void> {
    if (job?.running) return messages.busy();
    // The last change may still be in progress.
    await Promise.all([...running].map(({ settled }) => settled));
    const change = chosen ?? undoable.changes.at(-1);
    if (!change) return messages.nothingToUndo();
    undoable.changes = undoable.changes.filter((one) => one !== change);
    const { previous, count: total } = change;
    const titles = new Map(previous.map(({ id, title }) => [id, title]));
    const controller = new AbortController();
    if (total > 1) {
      abort = controller;
      setJob({ ...begun(total), undoing: true });
    }
    const restored: Previous[] = [];
    let kept = 0;
    // The last request was made last.
    const ids = [...change.changeIds].reverse();
    let error: unknown;
    while (ids.length > 0 && !controller.signal.aborted && error === undefined) {
      try {
        const part = await dependencies.undo(ids[0] as string);
        ids.shift();
        dependencies.showRestored(part.restored);
        for (const { id, status } of part.restored)
          restored.push({ id, status, title: titles.get(id) ?? id });
        kept += part.conflicts.length;
        if (job?.undoing) setJob({ ...job, done: restored.length + kept });
      } catch (failure) {
        error = failure;
      }
    }
    if (total > 1) setJob(undefined);
    if (running.size === 0) refresh();
    const undone = restored.length + kept;
    if (ids.length > 0) remember({ ...change, changeIds: ids.reverse(), count: total - undone });
    if (error !== undefined) messages.failed({ why: messages.explain(error) }, error);
    else messages.undone(restored, kept);
  }

  return {
    run(changes, onDone) {
      if (changes.length > 0 && !(job?.running && changes.length > 1)) start(changes, onDone);
    },
    runMatching(change, onDone) {
      if (job?.running) messages.busy();
      else startMatching(change, onDone);
    },
    undo: () => void undoChange(),
    stop: () => abort?.abort(),
    retry(onDone) {
      if (job && !job.running) again(onDone);
    },
    dismiss: () => setJob(undefined),
    job: () => job,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const begun = (total: number): Job => ({
  total,
  running: true,
  undoing: false,
  done: 0,
  failed: [],
  kept: 0,
  left: 0,
  unknown: 0,
});

const changeOf = ({ why: _, ...change }: Failure): Change => change;
