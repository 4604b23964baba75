import { ServiceError } from '../../../../lib/client/index.ts';
import type { FindingFilter } from '../../app/search.ts';
import type { Decision } from '../decision.ts';

/** The findings of one request. More would show the progress less often, and a stop would take longer. */
export const MATCHING_BATCH = 2_000;

/** A change of all findings that match a filter. */
export interface MatchingChange extends Decision {
  filter: FindingFilter;
  /** How many findings matched when the user selected them. */
  total: number;
  /** The name of the assignee, for messages. */
  assignee?: string;
}

/** The parameters of one request: the first one names the number of findings, the others continue. */
export type Step = { expected_count: number } | { after: string };

/** The response to a request that changes findings by a filter. */
export interface MatchingReply {
  updated: readonly unknown[];
  conflicts: readonly unknown[];
  change_ids?: string[];
  /** Set if more findings may match. */
  next?: string;
}

/** The result of a change of all findings that match a filter. */
export interface MatchingOutcome {
  done: number;
  /** Findings that were not changed, because someone else has changed them. */
  kept: number;
  changeIds: string[];
  /** Where the next request continues; unset before the first one and after the last one. */
  next?: string;
  complete: boolean;
  /** The error of the request that failed. */
  error?: unknown;
}

export const nothingMatched = (): MatchingOutcome => ({ done: 0, kept: 0, changeIds: [], complete: false });

export type SendMatching = (change: MatchingChange, step: Step) => Promise<MatchingReply>;

interface Options {
  send: SendMatching;
  signal: AbortSignal;
  /** Called after each request. */
  onProgress(outcome: MatchingOutcome): void;
}

/**
 * Changes all findings that match a filter, with one request after another.
 * @param from the outcome of an earlier call that was stopped or failed
 */
export async function changeMatching(
  change: MatchingChange,
  from: MatchingOutcome,
  { send, signal, onProgress }: Options,
): Promise<MatchingOutcome> {
  const { error: _, ...before } = from;
  let outcome: MatchingOutcome = before;
  while (!outcome.complete && !signal.aborted) {
    const step: Step =
      outcome.next === undefined ? { expected_count: change.total } : { after: outcome.next };
    try {
      // The signal does not abort a request: the outcome of a request that was sent must be known.
      const { updated, conflicts, change_ids = [], next } = await send(change, step);
      outcome = {
        done: outcome.done + updated.length,
        kept: outcome.kept + conflicts.length,
        changeIds: [...outcome.changeIds, ...change_ids],
        ...(next !== undefined && { next }),
        complete: next === undefined,
      };
    } catch (error) {
      return { ...outcome, error };
    }
    onProgress(outcome);
  }
  return outcome;
}

/** Whether the service refused, because another number of findings matches by now. Then nothing was changed. */
export const isOtherCount = ({ next, error }: MatchingOutcome): boolean =>
  next === undefined && error instanceof ServiceError && error.code === 'conflict';

/** Whether a request may have changed findings although it failed: its response was lost on the way. */
export const isLost = (error: unknown): boolean =>
  error !== undefined && (!(error instanceof ServiceError) || error.status === 502 || error.status === 504);
