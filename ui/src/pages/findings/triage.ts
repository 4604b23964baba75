import { problemOf } from '../../parts/problem.ts';
import type { UserStatus } from '../../parts/shortcuts.ts';
import type { FindingStatus } from '../../search.ts';
import type { OrgSession } from '../../session.ts';

/** The most that the API changes at once. */
export const BATCH = 500;

export interface Change {
  id: string;
  title: string;
  status: UserStatus;
}

export interface Failure extends Change {
  reason: string;
}

/** What has become of changes. */
export interface Outcome {
  done: number;
  /** To take it back. */
  before: { id: string; title: string; status: FindingStatus }[];
  failed: Failure[];
  /** Not tried any more, because it was stopped or because the service failed. */
  left: Change[];
  /** What the service failed with. */
  error?: unknown;
}

/**
 * Changes statuses, batch by batch.
 * @param onProgress told after each batch
 */
export async function changeStatuses(
  { api }: Pick<OrgSession, 'api'>,
  changes: readonly Change[],
  signal: AbortSignal,
  onProgress: (outcome: Outcome) => void,
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, before: [], failed: [], left: [] };
  for (let start = 0; start < changes.length; start += BATCH) {
    if (signal.aborted) return { ...outcome, left: changes.slice(start) };
    const batch = new Map(changes.slice(start, start + BATCH).map((change) => [change.id, change]));
    try {
      // Not ended by the signal: what became of a batch that was sent has to be known.
      const { result } = await api.patch('/findings', {
        body: { changes: Array.from(batch.values(), ({ id, status }) => ({ id, status })) },
      });
      for (const { id, previous_status: status } of result.updated) {
        outcome.before.push({ id, status, title: batch.get(id)?.title ?? id });
      }
      for (const { id, message } of result.failed) {
        const change = batch.get(id);
        if (change) outcome.failed.push({ ...change, reason: message });
      }
      outcome.done += result.updated.length;
      onProgress(outcome);
    } catch (error) {
      // The next batch would fare no better.
      const reason = problemOf(error).title;
      for (const change of batch.values()) outcome.failed.push({ ...change, reason });
      return { ...outcome, left: changes.slice(start + BATCH), error };
    }
  }
  return outcome;
}
