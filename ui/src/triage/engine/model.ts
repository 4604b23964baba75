import type { FindingFilter, FindingStatus } from '../../app/search.ts';
import type { MatchingChange, SendMatching } from './change-matching.ts';
import type { Change, Conflict, Failure, Outcome, Previous, Send } from './change-statuses.ts';

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

export type OnDone = (outcome: Outcome) => void;

/** Changes that are sent, reported and undone together. */
export interface Run {
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

/** The response to a request that undoes a change. */
export interface Undone {
  restored: { id: string; status: FindingStatus; regressed: boolean }[];
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
  /** @param retry makes the changes that failed again; undefined if this is not possible */
  failed(failure: { why: string }, error: unknown, retry?: () => void): void;
  /** @param overwrite makes the changes nevertheless */
  conflicts(conflicts: readonly Conflict[], overwrite: () => void): void;
  nothingToUndo(): void;
  busy(): void;
  explain(this: void, error: unknown): string;
}

export interface Dependencies {
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
