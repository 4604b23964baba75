/* The states and label values that other code reports to the metrics. */

/** The load of the password hasher. */
export interface HashLoad {
  /** Waiting requests. */
  waiting: number;
  /** Refused requests since the process started. `full`: the queue was full. `late`: the request waited too long. */
  refused: Record<HashRefusal, number>;
}

export const HASH_REFUSALS = ['full', 'late'] as const;
export type HashRefusal = (typeof HASH_REFUSALS)[number];

/** The use of a memory budget for request bodies. */
export interface BudgetLoad {
  /** Bytes that are reserved. */
  inUse(): number;
  /** Requests that wait for bytes. */
  waiting(): number;
  /** Requests that got none, or were aborted, by reason, since the start. */
  refused(): BudgetRefusals;
}

export const BUDGET_REFUSALS = ['late', 'slow'] as const;
/** `late`: waited longer than the timeout. `slow`: sent its body too slowly while others waited. */
export type BudgetRefusals = Readonly<Record<(typeof BUDGET_REFUSALS)[number], number>>;

/** The outcome of an attempt: a mail that `failed` is retried, one that is `given_up` is not. */
export const MAIL_OUTCOMES = ['sent', 'failed', 'given_up'] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

/** The outcome of an attempt: an event that `failed` to be delivered is sent again, one that is `given_up` is not. */
export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** The work that is still to be done by any process. */
export interface Backlog {
  /** In the queue, those under way too. */
  mails: number;
  /** The age in seconds of the oldest of them; 0 without any. */
  oldestMailS: number;
  /** For how many seconds the destination of events that waits longest has been due; 0 without any. */
  oldestDestinationS: number;
  /** Organizations whose schema is behind. */
  orgsBehind: number;
}

/** Work of an organization that is expensive. */
export const WORK_KINDS = ['search', 'list', 'report'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** `storage`: the bytes of a storage quota. `rows`: its rows. `disk`: the disk of the embedded database. */
export const STORAGE_LIMITS = ['storage', 'rows', 'disk'] as const;
export type StorageLimit = (typeof STORAGE_LIMITS)[number];
