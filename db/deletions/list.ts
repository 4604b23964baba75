import { sql } from 'drizzle-orm';
import type { Window } from '../findings/lists/pages.ts';
import type { Projects } from '../projects/reach.ts';
import type { OrgTables } from '../schema/org.ts';
import type { DeletionState, PERSONAS } from '../schema/values.ts';
import { arrayText, orgStatement, type Placeholders, type SqlClient } from '../statements.ts';

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

/** A reader of deletions that were made since a time. One who is limited to some projects sees own ones that concern no other project. */
export interface DeletionReader {
  actorId: string;
  since: Date;
  projects: Projects;
}

export type Reading = { actorId: string; since: string; projects: string | null };

export const readingOf = ({ actorId, since, projects }: DeletionReader): Reading => ({
  actorId,
  since: since.toISOString(),
  projects: projects === undefined ? null : arrayText(projects),
});

/** Whether the reader sees a deletion. */
export const isSeen = (
  $: Placeholders<Reading>,
) => sql`at >= ${$.since}::timestamptz and (${$.projects}::uuid[] is null
  or actor_id = ${$.actorId}::uuid and project_ids <@ ${$.projects}::uuid[])`;

const readStatement = orgStatement<Reading & { id: string }, DeletionRow>(
  ({ deletions }, $) => sql`
select ${columns} from ${deletions} where id = ${$.id}::uuid and ${isSeen($)} and state <> 'purging'`,
);

export const readDeletion = async (
  client: SqlClient,
  tables: OrgTables,
  id: string,
  reader: DeletionReader,
): Promise<DeletionRow | undefined> =>
  (await readStatement(tables).run(client, { id, ...readingOf(reader) }))[0];

const listStatement = orgStatement<Reading & Window, DeletionRow>(
  ({ deletions }, $) => sql`
select ${columns} from ${deletions} where ${isSeen($)} and state <> 'purging'
order by id desc limit ${$.limit}::bigint offset ${$.offset}::bigint`,
);

const countStatement = orgStatement<Reading, { total: number }>(
  ({ deletions }, $) => sql`
select count(*)::int as total from ${deletions} where ${isSeen($)} and state <> 'purging'`,
);

/** Reads a page of deletions, newest first. */
export async function readDeletions(
  client: SqlClient,
  tables: OrgTables,
  reader: DeletionReader,
  window: Window,
): Promise<{ total: number; deletions: DeletionRow[] }> {
  const reading = readingOf(reader);
  const [deletions, [counted]] = await Promise.all([
    listStatement(tables).run(client, { ...reading, ...window }),
    countStatement(tables).run(client, reading),
  ]);
  return { total: counted?.total ?? 0, deletions };
}
