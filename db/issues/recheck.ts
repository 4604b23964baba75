import { sql } from 'drizzle-orm';
import { destinations } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import { ISSUE_REQUESTED } from '../schema/values.ts';
import { orgStatement, type SqlClient, statement } from '../statements.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** The most deliveries that wait for an integration after a run, so that a new issue does not wait for long. */
const MOST = sql.raw('250');

/** An issue tracker that is enabled. */
export interface EnabledTracker {
  id: string;
  org_id: string;
}

const enabled = statement<{ after: string | null; limit: number }, EnabledTracker>(
  ($) => sql`
select id, org_id from ${destinations}
where enabled and tracker is not null and (${$.after}::uuid is null or id > ${$.after}::uuid) order by id limit ${$.limit}::int`,
);

/** A page of the issue trackers of all organizations that are enabled, by their ids. */
export const readEnabledTrackers = (
  client: SqlClient,
  page: { after: string | null; limit: number },
): Promise<EnabledTracker[]> => enabled.run(client, page);

interface Due {
  destinationId: string;
  now: string;
  /** Issues that were asked for before this time are due. */
  read: string;
  pending: string;
  day: string;
}

/** The id of an event is derived from the issue and the day, so that processes that do it at the same time write one. */
const write = orgStatement<Due, object>(
  ({ deliveries, events, issues }, $) => sql`
insert into ${events} (id, at, type, subject)
select md5(id::text || ${$.day}::text)::uuid, ${$.now}::timestamptz, ${sql.raw(`'${ISSUE_REQUESTED}'`)}, id::text from ${issues}
where destination_id = ${$.destinationId}::uuid and state <> 'failed' and coalesce(checked_at, created_at)
  < case when state = 'pending' then ${$.pending}::timestamptz else ${$.read}::timestamptz end
order by coalesce(checked_at, created_at) limit greatest(0, ${MOST} - (
  select count(*) from ${deliveries} d where d.destination_id = ${$.destinationId}::uuid and d.next_at is not null))
on conflict (id) do nothing`,
);

/** Has the outbox read issues of an integration that were not read for a day, and work on those that are pending for an hour. */
export async function recheckIssues(
  client: SqlClient,
  tables: OrgTables,
  destinationId: string,
  now: Date,
): Promise<void> {
  await write(tables).run(client, {
    ...{ destinationId, now: now.toISOString(), day: now.toISOString().slice(0, 10) },
    read: new Date(now.getTime() - DAY_MS).toISOString(),
    pending: new Date(now.getTime() - HOUR_MS).toISOString(),
  });
}
