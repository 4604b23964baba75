import { sql } from 'drizzle-orm';
import { destinations } from '../schema/destinations.ts';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement, type SqlClient, statement } from '../statements.ts';
import { ISSUE_REQUESTED } from './claim.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Issues of an organization that one run has read. The next ones follow in the next run. */
const AT_ONCE = 1_000;

const enabled = statement<{ orgId: string }, { id: string }>(
  ($) =>
    sql`select id from ${destinations} where org_id = ${$.orgId}::uuid and enabled and tracker is not null`,
);

/** The id of an event is derived from the issue and the day, so that processes that do it at the same time write one. */
const write = orgStatement<{ ids: string; now: string; before: string; day: string }, object>(
  ({ events, issues }, $) => sql`
insert into ${events} (id, at, type, subject)
select md5(id::text || ${$.day}::text)::uuid, ${$.now}::timestamptz, ${sql.raw(`'${ISSUE_REQUESTED}'`)}, id::text from ${issues}
where state in ('open', 'closed', 'gone') and checked_at < ${$.before}::timestamptz and destination_id = any (${$.ids}::uuid[])
order by checked_at limit ${sql.raw(String(AT_ONCE))}
on conflict (id) do nothing`,
);

/** Has the outbox read issues of an organization that were not read for a day, of integrations that are enabled. */
export async function recheckIssues(
  client: SqlClient,
  tables: OrgTables,
  orgId: string,
  now: Date,
): Promise<void> {
  const found = await enabled.run(client, { orgId });
  if (found.length === 0) return;
  await write(tables).run(client, {
    ids: arrayText(found.map(({ id }) => id)),
    now: now.toISOString(),
    before: new Date(now.getTime() - DAY_MS).toISOString(),
    day: now.toISOString().slice(0, 10),
  });
}
