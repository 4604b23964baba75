import { type SQL, sql } from 'drizzle-orm';
import type { Window } from '../findings/lists/pages.ts';
import { limitedStatement, type Projects } from '../projects/reach.ts';
import type { OrgTables } from '../schema/org.ts';
import type { DeletionState, PERSONAS } from '../schema/values.ts';
import type { Placeholders, SqlClient } from '../statements.ts';

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

/** A reader of deletions. One who is limited to some projects reads only own ones that concern no other project. */
export interface DeletionReader {
  actorId: string;
  projects: Projects;
}

type Reading = { since: string; actorId: string };

/** A condition for a reader who is limited to some projects. */
export function ofReader(
  { deletedFindings, deletions: d, findings }: OrgTables,
  $: Placeholders<Reading>,
  limit: (projectId: SQL) => SQL | undefined,
): SQL | undefined {
  const [isOfScan, isDeleted, isLeft] = [d.projectId, deletedFindings.projectId, findings.projectId].map(
    (id) => limit(sql`${id}`),
  );
  return (
    isOfScan &&
    sql` and ${d.actorId} = ${$.actorId}::uuid and (${d.projectId} is null or ${isOfScan})
    and not exists (select from ${deletedFindings} where ${deletedFindings.deletionId} = ${d.id} and not ${isDeleted})
    and not exists (select from ${findings} where ${findings.id} = any (${d.findingIds}) and not ${isLeft})`
  );
}

/**
 * A condition for a list of such a reader. Without a scan, and without findings that are kept or are still to be deleted, nothing tells
 * which projects a deletion concerned: it is left out.
 */
function inListOf(
  tables: OrgTables,
  $: Placeholders<Reading>,
  limit: (projectId: SQL) => SQL | undefined,
): SQL | undefined {
  const { deletedFindings, deletions: d, findings } = tables;
  const isReader = ofReader(tables, $, limit);
  return (
    isReader &&
    sql`${isReader} and (${d.projectId} is not null
    or exists (select from ${deletedFindings} where ${deletedFindings.deletionId} = ${d.id})
    or exists (select from ${findings} where ${findings.id} = any (${d.findingIds})))`
  );
}

const readStatement = limitedStatement<Reading & { id: string }, DeletionRow>(
  (tables, $, limit) => sql`
select ${columns} from ${tables.deletions} where id = ${$.id}::uuid and at >= ${$.since}::timestamptz and state <> 'purging'${ofReader(tables, $, limit)}`,
);

/** Reads a deletion that was made since a time. */
export const readDeletion = async (
  client: SqlClient,
  tables: OrgTables,
  { id, since, actorId, projects }: DeletionReader & { id: string; since: Date },
): Promise<DeletionRow | undefined> =>
  (await readStatement(tables, projects).run(client, { id, actorId, since: since.toISOString() }))[0];

const listStatement = limitedStatement<Reading & Window, DeletionRow>(
  (tables, $, limit) => sql`
select ${columns} from ${tables.deletions} where at >= ${$.since}::timestamptz and state <> 'purging'${inListOf(tables, $, limit)}
order by id desc limit ${$.limit}::bigint offset ${$.offset}::bigint`,
);

const countStatement = limitedStatement<Reading, { total: number }>(
  (tables, $, limit) => sql`
select count(*)::int as total from ${tables.deletions} where at >= ${$.since}::timestamptz and state <> 'purging'${inListOf(tables, $, limit)}`,
);

/** Reads a page of the deletions that were made since a time, newest first. */
export async function readDeletions(
  client: SqlClient,
  tables: OrgTables,
  { since, actorId, projects }: DeletionReader & { since: Date },
  window: Window,
): Promise<{ total: number; deletions: DeletionRow[] }> {
  const from = { actorId, since: since.toISOString() };
  const [deletions, [counted]] = await Promise.all([
    listStatement(tables, projects).run(client, { ...from, ...window }),
    countStatement(tables, projects).run(client, from),
  ]);
  return { total: counted?.total ?? 0, deletions };
}
