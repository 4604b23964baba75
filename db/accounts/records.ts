import { sql } from 'drizzle-orm';
import { limitedStatement, type Projects } from '../projects/reach.ts';
import type { OrgTables } from '../schema/org.ts';
import type { SqlClient } from '../statements.ts';
import { type Position, START } from './mentions.ts';

/*
 * Reads the records of an organization about a person that no index finds. Pages of a few thousand rows are read in the order of the
 * primary key, so that no connection waits for a slow client, and no statement takes long.
 */

const PAGE = 5_000;

interface Marked {
  is_last: boolean;
  hit: boolean;
  page_rows: number;
}

/** An entry of the activity of a finding. */
export interface ActivityRecord extends Position {
  kind: string;
  from: string | null;
  to: string | null;
  reason: string | null;
  note: string | null;
  edited_at: string | null;
  /** The person made the change; otherwise it is about them. */
  by_you: boolean;
}

const activityPage = limitedStatement<Position & { userId: string; limit: number }, ActivityRecord & Marked>(
  ({ findingEvents: e, findings }, $, limit) => {
    const limited = limit(sql`f.project_id`);
    const isAbout = sql`(kind = 'assignee' and ${$.userId} in ("from", "to"))
      or coalesce(strpos(lower(note), '](' || ${$.userId} || ')') > 0, false)`;
    const isShown = limited
      ? sql`(${isAbout}) and exists (select from ${findings} f where f.id = finding_id and ${limited})`
      : isAbout;
    return sql`
select * from (
  select finding_id, at::text as at, id, kind, "from", "to", reason, note, edited_at::text as edited_at,
    actor_id is not distinct from ${$.userId}::uuid as by_you,
    actor_id is not distinct from ${$.userId}::uuid or ${isShown} as hit,
    row_number() over (order by finding_id, at, id) = count(*) over () as is_last,
    (count(*) over ())::int as page_rows
  from (
    select * from ${e}
    where (finding_id, at, id) > (${$.finding_id}::uuid, ${$.at}::timestamptz, ${$.id}::uuid)
    order by finding_id, at, id limit ${$.limit}::bigint
  ) page
) marked where hit or is_last order by finding_id, marked.at::timestamptz, id`;
  },
);

/** The entries of the activity by a person, or about them in some projects. */
export async function* readActivityOf(
  client: SqlClient,
  tables: OrgTables,
  userId: string,
  projects: Projects,
  limit = PAGE,
): AsyncGenerator<ActivityRecord> {
  for (let after: Position | undefined = START; after; ) {
    const rows: (ActivityRecord & Marked)[] = await activityPage(tables, projects).run(client, {
      ...after,
      userId,
      limit,
    });
    for (const { is_last: _, hit, page_rows: __, ...entry } of rows) {
      if (!hit) continue;
      const edited_at = entry.edited_at && new Date(entry.edited_at).toISOString();
      yield { ...entry, at: new Date(entry.at).toISOString(), edited_at };
    }
    const last: (ActivityRecord & Marked) | undefined = rows.at(-1);
    const isMore = last !== undefined && last.page_rows === limit;
    after = isMore ? { finding_id: last.finding_id, at: last.at, id: last.id } : undefined;
  }
}

/** A finding that a person reported by an import. */
export interface FindingRecord {
  id: string;
  title: string;
}

const importedPage = limitedStatement<
  { after: string; userId: string; limit: number },
  FindingRecord & Marked
>(({ findings: f }, $, limit) => {
  const limited = limit(sql`project_id`);
  return sql`
select * from (
  select id, title, created_by is not distinct from ${$.userId}::uuid${limited && sql` and ${limited}`} as hit,
    row_number() over (order by id) = count(*) over () as is_last, (count(*) over ())::int as page_rows
  from (
    select id, title, created_by${limited && sql`, project_id`} from ${f} where id > ${$.after}::uuid order by id limit ${$.limit}::bigint
  ) page
) marked where hit or is_last order by id`;
});

/** The findings in some projects that a person's imports reported first. */
export async function* readFindingsOf(
  client: SqlClient,
  tables: OrgTables,
  userId: string,
  projects: Projects,
  limit = PAGE,
): AsyncGenerator<FindingRecord> {
  for (let after: string | undefined = START.id; after !== undefined; ) {
    const rows: (FindingRecord & Marked)[] = await importedPage(tables, projects).run(client, {
      after,
      userId,
      limit,
    });
    for (const { id, title, hit } of rows) if (hit) yield { id, title };
    const last: (FindingRecord & Marked) | undefined = rows.at(-1);
    after = last !== undefined && last.page_rows === limit ? last.id : undefined;
  }
}
