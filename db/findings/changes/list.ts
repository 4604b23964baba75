import { type SQL, sql } from 'drizzle-orm';
import { lowestIdAt } from '../../ids.ts';
import { limitedStatement, type Projects } from '../../projects/reach.ts';
import { users } from '../../schema/accounts.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { ChangedFields } from '../../schema/values.ts';
import type { Placeholders, SqlClient } from '../../statements.ts';
import type { Window } from '../lists/pages.ts';

/** A change that can be undone. */
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
  /** The user or token that made it; null for the service. */
  actor_id: string | null;
  /** Unset if the account was deleted. */
  actor_name: string | null;
  is_token: boolean;
}

/** Changes of an actor. `actorId` is ignored if those of all are read. */
interface Changes {
  actorId: string;
  since: string;
  /** The lowest id of a change since then. */
  first: string;
}

type Whose = 'me' | 'all';

/** Ids carry the time, so the primary key counts the changes of all and has them in order. */
const matching = (whose: Whose, $: Placeholders<Changes>): SQL =>
  whose === 'all'
    ? sql`id >= ${$.first}::uuid`
    : sql`actor_id = ${$.actorId}::uuid and at >= ${$.since}::timestamptz`;

/** Leaves out changes with a finding of another project than some. */
export function ofReached({ findings }: OrgTables, limit: (projectId: SQL) => SQL | undefined) {
  const isReached = limit(sql`f.project_id`);
  return (
    isReached &&
    sql` and not exists (select 1 from ${findings} f where f.id = any (finding_ids) and not ${isReached})`
  );
}

const listStatement = (whose: Whose) =>
  limitedStatement<Changes & Window, RecentChange>((tables, $, limit) => {
    const { apiTokens, changes, findings, rules } = tables;
    return sql`
with page as materialized (
  select id, at, finding_ids, what, undone_at, rule_id, actor_id from ${changes}
  where ${matching(whose, $)}${ofReached(tables, limit)} order by id desc limit ${$.limit}::bigint offset ${$.offset}::bigint
)
select page.id, page.at, cardinality(page.finding_ids) as findings, f.id as finding_id, f.title, page.what, page.undone_at,
  case when r.id is not null then json_build_object('id', r.id, 'name', r.name) end as rule,
  page.actor_id, coalesce(t.name, u.name) as actor_name, t.id is not null as is_token
from page left join lateral (
  select f.id, f.title from unnest(page.finding_ids) with ordinality o(id, position) join ${findings} f on f.id = o.id
  order by o.position limit 1
) f on true left join ${rules} r on r.id = page.rule_id
left join ${apiTokens} t on t.id = page.actor_id left join ${users} u on u.id = page.actor_id order by page.id desc`;
  });

const countStatement = (whose: Whose) =>
  limitedStatement<Changes, { total: number }>(
    (tables, $, limit) =>
      sql`select count(*)::int as total from ${tables.changes} where ${matching(whose, $)}${ofReached(tables, limit)}`,
  );

const statements = {
  me: { list: listStatement('me'), count: countStatement('me') },
  all: { list: listStatement('all'), count: countStatement('all') },
};

/** Reads a page of the changes that an actor, or all, made since a time and that are of some projects only, newest first. */
export async function readChanges(
  client: SqlClient,
  tables: OrgTables,
  { whose, actorId, since }: { whose: Whose; actorId: string; since: Date },
  window: Window,
  projects: Projects,
): Promise<{ total: number; changes: RecentChange[] }> {
  const of = { actorId, since: since.toISOString(), first: lowestIdAt(since.getTime()) };
  const { list, count } = statements[whose];
  const [changes, [counted]] = await Promise.all([
    list(tables, projects).run(client, { ...of, ...window }),
    count(tables, projects).run(client, of),
  ]);
  return { total: counted?.total ?? 0, changes };
}
