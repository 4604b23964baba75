import { sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import type { ChangedFields } from '../../schema/values.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';
import type { Window } from '../lists/pages.ts';

/** A change that a user made. */
export interface RecentChange {
  id: string;
  /** As PostgreSQL writes it, as `undone_at`. */
  at: string;
  /** How many findings were changed. */
  findings: number;
  /** The first of them that exists; null if all were deleted. */
  finding_id: string | null;
  /** Its title. */
  title: string | null;
  what: ChangedFields;
  undone_at: string | null;
  /** The rule that the user applied. */
  rule: { id: string; name: string } | null;
}

type Mine = { actorId: string; since: string };

const listStatement = orgStatement<Mine & Window, RecentChange>(
  ({ changes, findings, rules }, $) => sql`
with page as materialized (
  select id, at, finding_ids, what, undone_at, rule_id from ${changes}
  where actor_id = ${$.actorId}::uuid and at >= ${$.since}::timestamptz
  order by id desc limit ${$.limit}::bigint offset ${$.offset}::bigint
)
select page.id, page.at, cardinality(page.finding_ids) as findings, f.id as finding_id, f.title, page.what, page.undone_at,
  case when r.id is not null then json_build_object('id', r.id, 'name', r.name) end as rule
from page left join lateral (
  select f.id, f.title from unnest(page.finding_ids) with ordinality o(id, position) join ${findings} f on f.id = o.id
  order by o.position limit 1
) f on true left join ${rules} r on r.id = page.rule_id order by page.id desc`,
);

const countStatement = orgStatement<Mine, { total: number }>(
  ({ changes }, $) => sql`
select count(*)::int as total from ${changes}
where actor_id = ${$.actorId}::uuid and at >= ${$.since}::timestamptz`,
);

/** Reads a page of the changes that a user made since a time, newest first. */
export async function readChanges(
  client: SqlClient,
  tables: OrgTables,
  actorId: string,
  since: Date,
  window: Window,
): Promise<{ total: number; changes: RecentChange[] }> {
  const mine = { actorId, since: since.toISOString() };
  const [changes, [counted]] = await Promise.all([
    listStatement(tables).run(client, { ...mine, ...window }),
    countStatement(tables).run(client, mine),
  ]);
  return { total: counted?.total ?? 0, changes };
}
