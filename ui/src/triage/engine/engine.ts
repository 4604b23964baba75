import {
  changeMatching,
  isLost,
  isOtherCount,
  MATCHING_BATCH,
  type MatchingChange,
  type MatchingOutcome,
  nothingMatched,
} from './change-matching.ts';
import {
  type Change,
  type Conflict,
  changeStatuses,
  type Failure,
  type Previous,
} from './change-statuses.ts';
import type { Dependencies, OnDone, Run, Triage, Undoable } from './model.ts';
import { begun, createState, type State } from './state.ts';

/** Changes findings. Every page that triages uses it. */
export function createTriage(dependencies: Dependencies): Triage {
  const { send, show, refresh, messages, undoable } = dependencies;
  const state = createState(undoable);
  const { running, setJob, remember } = state;
  const undoChange = createUndo(dependencies, state);
  /** Repeats what is left of the job. */
  let again: (onDone?: OnDone) => void = () => {};

  function start(changes: readonly Change[], onDone?: OnDone): void {
    const order = state.nextOrder();
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
      const total = changes.length;
      const signal = isBulk ? state.begin(begun(total)) : new AbortController().signal;
      await Promise.all(earlier.map(({ settled }) => settled));
      const outcome = await changeStatuses(changes, {
        send,
        explain: messages.explain,
        signal,
        onProgress({ done, failed }) {
          const job = state.job();
          if (isBulk && job) setJob({ ...job, done, failed: [...failed] });
        },
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
      if (failure) messages.failed(failure, outcome.error, () => start(failed.map(changeOf), onDone));
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
    const order = state.nextOrder();
    const { total } = change;
    const earlier = [...running];
    const signal = state.begin({ ...begun(total), done: from.done, kept: from.kept });
    // It may change any finding.
    const run: Run = { covers: () => true, settled: Promise.resolve() };
    running.add(run);
    run.settled = perform();

    async function perform() {
      await Promise.all(earlier.map(({ settled }) => settled));
      const outcome = await changeMatching(change, from, {
        send: dependencies.sendMatching,
        signal,
        onProgress({ done, kept }) {
          const job = state.job();
          if (job) setJob({ ...job, done, kept });
        },
      });
      running.delete(run);
      if (running.size === 0) refresh();
      const { done, kept, changeIds, complete, error } = outcome;
      const undo: Undoable = { order, changeIds, count: done, previous: [] };
      state.forget(undoFrom);
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

  return {
    run(changes, onDone) {
      if (changes.length > 0 && !(state.job()?.running && changes.length > 1)) start(changes, onDone);
    },
    runMatching(change, onDone) {
      if (state.job()?.running) messages.busy();
      else startMatching(change, onDone);
    },
    undo: () => void undoChange(),
    stop: state.stop,
    retry(onDone) {
      if (state.job()?.running === false) again(onDone);
    },
    dismiss: () => setJob(undefined),
    job: state.job,
    subscribe: state.subscribe,
  };
}

const changeOf = ({ why: _, ...change }: Failure): Change => change;

/** Undoes the last change, or a chosen one. */
function createUndo({ undo, showRestored, refresh, messages }: Dependencies, state: State) {
  return async (chosen?: Undoable): Promise<void> => {
    if (state.job()?.running) return messages.busy();
    // The last change may still be in progress.
    await Promise.all([...state.running].map(({ settled }) => settled));
    const change = chosen ?? state.last();
    if (!change) return messages.nothingToUndo();
    state.forget(change);
    const { previous, count: total } = change;
    const titles = new Map(previous.map(({ id, title }) => [id, title]));
    const signal = total > 1 ? state.begin({ ...begun(total), undoing: true }) : undefined;
    const restored: Previous[] = [];
    let kept = 0;
    // The last request was made last.
    const ids = [...change.changeIds].reverse();
    let error: unknown;
    while (ids.length > 0 && !signal?.aborted && error === undefined) {
      try {
        const part = await undo(ids[0] as string);
        ids.shift();
        showRestored(part.restored);
        for (const { id, status, regressed } of part.restored)
          restored.push({ id, status, regressed, title: titles.get(id) ?? id });
        kept += part.conflicts.length;
        const job = state.job();
        if (job?.undoing) state.setJob({ ...job, done: restored.length + kept });
      } catch (failure) {
        error = failure;
      }
    }
    if (total > 1) state.setJob(undefined);
    if (state.running.size === 0) refresh();
    const undone = restored.length + kept;
    if (ids.length > 0) state.remember({ ...change, changeIds: ids.reverse(), count: total - undone });
    if (error !== undefined) messages.failed({ why: messages.explain(error) }, error);
    else messages.undone(restored, kept);
  };
}
