import { sql } from 'drizzle-orm';
import type { Window } from '../findings/lists/pages.ts';
import type { OrgTables } from '../schema/org.ts';
import type { DeletionState, PERSONAS } from '../schema/values.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

/** A deletion as users see it. */
export interface DeletionRow {
  id: string;
  at: string;
  actor_id: string;
  state: DeletionState;
  selected: number;
  findings: number;
  restored: number;
  scan: {
    id: string;
    name: string;
    project_id: string;
    persona: (typeof PERSONAS)[number];
    created_at: string;
    sources: string[] | null;
  } | null;
}

const columns = sql.raw(`id, at, actor_id, state, selected, findings, restored,
  case when scan_id is not null then json_build_object('id', scan_id, 'name', scan ->> 'name', 'project_id', project_id,
    'persona', scan ->> 'persona', 'created_at', scan ->> 'created_at', 'sources', case when scan ->> 'declared_sources' is not null then scan -> 'declared_sources' else scan -> 'sources' end) end as scan`);

const readStatement = orgStatement<{ id: string; since: string }, DeletionRow>(
  ({ deletions }, $) => sql`
select ${columns} from ${deletions} where id = ${$.id}::uuid and at >= ${$.since}::timestamptz and state <> 'purging'`,
);

/** Reads a deletion that was made since a time. */
export const readDeletion = async (
  client: SqlClient,
  tables: OrgTables,
  id: string,
  since: Date,
): Promise<DeletionRow | undefined> =>
  (await readStatement(tables).run(client, { id, since: since.toISOString() }))[0];

const listStatement = orgStatement<Window & { since: string }, DeletionRow>(
  ({ deletions }, $) => sql`
select ${columns} from ${deletions} where at >= ${$.since}::timestamptz and state <> 'purging'
order by id desc limit ${$.limit}::bigint offset ${$.offset}::bigint`,
);

const countStatement = orgStatement<{ since: string }, { total: number }>(
  ({ deletions }, $) => sql`
select count(*)::int as total from ${deletions} where at >= ${$.since}::timestamptz and state <> 'purging'`,
);

/** Reads a page of the deletions that were made since a time, newest first. */
export async function readDeletions(
  client: SqlClient,
  tables: OrgTables,
  since: Date,
  window: Window,
): Promise<{ total: number; deletions: DeletionRow[] }> {
  const from = { since: since.toISOString() };
  const [deletions, [counted]] = await Promise.all([
    listStatement(tables).run(client, { ...from, ...window }),
    countStatement(tables).run(client, from),
  ]);
  return { total: counted?.total ?? 0, deletions };
}
