import type { Database } from '../../db/client.ts';
import { isMissingTable, isUnavailable } from '../../db/errors.ts';
import {
  type Attempt,
  type Consequence,
  type DueDelivery,
  nextDelivery,
  readDueDeliveries,
  recordAttempt,
  removeDelivery,
} from '../../db/events/deliveries.ts';
import {
  BREAKS_AT,
  type DisabledReason,
  type LeasedDestination,
  renewLeases,
  type Settled,
  settleDestination,
} from '../../db/events/destinations.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { backoff, LEASE_MS } from '../deliveries/dispatcher.ts';
import type { Logger } from '../logger.ts';
import type { DeliveryOutcome } from '../metrics/reports.ts';
import { readInOrder } from './contents.ts';
import { type Answered, GIVE_UP_MS } from './deliver.ts';
import type { LoadedEvent } from './render.ts';
import { kindOf } from './requests.ts';
import { openSecrets } from './secrets.ts';
import type { TrackerOptions } from './trackers.ts';
import { AUDIT_LOG } from './types.ts';

/** Deliveries and time of one turn of a destination. Others come before its next one. */
const TURN_DELIVERIES = 20;
const TURN_MS = 10_000;
/** A delivery that takes longer is the last of its turn. */
const SLOW_MS = 5_000;

const GONE = 410;

/** The longest time that the other side can ask to wait for. */
const MAX_WAIT_MS = 60 * 60 * 1_000;

/** An organization with the events of a turn. */
export interface TurnOrg {
  id: string;
  slug: string;
  name: string;
  tables: OrgTables;
}

export interface TurnOptions extends TrackerOptions {
  database: Pick<Database, 'sql'>;
  secretBox: SecretBox;
  log: Logger;
  /** Reads the content of events, in their order. */
  load(org: TurnOrg, events: readonly StoredEvent[]): Promise<readonly LoadedEvent[]>;
  /** Switches a destination off, and mails owners and admins. */
  disable(destination: LeasedDestination, state: FailureState, reason: DisabledReason): Promise<void>;
  onOutcome(outcome: DeliveryOutcome): void;
}

export type FailureState = Pick<Settled, 'failures' | 'failingSince'>;

/** Ends a turn early. */
export interface TurnEnd {
  /** The lease was lost, or the process is stopping. */
  isOver(): boolean;
  signal: AbortSignal;
}

/**
 * Sends due deliveries of a destination one after another, and sets when the next one is due. Tests are sent once, and do not count as
 * failures of the destination.
 */
export async function takeTurn(
  options: TurnOptions,
  destination: LeasedDestination,
  { isOver, signal }: TurnEnd,
): Promise<void> {
  const { clock, database, tablesOf, load, log, onOutcome } = options;
  const { sql } = database;
  const { id, org } = destination;
  const tables = tablesOf(org);
  const kind = kindOf(destination);
  const started = performance.now();
  const state: FailureState = { failures: destination.failures, failingSince: destination.failingSince };
  const due = await readDueDeliveries(sql, tables, destination, clock(), TURN_DELIVERIES);
  const events = due.flatMap(({ event }) => event ?? []);
  const { projectIds, mutedProjectIds, minSeverity, events: wanted } = destination;
  const audience = {
    ...{ projects: projectIds ?? undefined, mutedProjects: mutedProjectIds ?? undefined },
    ...{ minSeverity, isAdmin: true, wantsAuditLog: wanted.includes(AUDIT_LOG) },
  };
  const read = readInOrder(
    (some) => load({ ...org, tables }, some),
    events,
    ({ bodyFor }) => bodyFor(audience),
    log,
  );
  const secrets = await openSecrets(options, destination, clock());
  let asked: Date | undefined;
  /** Undefined: not known. */
  let next: Date | null | undefined;
  for (const delivery of due) {
    if (isOver() || performance.now() - started > TURN_MS) break;
    const body = await bodyFor(delivery);
    if (body === undefined) {
      await removeDelivery(sql, tables, id, delivery.id);
      next = undefined;
      continue;
    }
    const attempt = body instanceof Error ? unsent(clock(), UNREAD) : await send(body, delivery);
    if (!attempt) break;
    // A failure of an address that was changed meanwhile says nothing about the new one.
    if (attempt.error !== undefined && !(await isHeld())) break;
    const isCounted = delivery.event !== null && !(body instanceof Error) && !attempt.isFinal;
    // A final failure is an answer of the other side: it can be reached.
    if (isCounted) count(state, attempt);
    else if (attempt.isFinal && delivery.event !== null) count(state, { at: attempt.at });
    const consequence = consequenceOf(delivery, attempt);
    next = await recordAttempt(sql, tables, id, delivery, attempt, consequence);
    onOutcome(OUTCOMES[consequence.state]);
    const reason = isCounted && attempt.error !== undefined ? reasonToDisable(state, attempt) : undefined;
    if (reason) return await options.disable(destination, state, reason);
    if (isCounted) asked = askedWait(attempt);
    if (asked || (isCounted && state.failures >= BREAKS_AT) || attempt.durationMs > SLOW_MS) break;
  }
  const now = clock();
  if (next === undefined) next = await nextDelivery(sql, tables, id);
  const broken = state.failures >= BREAKS_AT ? after(now, backoff(state.failures)) : undefined;
  const wait = latest(asked, broken);
  const later = next && wait && next < wait ? wait : next;
  // A time in the past would put it before the others again.
  const dueAt = later && later < now ? now : later;
  await settleDestination(sql, destination, { ...state, next: dueAt, ifWoken: wait ?? now });

  async function isHeld(): Promise<boolean> {
    return (await renewLeases(sql, [destination], after(clock(), LEASE_MS))).has(id);
  }

  /** @returns undefined if there is nothing to send, an error if the event cannot be read */
  async function bodyFor({ event, ...test }: DueDelivery): Promise<object | Error | undefined> {
    if (event === undefined) return undefined;
    if (event === null) return kind.bodyOf({ test: { id: test.id, at: test.createdAt } }, org);
    if (kind.read) return await kind.read(options, destination, event).catch((error) => unread(event, error));
    const body = await read(event);
    return body && !(body instanceof Error) ? kind.bodyOf({ event: body }, org) : body;
  }

  /** One that cannot be read keeps no other waiting. */
  function unread(event: StoredEvent, error: Error): Error {
    if (isUnavailable(error) || isMissingTable(error)) throw error;
    log.error('an event cannot be read', { event: event.id, error });
    return error;
  }

  /** @returns undefined if the process is stopping */
  async function send(json: object, delivery: DueDelivery): Promise<Answered | undefined> {
    if (!secrets) {
      const reason = unopened(destination);
      await kind.noteUntold?.(options, destination, json, reason);
      return unsent(clock(), reason);
    }
    const sent = { id: delivery.event?.id ?? delivery.id, at: clock(), body: json };
    return await kind.tell(options, destination, secrets, sent, signal).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }
}

const UNREAD = 'The event could not be read.';
const UNOPENED = {
  webhook: 'The secret of this webhook cannot be opened. Replace it.',
  chat: 'The address of this integration cannot be opened. Enter it again.',
  tracker: 'The token of this integration cannot be opened. Enter it again.',
};

const unopened = ({ kind, tracker }: LeasedDestination): string =>
  UNOPENED[kind === 'webhook' ? kind : tracker ? 'tracker' : 'chat'];

const unsent = (at: Date, error: string): Answered => ({ at, durationMs: 0, error });

const after = (from: Date, ms: number): Date => new Date(from.getTime() + ms);

const latest = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b && a > b ? a : (b ?? a);

/** Until when the other side asks to wait. It can make a wait longer, never shorter. */
const askedWait = ({ at, error, retryAfter }: Answered): Date | undefined =>
  error !== undefined && retryAfter !== undefined
    ? after(at, Math.min(retryAfter * 1_000, MAX_WAIT_MS))
    : undefined;

function count(state: FailureState, { error, at }: Pick<Attempt, 'error' | 'at'>): void {
  state.failures = error === undefined ? 0 : state.failures + 1;
  state.failingSince = error === undefined ? null : (state.failingSince ?? at);
}

function consequenceOf(delivery: DueDelivery, attempt: Answered): Consequence {
  const { error, status, at } = attempt;
  if (error === undefined) return { state: 'delivered' };
  const isLast =
    attempt.isFinal ||
    delivery.event === null ||
    status === GONE ||
    at.getTime() - delivery.createdAt.getTime() >= GIVE_UP_MS;
  if (isLast) return { state: 'failed' };
  const next = after(at, backoff(delivery.attempts + 1));
  return { state: 'pending', nextAt: latest(askedWait(attempt), next) ?? next };
}

const OUTCOMES = { delivered: 'delivered', pending: 'failed', failed: 'given_up' } as const;

function reasonToDisable(
  { failures, failingSince }: FailureState,
  { status, at, isUnauthorized }: Answered,
): DisabledReason | undefined {
  if (status === GONE) return 'gone';
  if (isUnauthorized && failures >= BREAKS_AT) return 'unauthorized';
  const hasFailedLong = failingSince !== null && at.getTime() - failingSince.getTime() >= GIVE_UP_MS;
  return hasFailedLong ? 'failing' : undefined;
}
