import { sql } from 'drizzle-orm';
import { touchCounts } from '../findings/counts/revision.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

/** Rows that a statement reads. About 20 ms. */
const PAGE = 5_000;

/** A position in the activity of an organization: the key of an entry. */
export interface Position {
  finding_id: string;
  at: string;
  id: string;
}

/** Before all entries. */
export const START: Position = {
  finding_id: '00000000-0000-0000-0000-000000000000',
  at: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
};

/** An entry with a text that names a user. */
export interface Mention extends Position {
  note: string;
}

interface Row extends Position {
  note: string | null;
  is_last: boolean;
  page_rows: number;
}

/** In the order of the primary key: the index of mentions leaves out those that were stored while the user was no member. */
const pageStatement = orgStatement<Position & { pattern: string; limit: number }, Row>(
  ({ findingEvents: e }, $) => sql`
select finding_id, at::text as at, id, case when hit then note end as note, is_last, page_rows from (
  select finding_id, at, id, note, coalesce(strpos(note, '](') > 0 and note ~* ${$.pattern}, false) as hit,
    row_number() over (order by finding_id, at, id) = count(*) over () as is_last,
    (count(*) over ())::int as page_rows
  from (
    select finding_id, at, id, note from ${e}
    where (finding_id, at, id) > (${$.finding_id}::uuid, ${$.at}::timestamptz, ${$.id}::uuid)
    order by finding_id, at, id limit ${$.limit}::bigint
  ) page
) marked where hit or is_last order by finding_id, at, id`,
);

/**
 * Reads the next entries of the activity.
 * @returns the entries whose text has `](user-id)` with the id of one of the users, and where to go on; no position at the end
 */
export async function readMentions(
  client: SqlClient,
  tables: OrgTables,
  { userIds, after, limit = PAGE }: { userIds: readonly string[]; after: Position; limit?: number },
): Promise<{ mentions: Mention[]; next?: Position }> {
  const params = { ...after, pattern: `\\]\\((?:${userIds.join('|')})\\)`, limit };
  const rows = await pageStatement(tables).run(client, params);
  const mentions = rows.flatMap(({ finding_id, at, id, note }) =>
    note === null ? [] : [{ finding_id, at, id, note }],
  );
  const last = rows.at(-1);
  if (!last || last.page_rows < limit) return { mentions };
  return { mentions, next: { finding_id: last.finding_id, at: last.at, id: last.id } };
}

/** A comment that was edited meanwhile stays, and is found by the next pass. */
const redactStatement = orgStatement<Mention & { text: string; userId: string }, object>(
  (tables, $) => sql`
with redacted as (
  update ${tables.findingEvents}
  set note = ${$.text}, mentions = nullif(array_remove(mentions, ${$.userId}::uuid), '{}')
  where finding_id = ${$.finding_id}::uuid and at = ${$.at}::timestamptz and id = ${$.id}::uuid and note = ${$.note}
  returning finding_id
), touched as (${touchCounts(tables, sql`(select finding_id from redacted)`)})
select 1 from redacted`,
);

/** Replaces the text of an entry by one that does not name the user. */
export async function redactMention(
  client: SqlClient,
  tables: OrgTables,
  mention: Mention,
  { userId, text }: { userId: string; text: string },
): Promise<void> {
  await redactStatement(tables).run(client, { ...mention, userId, text });
}
