import type { Previous } from './change-statuses.ts';
import type { Dependencies, Undoable } from './model.ts';
import { begun, type State } from './state.ts';

/** Undoes the last change, or a chosen one. */
export function createUndo({ undo, showRestored, refresh, messages }: Dependencies, state: State) {
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
        for (const { id, status } of part.restored)
          restored.push({ id, status, title: titles.get(id) ?? id });
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
