import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { BATCH_ROWS, inBatches } from '../batches.ts';
import { destinations } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import {
  arrayText,
  type DrizzleClient,
  orgStatement,
  run,
  type SqlClient,
  statement,
} from '../statements.ts';
import { wakeDestinations } from './destinations.ts';
import type { StoredEvent } from './read.ts';

/** A delivery that is due. */
export interface DueDelivery {
  id: string;
  /** Null: a test. Undefined: it was purged. */
  event: StoredEvent | null | undefined;
  createdAt: Date;
  attempts: number;
}

interface Row {
  id: string;
  event_id: string | null;
  created_at: string;
  attempts: number;
  event: StoredEvent | null;
}

const due = orgStatement<{ destinationId: string; now: string; limit: number }, Row>(
  ({ deliveries, events }, $) => sql`
select d.id, d.event_id, to_json(d.created_at) #>> '{}' as created_at, d.attempts,
  case when e.id is not null then json_build_object('id', e.id, 'seq', e.seq, 'at', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'type', e.type, 'subject', e.subject, 'actor_id', e.actor_id, 'finding_ids', e.finding_ids) end as event
from ${deliveries} d left join ${events} e on e.id = d.event_id
where d.destination_id = ${$.destinationId}::uuid and d.next_at <= ${$.now}::timestamptz
order by d.next_at, e.seq limit ${$.limit}::int`,
);

const dueTests = orgStatement<{ destinationId: string; now: string }, Row>(
  ({ deliveries }, $) => sql`
select id, event_id, to_json(created_at) #>> '{}' as created_at, attempts, null as event from ${deliveries}
where destination_id = ${$.destinationId}::uuid and next_at <= ${$.now}::timestamptz and event_id is null
order by next_at limit 1`,
);

const toDelivery = ({ id, event_id, event, created_at, attempts }: Row): DueDelivery => ({
  ...{ id, attempts, createdAt: new Date(created_at) },
  event: event_id === null ? null : (event ?? undefined),
});

/**
 * Reads deliveries of a destination that are due. New ones have the times of their events, failed ones that of the next attempt. While
 * the destination fails, a test comes first, so that it does not wait for what nobody can receive.
 */
export async function readDueDeliveries(
  client: SqlClient,
  tables: OrgTables,
  { id: destinationId, failures }: { id: string; failures: number },
  now: Date,
  limit: number,
): Promise<DueDelivery[]> {
  const params = { destinationId, now: now.toISOString() };
  const tests = failures > 0 ? await dueTests(tables).run(client, params) : [];
  const rows = await due(tables).run(client, { ...params, limit });
  return [...tests, ...rows.filter(({ id }) => id !== tests[0]?.id)].map(toDelivery);
}

/** An attempt to send a delivery. */
export interface Attempt {
  at: Date;
  durationMs: number;
  status?: number | undefined;
  response?: string | undefined;
  error?: string | undefined;
}

/** The state after an attempt. `nextAt`: when a pending delivery is sent again. */
export type Consequence = { state: 'delivered' | 'failed' } | { state: 'pending'; nextAt: Date };

/** When the first delivery to a destination is due. */
const nextOf = (
  deliveries: OrgTables['deliveries'],
  $: { destinationId: Placeholder },
  condition: SQL = sql``,
): SQL => sql`
select to_json(next_at) #>> '{}' as due from ${deliveries}
where destination_id = ${$.destinationId}::uuid and next_at is not null${condition} order by next_at limit 1`;

const record = orgStatement<
  {
    destinationId: string;
    id: string;
    attempts: number;
    state: string;
    nextAt: string | null;
    at: string;
    durationMs: number;
    status: number | null;
    response: string | null;
    error: string | null;
  },
  { next: string | null }
>(
  ({ deliveries }, $) => sql`
with recorded as (
  update ${deliveries} set attempts = attempts + 1, state = ${$.state}, next_at = ${$.nextAt}::timestamptz,
    tried_at = ${$.at}::timestamptz, duration_ms = ${$.durationMs}::int, status = ${$.status}::int,
    response = ${$.response}, error = ${$.error}
  where destination_id = ${$.destinationId}::uuid and id = ${$.id}::uuid and attempts = ${$.attempts}::int
)
select (${nextOf(deliveries, $, sql` and id <> ${$.id}::uuid`)}) as next`,
);

/**
 * Records an attempt, unless another process has recorded one meanwhile, or the delivery was deleted.
 * @returns when the next delivery to the destination is due; null if none is pending
 */
export async function recordAttempt(
  client: SqlClient,
  tables: OrgTables,
  destinationId: string,
  { id, attempts }: Pick<DueDelivery, 'id' | 'attempts'>,
  { at, durationMs, status, response, error }: Attempt,
  consequence: Consequence,
): Promise<Date | null> {
  const nextAt = 'nextAt' in consequence ? consequence.nextAt : null;
  const [row] = await record(tables).run(client, {
    ...{ destinationId, id, attempts, state: consequence.state },
    nextAt: nextAt?.toISOString() ?? null,
    ...{ at: at.toISOString(), durationMs: Math.round(durationMs) },
    ...{ status: status ?? null, response: response ?? null, error: error ?? null },
  });
  const others = row?.next ? new Date(row.next) : null;
  return others && nextAt ? (others < nextAt ? others : nextAt) : (others ?? nextAt);
}

const next = orgStatement<{ destinationId: string }, { due: string }>(({ deliveries }, $) =>
  nextOf(deliveries, $),
);

/** When the next delivery to a destination is due; null if none is pending. */
export async function nextDelivery(
  client: SqlClient,
  tables: OrgTables,
  destinationId: string,
): Promise<Date | null> {
  const [row] = await next(tables).run(client, { destinationId });
  return row ? new Date(row.due) : null;
}

const remove = orgStatement<{ destinationId: string; id: string }, object>(
  ({ deliveries }, $) => sql`
delete from ${deliveries} where destination_id = ${$.destinationId}::uuid and id = ${$.id}::uuid`,
);

/** Deletes a delivery that has nothing to tell its destination. */
export async function removeDelivery(
  client: SqlClient,
  tables: OrgTables,
  destinationId: string,
  id: string,
): Promise<void> {
  await remove(tables).run(client, { destinationId, id });
}

/**
 * Deletes deliveries, in the transaction that does what they ask for.
 * @returns the ids of those that no other process has deleted
 */
export async function claimDeliveries(
  tx: SqlClient | DrizzleClient,
  tables: OrgTables,
  destinationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { deliveries } = tables;
  const rows = await run<{ id: string }>(
    tx,
    sql`delete from ${deliveries} where destination_id = ${destinationId}::uuid and id = any (${arrayText(ids)}::uuid[]) returning id`,
  );
  return new Set(rows.map(({ id }) => id));
}

const batch = sql.raw(String(BATCH_ROWS));

const purge = {
  deliveries: orgStatement<{ before: string }, object>(
    ({ deliveries }, $) => sql`
delete from ${deliveries} where (destination_id, id) in (
  select destination_id, id from ${deliveries} where created_at < ${$.before}::timestamptz
  limit ${batch} for update skip locked) returning 1`,
  ),
  events: orgStatement<{ before: string }, object>(
    ({ events }, $) => sql`
delete from ${events} where id = any (array(
  select id from ${events} where at < ${$.before}::timestamptz limit ${batch} for update skip locked)) returning 1`,
  ),
};

/** Deletes the events and deliveries of an organization from before a time. */
export async function purgeEvents(client: SqlClient, tables: OrgTables, before: Date): Promise<void> {
  const params = { before: before.toISOString() };
  await inBatches(async () => (await purge.deliveries(tables).run(client, params)).length);
  await inBatches(async () => (await purge.events(tables).run(client, params)).length);
}

const notDue = statement<{ orgId: string }, { id: string }>(
  ($) => sql`select id from ${destinations} where org_id = ${$.orgId}::uuid and enabled and due_at is null`,
);

const forgotten = orgStatement<{ ids: string }, { id: string }>(
  ({ deliveries }, $) => sql`
select distinct destination_id as id from ${deliveries}
where destination_id = any (${$.ids}::uuid[]) and next_at is not null`,
);

/**
 * Makes destinations of an organization due that have deliveries to send and are not. On Citus that happens when a process ends between
 * the parts of a commit: the deliveries and the destinations are on different nodes.
 */
export async function wakeForgotten(
  client: SqlClient,
  tables: OrgTables,
  orgId: string,
  now: Date,
): Promise<void> {
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  const sleeping = idsOf(await notDue.run(client, { orgId }));
  if (sleeping.length === 0) return;
  const found = idsOf(await forgotten(tables).run(client, { ids: arrayText(sleeping) }));
  if (found.length > 0) await wakeDestinations(client, found, now.toISOString());
}
