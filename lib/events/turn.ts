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
import { backoff, LEASE_MS } from '../deliveries/dispatcher.ts';
import type { DeliveryOutcome } from '../metrics/reports.ts';
import type { Audience } from './audience.ts';
import { type DeliverOptions, deliver } from './deliver.ts';

/** Deliveries and time of one turn of a destination. Others come before its next one. */
const TURN_DELIVERIES = 20;
const TURN_MS = 10_000;
/** A delivery that takes longer is the last of its turn. */
const SLOW_MS = 5_000;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A delivery that fails at this age fails for good, and a destination that has failed for so long is switched off. */
export const GIVE_UP_MS = 3 * DAY_MS;

const GONE = 410;

/** An organization whose event is rendered. */
export interface RenderedOrg {
  id: string;
  slug: string;
  name: string;
  tables: OrgTables;
}

/** Renders an event for an audience. @returns undefined if there is nothing to tell it */
export type RenderEvent = (
  org: RenderedOrg,
  event: StoredEvent,
  audience: Audience,
) => Promise<object | undefined>;

export interface TurnOptions extends DeliverOptions {
  database: Pick<Database, 'sql'>;
  tablesOf: (org: { id: string }) => OrgTables;
  render: RenderEvent;
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
  const { clock, database, tablesOf, onOutcome } = options;
  const { sql } = database;
  const { id, org } = destination;
  const tables = tablesOf(org);
  const started = performance.now();
  const state: FailureState = { failures: destination.failures, failingSince: destination.failingSince };
  const due = await readDueDeliveries(sql, tables, destination, clock(), TURN_DELIVERIES);
  for (const delivery of due) {
    if (isOver() || performance.now() - started > TURN_MS) break;
    const body = await bodyOf(options, destination, delivery);
    if (body === undefined) {
      await removeDelivery(sql, tables, id, delivery.id);
      continue;
    }
    const attempt = body instanceof Error ? unread(clock()) : await send(body, delivery);
    if (!attempt) break;
    // A failure of an address that was changed meanwhile says nothing about the new one.
    if (attempt.error !== undefined && !(await isHeld())) break;
    const isCounted = delivery.event !== null && !(body instanceof Error);
    if (isCounted) count(state, attempt);
    const consequence = consequenceOf(delivery, attempt);
    await recordAttempt(sql, tables, id, delivery, attempt, consequence);
    onOutcome(OUTCOMES[consequence.state]);
    const reason = isCounted && attempt.error !== undefined ? reasonToDisable(state, attempt) : undefined;
    if (reason) return await options.disable(destination, state, reason);
    if ((isCounted && state.failures >= BREAKS_AT) || attempt.durationMs > SLOW_MS) break;
  }
  const now = clock();
  const next = await nextDelivery(sql, tables, id);
  const wait = state.failures >= BREAKS_AT ? new Date(now.getTime() + backoff(state.failures)) : undefined;
  const later = next && wait && next < wait ? wait : next;
  // A time in the past would put it before the others again.
  const dueAt = later && later < now ? now : later;
  await settleDestination(sql, destination, { ...state, next: dueAt, ifWoken: wait ?? now });

  async function isHeld(): Promise<boolean> {
    const until = new Date(clock().getTime() + LEASE_MS);
    return (await renewLeases(sql, [destination], until)).has(id);
  }

  /** @returns undefined if the process is stopping */
  async function send(body: object, delivery: DueDelivery): Promise<Attempt | undefined> {
    const content = { id: delivery.event?.id ?? delivery.id, body: JSON.stringify(body) };
    return await deliver(options, destination, content, signal).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }
}

/** The body of a delivery. @returns undefined if there is nothing to send, an error if it cannot be rendered now */
async function bodyOf(
  { render, tablesOf, log }: TurnOptions,
  { id, org, projectIds, minSeverity }: LeasedDestination,
  delivery: DueDelivery,
): Promise<object | Error | undefined> {
  const { event } = delivery;
  if (event === undefined) return undefined;
  if (event === null) {
    const timestamp = delivery.createdAt.toISOString();
    return { id: delivery.id, type: 'webhook.test', timestamp, organization: org, data: {} };
  }
  const audience = { projects: projectIds ?? undefined, minSeverity, isAdmin: true };
  try {
    return await render({ ...org, tables: tablesOf(org) }, event, audience);
  } catch (error) {
    if (isUnavailable(error) || isMissingTable(error)) throw error;
    log.error('an event cannot be rendered', { org: org.id, event: event.id, destination: id, error });
    return error as Error;
  }
}

const unread = (at: Date): Attempt => ({ at, durationMs: 0, error: 'The event could not be read.' });

function count(state: FailureState, { error, at }: Attempt): void {
  state.failures = error === undefined ? 0 : state.failures + 1;
  state.failingSince = error === undefined ? null : (state.failingSince ?? at);
}

function consequenceOf(delivery: DueDelivery, { error, status, at }: Attempt): Consequence {
  if (error === undefined) return { state: 'delivered' };
  const isLast =
    delivery.event === null || status === GONE || at.getTime() - delivery.createdAt.getTime() >= GIVE_UP_MS;
  if (isLast) return { state: 'failed' };
  return { state: 'pending', nextAt: new Date(at.getTime() + backoff(delivery.attempts + 1)) };
}

const OUTCOMES = { delivered: 'delivered', pending: 'failed', failed: 'given_up' } as const;

function reasonToDisable(
  { failingSince }: FailureState,
  { status, at }: Attempt,
): DisabledReason | undefined {
  if (status === GONE) return 'gone';
  const hasFailedLong = failingSince !== null && at.getTime() - failingSince.getTime() >= GIVE_UP_MS;
  return hasFailedLong ? 'failing' : undefined;
}
