import { sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { retried } from '../errors.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { destinations, eventPositions } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import { EVENTS_OUTSIDE_LOG } from '../schema/values.ts';
import { listText, orgStatement, statement } from '../statements.ts';
import { wakeDestinations } from './destinations.ts';
import { isServed } from './served.ts';

/*
 * The statement that causes an event writes it without a position, because transactions commit in another order than they write.
 * Publishing numbers the committed events, one process at a time for each organization, and writes a delivery for each destination that
 * wants one.
 */

/** Events that one transaction publishes. */
const BATCH = 5_000;

/** An organization with its tables. */
export interface EventOrg {
  id: string;
  tables: OrgTables;
}

export interface Published {
  /** The position of the latest event. */
  seq: number;
  /** Whether the organization has destinations. */
  isFollowed: boolean;
}

const lockPosition = statement<
  { orgId: string; now: string; version: number },
  { seq: string; followed: boolean }
>(
  ($) => sql`
insert into ${eventPositions} as p (org_id, seq, check_at, overdue_until)
select id, 0, null::timestamptz, ${$.now}::timestamptz from (select ${$.orgId}::uuid as id) org
where ${isServed(sql`org.id`, $.version)}
on conflict (org_id) do update set seq = p.seq
returning seq, check_at is not null as followed`,
);

interface Receiver {
  id: string;
  enabled: boolean;
  events: string[];
  since: string;
}

const receivers = statement<{ orgId: string }, Receiver>(
  ($) => sql`
select id, enabled, to_json(events) as events, to_json(created_at) #>> '{}' as since from ${destinations} where org_id = ${$.orgId}::uuid`,
);

interface Numbering {
  seq: number;
  now: string;
  /** JSON: a row with `id`, `since` and `name` for each type or group of types that a destination wants. */
  wanted: string;
}

/**
 * `name` is a type of events, all entries of the audit log of a group as in `member.*`, or `audit.*` for all of them. A destination that
 * wants an event by two names gets one delivery. Citus needs the JSON in a part of its own.
 */
const number = orgStatement<Numbering, { published: number; seq: string | null; woken: string[] | null }>(
  (tables, $) => {
    const { events, deliveries } = tables;
    return sql`
with wanted as materialized (
  select id, name, since from json_to_recordset(${$.wanted}::text::json) as w(id uuid, name text, since timestamptz)
), latest as materialized (
  select greatest(${$.seq}::bigint, max(seq)) as seq from ${events}
), next as (
  select id, (select seq from latest) + row_number() over (order by at, id) as seq
  -- In the order of the index. All of them have no position.
  from (select id, at from ${events} where seq is null order by ${events.seq}, at, id limit ${sql.raw(String(BATCH))}) e
), numbered as (
  update ${events} e set seq = next.seq from next where e.id = next.id returning e.id, e.type, e.at, e.seq
), written as (
  insert into ${deliveries} (destination_id, id, event_id, created_at, state, next_at)
  select w.id, md5(n.id::text || w.id::text)::uuid, n.id, ${$.now}::timestamptz, 'pending',
    least(n.at, ${$.now}::timestamptz)
  from numbered n join wanted w on w.since <= n.at and (w.name = n.type
    or (n.type <> all (${listText(EVENTS_OUTSIDE_LOG)}::text[]) and w.name in (split_part(n.type, '.', 1) || '.*', 'audit.*')))
  ${onItsWorker(tables)}
  on conflict do nothing returning destination_id
)
select (select count(*)::int from numbered) as published, (select max(seq) from numbered) as seq,
  (select json_agg(distinct destination_id) from written) as woken`;
  },
);

/** Findings that were due before somebody followed are not reported as overdue. */
const moveOn = statement<{ orgId: string; seq: number; isFollowed: boolean; now: string }, object>(
  ($) => sql`
update ${eventPositions} set seq = ${$.seq}::bigint,
  check_at = case when ${$.isFollowed}::boolean then coalesce(check_at, ${$.now}::timestamptz) end,
  overdue_until = case when check_at is null then ${$.now}::timestamptz else overdue_until end
where org_id = ${$.orgId}::uuid`,
);

/**
 * Publishes the new events of an organization, in batches.
 * @param version of an organization's schema that is up to date
 * @returns undefined if the organization is deleted, or its schema is behind
 */
export async function publishEvents(
  client: Sql,
  org: EventOrg,
  now: Date,
  version: number,
): Promise<Published | undefined> {
  for (;;) {
    const batch = await retried(() =>
      client.begin((tx) => publishBatch(tx, org, now.toISOString(), version)),
    );
    if (!batch || batch.published < BATCH) return batch;
  }
}

/**
 * Destinations receive the events since their creation. While all of an organization are switched off, its events are published all the
 * same, so that none of them is sent when one is switched on again.
 */
async function publishBatch(
  tx: TransactionSql,
  { id: orgId, tables }: EventOrg,
  now: string,
  version: number,
): Promise<(Published & { published: number }) | undefined> {
  const [position] = await lockPosition.run(tx, { orgId, now, version });
  if (!position) return undefined;
  const all = await receivers.run(tx, { orgId });
  const before = Number(position.seq);
  const enabled = all.filter((receiver) => receiver.enabled);
  const wanted = enabled.flatMap(({ id, since, events }) => events.map((name) => ({ id, since, name })));
  const [batch] = await number(tables).run(tx, { seq: before, now, wanted: JSON.stringify(wanted) });
  const { published = 0, woken } = batch ?? {};
  const seq = Number(batch?.seq ?? before);
  const isFollowed = all.length > 0;
  if (published > 0 || isFollowed !== position.followed)
    await moveOn.run(tx, { orgId, seq, isFollowed, now });
  if (woken) await wakeDestinations(tx, woken, now);
  return { published, seq, isFollowed };
}

const read = statement<{ orgId: string }, { seq: string }>(
  ($) => sql`select seq from ${eventPositions} where org_id = ${$.orgId}::uuid`,
);

const latest = orgStatement<object, { seq: string | null }>(
  ({ events }) => sql`select max(seq) as seq from ${events}`,
);

/**
 * The position of the latest published event; 0 if none was. A restored organization has events and no position yet, and the events of
 * one that was quiet for long are purged.
 */
export async function readPosition(client: TransactionSql, { id, tables }: EventOrg): Promise<number> {
  const [noted, published] = await Promise.all([
    read.run(client, { orgId: id }),
    latest(tables).run(client, {}),
  ]);
  return Math.max(Number(noted[0]?.seq ?? 0), Number(published[0]?.seq ?? 0));
}

const unpublished = orgStatement<object, object>(
  ({ events }) => sql`select 1 from ${events} where seq is null limit 1`,
);

/** Whether an organization has events that are not published. */
export const hasUnpublished = async (client: TransactionSql, tables: OrgTables): Promise<boolean> =>
  (await unpublished(tables).run(client, {})).length > 0;

const followers = statement<{ version: number }, { id: string; noted: boolean }>(
  ($) => sql`
select d.org_id as id, bool_or(p.check_at is not null) as noted from ${destinations} d
left join ${eventPositions} p on p.org_id = d.org_id
where ${isServed(sql`d.org_id`, $.version)} group by d.org_id`,
);

/** The organizations with destinations. `noted`: `claimOrgs` finds them. */
export const followedOrgs = (
  client: TransactionSql,
  version: number,
): Promise<{ id: string; noted: boolean }[]> => followers.run(client, { version });

/** An organization that this process looks into. */
export interface ClaimedOrg {
  id: string;
  overdueUntil: Date;
}

const claim = statement<
  { now: string; next: string; version: number; limit: number },
  { id: string; overdue_until: string }
>(
  ($) => sql`
update ${eventPositions} set check_at = ${$.next}::timestamptz where org_id = any (array(
  select p.org_id from ${eventPositions} p
  where p.check_at <= ${$.now}::timestamptz and ${isServed(sql`p.org_id`, $.version)}
  order by p.check_at limit ${$.limit}::int for update skip locked))
returning org_id as id, to_json(overdue_until) #>> '{}' as overdue_until`,
);

/** How often some process looks into an organization that is followed. */
export const CHECK_MS = 5_000;

/** Claims organizations that no process has looked into for {@link CHECK_MS}. */
export async function claimOrgs(
  client: TransactionSql,
  now: Date,
  version: number,
  limit: number,
): Promise<ClaimedOrg[]> {
  const next = new Date(now.getTime() + CHECK_MS).toISOString();
  const rows = await claim.run(client, { now: now.toISOString(), next, version, limit });
  return rows.map(({ id, overdue_until }) => ({ id, overdueUntil: new Date(overdue_until) }));
}
