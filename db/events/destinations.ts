import { sql } from 'drizzle-orm';
import {
  type DESTINATION_KINDS,
  type DISABLED_REASONS,
  destinations,
  type StoredTracker,
} from '../schema/destinations.ts';
import { orgs } from '../schema/orgs.ts';
import type { Severity } from '../schema/values.ts';
import { arrayText, type DrizzleClient, run, type SqlClient, statement } from '../statements.ts';
import { shareOf } from '../storage/usage.ts';
import { isServed } from './served.ts';

/*
 * A destination is an item of work: a process leases it, sends some of its deliveries, and sets when the next one is due. `due_at` is the
 * end of the lease meanwhile. `leases` is incremented at the beginning and at the end, so it is odd while the destination is leased.
 * Statements that change several lock them in the order of their ids first, so that none waits for another in a circle.
 */

/** From so many failures in a row on, all deliveries to a destination wait. */
export const BREAKS_AT = 3;

export type DestinationKind = (typeof DESTINATION_KINDS)[number];
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A destination that this process sends deliveries to. */
export interface LeasedDestination {
  id: string;
  org: { id: string; slug: string; name: string };
  /** The account that the organization counts for, as {@link shareOf}, or the id of the organization. */
  account: string;
  kind: DestinationKind;
  name: string | null;
  url: string;
  /** Sealed. */
  secret: string;
  formerSecret: string | null;
  formerSecretUntil: Date | null;
  tracker: StoredTracker | null;
  events: string[];
  projectIds: string[] | null;
  mutedProjectIds: string[] | null;
  minSeverity: Severity | null;
  /** The number of this lease. */
  lease: number;
  wakes: number;
  failures: number;
  failingSince: Date | null;
}

interface Row {
  id: string;
  org: LeasedDestination['org'];
  account: string;
  kind: DestinationKind;
  name: string | null;
  url: string;
  secret: string;
  former_secret: string | null;
  former_secret_until: string | null;
  tracker: StoredTracker | null;
  events: string[];
  project_ids: string[] | null;
  muted_project_ids: string[] | null;
  min_severity: Severity | null;
  leases: number;
  wakes: number;
  failures: number;
  failing_since: string | null;
}

/** Ranks all that is due, so that nobody waits behind the many destinations of one account. */
const take = statement<
  { now: string; until: string; version: number; busy: string; perAccount: number; limit: number },
  Row
>(
  ($) => sql`
with due as (
  select id, org_id, due_at from ${destinations} where due_at <= ${$.now}::timestamptz and enabled
), accounts as materialized (
  select ${orgs.id} as org_id, coalesce(${shareOf}, ${orgs.id}) as account from ${orgs}
  where ${orgs.id} = any (array(select distinct org_id from due)) and ${isServed(orgs.id, $.version)}
), ranked as (
  select d.id, d.due_at, a.account, row_number() over (partition by a.account order by d.due_at, d.id) as n
  from due d join accounts a on a.org_id = d.org_id
), chosen as (
  select r.id, r.account
  from ranked r left join json_to_recordset(${$.busy}::text::json) as b(account uuid, n int) on b.account = r.account
  where r.n <= ${$.perAccount}::int - coalesce(b.n, 0) order by r.due_at, r.id limit ${$.limit}::int
)
update ${destinations} d set due_at = ${$.until}::timestamptz, leases = d.leases + 1 + d.leases % 2
from ${orgs} o, chosen c where o.id = d.org_id and c.id = d.id and d.id = any (array(
  select id from ${destinations} where id = any (array(select id from chosen))
    and due_at <= ${$.now}::timestamptz and enabled for update skip locked))
returning d.id, json_build_object('id', o.id, 'slug', o.slug, 'name', o.name) as org, c.account, d.kind, d.name, d.url, d.secret, d.former_secret, d.tracker,
  to_json(d.former_secret_until) #>> '{}' as former_secret_until, to_json(d.events) as events, to_json(d.project_ids) as project_ids,
  to_json(d.muted_project_ids) as muted_project_ids, d.min_severity,
  d.leases, d.wakes, d.failures, to_json(d.failing_since) #>> '{}' as failing_since`,
);

const dateOf = (text: string | null) => (text === null ? null : new Date(text));

/** Which destinations are leased, and until when. */
export interface TakeOptions {
  now: Date;
  until: Date;
  /** The version of an organization's schema that is up to date. */
  version: number;
  limit: number;
  /** The most destinations of one account, with those that this process has leased. */
  perAccount: number;
  /** The number of leased ones by account. */
  busy: ReadonlyMap<string, number>;
}

/** Leases destinations that are due, those first that have waited longest. */
export async function takeDestinations(
  client: SqlClient,
  { now, until, version, limit, perAccount, busy }: TakeOptions,
): Promise<LeasedDestination[]> {
  const rows = await take.run(client, {
    ...{ now: now.toISOString(), until: until.toISOString(), version, limit, perAccount },
    busy: JSON.stringify([...busy].map(([account, n]) => ({ account, n }))),
  });
  return rows.map((row) => ({
    ...{ id: row.id, org: row.org, account: row.account, kind: row.kind, name: row.name },
    ...{ url: row.url, secret: row.secret },
    formerSecret: row.former_secret,
    formerSecretUntil: dateOf(row.former_secret_until),
    tracker: row.tracker,
    events: row.events,
    projectIds: row.project_ids,
    mutedProjectIds: row.muted_project_ids,
    minSeverity: row.min_severity,
    ...{ lease: row.leases, wakes: row.wakes, failures: row.failures },
    failingSince: dateOf(row.failing_since),
  }));
}

const extend = statement<{ until: string; ids: string; leases: string }, { id: string }>(
  ($) => sql`
update ${destinations} d set due_at = greatest(d.due_at, ${$.until}::timestamptz)
from json_to_recordset(${$.leases}::text::json) as l(id uuid, lease int)
where d.id = l.id and d.leases = l.lease and d.enabled and d.id = any (array(
  select id from ${destinations} where id = any (${$.ids}::uuid[]) order by id for update))
returning d.id`,
);

/** Extends leases. @returns the ids of those that other processes have not taken over, and that are still enabled */
export async function renewLeases(
  client: SqlClient,
  leased: readonly Pick<LeasedDestination, 'id' | 'lease'>[],
  until: Date,
): Promise<Set<string>> {
  const leases = JSON.stringify(leased.map(({ id, lease }) => ({ id, lease })));
  const ids = arrayText(leased.map(({ id }) => id));
  const rows = await extend.run(client, { until: until.toISOString(), ids, leases });
  return new Set(rows.map(({ id }) => id));
}

/** The state of a destination after deliveries. */
export interface Settled {
  failures: number;
  failingSince: Date | null;
  /** When the next delivery is due. */
  next: Date | null;
  /** The same if deliveries were added meanwhile. */
  ifWoken: Date;
}

const settle = statement<
  {
    id: string;
    lease: number;
    wakes: number;
    failures: number;
    since: string | null;
    next: string | null;
    ifWoken: string;
  },
  object
>(
  ($) => sql`
update ${destinations} set leases = leases + 1, failures = ${$.failures}::int, failing_since = ${$.since}::timestamptz,
  due_at = case when wakes = ${$.wakes}::int then ${$.next}::timestamptz else ${$.ifWoken}::timestamptz end
where id = ${$.id}::uuid and leases = ${$.lease}::int`,
);

/** Ends a lease, unless another process has taken it over. */
export async function settleDestination(
  client: SqlClient,
  { id, lease, wakes }: LeasedDestination,
  { failures, failingSince, next, ifWoken }: Settled,
): Promise<void> {
  await settle.run(client, {
    ...{ id, lease, wakes, failures },
    since: failingSince?.toISOString() ?? null,
    next: next?.toISOString() ?? null,
    ifWoken: ifWoken.toISOString(),
  });
}

/**
 * Switches a destination off and ends its lease. Part of the transaction that writes the mails.
 * @returns false if another process has taken the lease over, or it is switched off
 */
export async function disableDestination(
  client: SqlClient | DrizzleClient,
  { id, lease }: LeasedDestination,
  { failures, failingSince }: Pick<Settled, 'failures' | 'failingSince'>,
  reason: DisabledReason,
  now: Date,
): Promise<boolean> {
  const rows = await run(
    client,
    sql`update ${destinations} set enabled = false, disabled_reason = ${reason}, due_at = null, leases = leases + 1,
      failures = ${failures}, failing_since = ${failingSince?.toISOString() ?? null}::timestamptz,
      updated_at = ${now.toISOString()}::timestamptz
      where id = ${id}::uuid and leases = ${lease} and enabled returning 1`,
  );
  return rows.length > 0;
}

/**
 * Makes destinations due that have new deliveries, in the transaction that writes them. Leased ones are due when the lease ends,
 * and failing ones when their wait is over.
 * @param atOnce ends that wait: a member asks for the delivery
 */
export async function wakeDestinations(
  client: SqlClient | DrizzleClient,
  ids: readonly string[],
  now: string,
  atOnce = false,
): Promise<void> {
  const waits = sql`(leases % 2 = 1 or (failures >= ${BREAKS_AT} and not ${atOnce}::boolean)) and due_at is not null`;
  await run(
    client,
    sql`update ${destinations} set wakes = wakes + 1,
      due_at = case when ${waits} then due_at else least(due_at, ${now}::timestamptz) end
      where id = any (array(
        select id from ${destinations} where id = any (${arrayText(ids)}::uuid[]) order by id for update))`,
  );
}
