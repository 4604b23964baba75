import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { eventPositions } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import { UNRESOLVED } from '../schema/values.ts';
import { orgStatement, type SqlClient, statement } from '../statements.ts';
import type { EventOrg } from './publish.ts';

/** A due date is announced so long before. */
const SOON_MS = 3 * 24 * 60 * 60 * 1_000;

/** The most findings of one event. */
const CHUNK = 500;

/** Written out, as in the index `findings_overdue`. */
const isUnresolved = sql.raw(`status in ('${UNRESOLVED.join("', '")}')`);

/** The types of events that time causes, and the due dates that they are about. */
const windowsOf = (since: Date, now: Date) => {
  const soon = (time: Date) => new Date(time.getTime() + SOON_MS);
  // Findings that became due soon and overdue since then are overdue.
  const [from, to] = [new Date(Math.max(soon(since).getTime(), now.getTime())), soon(now)];
  return {
    'finding.overdue': { from: since.toISOString(), to: now.toISOString() },
    'finding.due_soon': { from: from.toISOString(), to: to.toISOString() },
  };
};

const due = orgStatement<{ from: string; to: string; soonFrom: string; soonTo: string }, object>(
  ({ findings }, $) => sql`
(select 1 from ${findings} where due_at > ${$.from}::timestamptz and due_at <= ${$.to}::timestamptz and ${isUnresolved} limit 1)
union all
(select 1 from ${findings} where due_at > ${$.soonFrom}::timestamptz and due_at <= ${$.soonTo}::timestamptz and ${isUnresolved} limit 1)`,
);

/** Whether unresolved findings have become overdue, or due within three days, since a time. */
export async function hasDue(client: SqlClient, tables: OrgTables, since: Date, now: Date): Promise<boolean> {
  const windows = windowsOf(since, now);
  const { from: soonFrom, to: soonTo } = windows['finding.due_soon'];
  const found = await due(tables).run(client, { ...windows['finding.overdue'], soonFrom, soonTo });
  return found.length > 0;
}

const lock = statement<{ orgId: string }, { since: string }>(
  ($) => sql`
select to_json(overdue_until) #>> '{}' as since from ${eventPositions} where org_id = ${$.orgId}::uuid for update`,
);

const write = orgStatement<{ orgId: string; type: string; now: string; from: string; to: string }, object>(
  ({ events, findings }, $) => sql`
insert into ${events} (id, at, type, finding_ids)
select md5(${$.orgId}::text || ${$.type}::text || ${$.now}::text || n::text)::uuid, ${$.now}::timestamptz, ${$.type}::text,
  array_agg(id order by due_at, id)
from (select id, due_at, (row_number() over (order by due_at, id) - 1) / ${sql.raw(String(CHUNK))} as n from ${findings}
  where due_at > ${$.from}::timestamptz and due_at <= ${$.to}::timestamptz and ${isUnresolved}) f
group by n`,
);

const moveOn = statement<{ orgId: string; now: string }, object>(
  ($) =>
    sql`update ${eventPositions} set overdue_until = ${$.now}::timestamptz where org_id = ${$.orgId}::uuid`,
);

/** Writes the events of findings that have become overdue, or due within three days. Only one process does at a time. */
export const writeDue = (client: Sql, { id: orgId, tables }: EventOrg, now: Date): Promise<void> =>
  client.begin(async (tx) => {
    const [position] = await lock.run(tx, { orgId });
    if (!position || new Date(position.since) >= now) return;
    const until = now.toISOString();
    for (const [type, window] of Object.entries(windowsOf(new Date(position.since), now)))
      await write(tables).run(tx, { orgId, type, now: until, ...window });
    await moveOn.run(tx, { orgId, now: until });
  });
