import type { FindingStatus } from '../../app/search.ts';
import type { Change } from '../decision.ts';

export type { Change };

/** The most findings that the API changes with one request. */
export const BATCH = 500;

export interface Failure extends Change {
  why: string;
}

/** A change that was not made, because someone else has changed the finding. */
export interface Conflict extends Change {
  /** Its status now. */
  now: FindingStatus;
}

/** The status of a finding before a change. */
export interface Previous {
  id: string;
  title: string;
  status: FindingStatus;
  /** Known after undo only. */
  regressed?: boolean;
}

/** The result of a set of changes. */
export interface Outcome {
  done: number;
  /** The changed findings with their statuses before. */
  previous: Previous[];
  /** The ids for undo, one per request. */
  changeIds: string[];
  failed: Failure[];
  conflicts: Conflict[];
  /** Changes that were not tried, because the user stopped or a request failed. */
  left: Change[];
  /** The error of the request that failed. */
  error?: unknown;
}

/** The response to a request that changes up to {@link BATCH} findings. */
export interface Reply {
  updated: { id: string; previous_status: FindingStatus }[];
  failed: { id: string; message: string }[];
  conflicts: { id: string; status: FindingStatus }[];
  change_id?: string;
}

export type Send = (changes: readonly Change[]) => Promise<Reply>;

interface Options {
  send: Send;
  /** The reason for each finding of a request that failed. */
  explain(error: unknown): string;
  signal: AbortSignal;
  /** Called after each batch. */
  onProgress(outcome: Outcome): void;
}

/** Changes findings in batches. */
export async function changeStatuses(
  changes: readonly Change[],
  { send, explain, signal, onProgress }: Options,
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, previous: [], changeIds: [], failed: [], conflicts: [], left: [] };
  for (let start = 0; start < changes.length; start += BATCH) {
    if (signal.aborted) return { ...outcome, left: changes.slice(start) };
    const batch = new Map(changes.slice(start, start + BATCH).map((change) => [change.id, change]));
    try {
      // The signal does not abort a request: the outcome of a batch that was sent must be known.
      const { updated, failed, conflicts, change_id } = await send([...batch.values()]);
      for (const { id, previous_status: status } of updated) {
        outcome.previous.push({ id, status, title: batch.get(id)?.title ?? id });
      }
      for (const { id, message } of failed) {
        const change = batch.get(id);
        if (change) outcome.failed.push({ ...change, why: message });
      }
      for (const { id, status: now } of conflicts) {
        const change = batch.get(id);
        if (change) outcome.conflicts.push({ ...change, now });
      }
      if (change_id) outcome.changeIds.push(change_id);
      outcome.done += updated.length;
      onProgress(outcome);
    } catch (error) {
      // The next batch would fail as well.
      const reason = explain(error);
      for (const change of batch.values()) outcome.failed.push({ ...change, why: reason });
      return { ...outcome, left: changes.slice(start + BATCH), error };
    }
  }
  return outcome;
}
