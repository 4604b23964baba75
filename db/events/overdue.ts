import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { eventPositions } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import { UNRESOLVED } from '../schema/values.ts';
import { orgStatement, type SqlClient, statement } from '../statements.ts';
import type { EventOrg } from './publish.ts';

/** The most findings of one event. */
const CHUNK = 500;

/** Written out, as in the index `findings_overdue`. */
const isUnresolved = sql.raw(`status in ('${UNRESOLVED.join("', '")}')`);

const overdue = orgStatement<{ since: string; now: string }, object>(
  ({ findings }, $) => sql`
select 1 from ${findings} where due_at > ${$.since}::timestamptz and due_at <= ${$.now}::timestamptz and ${isUnresolved} limit 1`,
);

/** Whether unresolved findings have become overdue since a time. */
export const hasOverdue = async (
  client: SqlClient,
  tables: OrgTables,
  since: Date,
  now: Date,
): Promise<boolean> =>
  (await overdue(tables).run(client, { since: since.toISOString(), now: now.toISOString() })).length > 0;

const lock = statement<{ orgId: string }, { since: string }>(
  ($) => sql`
select to_json(overdue_until) #>> '{}' as since from ${eventPositions} where org_id = ${$.orgId}::uuid for update`,
);

const write = orgStatement<{ orgId: string; since: string; now: string }, object>(
  ({ events, findings }, $) => sql`
insert into ${events} (id, at, type, finding_ids)
select md5(${$.orgId}::text || 'finding.overdue' || ${$.now}::text || n::text)::uuid, ${$.now}::timestamptz, 'finding.overdue',
  array_agg(id order by due_at, id)
from (select id, due_at, (row_number() over (order by due_at, id) - 1) / ${sql.raw(String(CHUNK))} as n from ${findings}
  where due_at > ${$.since}::timestamptz and due_at <= ${$.now}::timestamptz and ${isUnresolved}) f
group by n`,
);

const moveOn = statement<{ orgId: string; now: string }, object>(
  ($) =>
    sql`update ${eventPositions} set overdue_until = ${$.now}::timestamptz where org_id = ${$.orgId}::uuid`,
);

/** Writes the events of findings that have become overdue. Only one process does at a time. */
export const writeOverdue = (client: Sql, { id: orgId, tables }: EventOrg, now: Date): Promise<void> =>
  client.begin(async (tx) => {
    const [position] = await lock.run(tx, { orgId });
    if (!position || new Date(position.since) >= now) return;
    const until = now.toISOString();
    await write(tables).run(tx, { orgId, since: position.since, now: until });
    await moveOn.run(tx, { orgId, now: until });
  });
