import { sql } from 'drizzle-orm';
import { isStaying } from '../../projects/deletion.ts';
import { users } from '../../schema/accounts.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { EventKind, TriageReason } from '../../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../../statements.ts';
import { touchCounts } from '../counts/revision.ts';
import type { Window } from '../lists/pages.ts';

/** The author of a change. A user who no longer exists has no name. */
export interface Actor {
  type: 'user' | 'token' | 'rule' | 'system';
  id: string | null;
  name: string | null;
}

/** An entry of a finding's activity. */
export interface ActivityEntry {
  id: string;
  /** ISO 8601, as all times here. */
  at: string;
  kind: EventKind;
  actor: Actor;
  /** Before and after the change: a status, a severity, a user id, or a time (ISO 8601). */
  from: string | null;
  to: string | null;
  reason: TriageReason | null;
  /** The actor's remark, or the text of a comment. */
  note: string | null;
  /** Comments only. */
  edited_at: string | null;
  /** The ids of the users that a comment mentions. */
  mentions: string[] | null;
}

interface Row extends Omit<ActivityEntry, 'actor'> {
  actor_id: string | null;
  token_name: string | null;
  rule_name: string | null;
  user_name: string | null;
  total: number;
}

const activityStatement = orgStatement<{ findingId: string } & Window, Row>(
  ({ apiTokens, findingEvents, findings, rules }, $) => sql`
with events as (
  select id, at, kind, actor_id, "from", "to", reason, note, edited_at, array_to_json(mentions) as mentions
  from ${findingEvents}
  where finding_id = ${$.findingId}::uuid
  union all
  select id, created_at, 'created', created_by, null, null, null, null, null, null from ${findings}
  where id = ${$.findingId}::uuid
), page as (
  select *, (count(*) over ())::int as total from events
  order by at desc, kind = 'created', id desc limit ${$.limit}::bigint offset ${$.offset}::bigint
)
select page.*, t.name as token_name, r.name as rule_name, u.name as user_name from page
left join ${apiTokens} t on t.id = page.actor_id
left join ${rules} r on r.id = page.actor_id
left join ${users} u on u.id = page.actor_id
order by page.at desc, page.kind = 'created', page.id desc`,
);

const countStatement = orgStatement<{ findingId: string }, { total: number }>(
  ({ findingEvents, findings }, $) => sql`
select (select count(*) from ${findingEvents} where finding_id = ${$.findingId}::uuid)::int + 1 as total
from ${findings} where id = ${$.findingId}::uuid`,
);

/** Reads a page of a finding's activity, newest first. @returns undefined if the finding does not exist */
export async function readActivity(
  client: SqlClient,
  tables: OrgTables,
  findingId: string,
  window: Window,
): Promise<{ total: number; entries: ActivityEntry[] } | undefined> {
  const rows = await activityStatement(tables).run(client, { findingId, ...window });
  const [first] = rows.length > 0 ? rows : await countStatement(tables).run(client, { findingId });
  if (!first) return undefined;
  return { total: first.total, entries: rows.map(toEntry) };
}

function toEntry(read: Row): ActivityEntry {
  const { total: _, actor_id: id, token_name, rule_name, user_name, from, to, ...row } = read;
  const type = id === null ? 'system' : token_name !== null ? 'token' : rule_name !== null ? 'rule' : 'user';
  const isTime = row.kind === 'due_at' || row.kind === 'accepted_until';
  return {
    ...row,
    at: iso(row.at),
    actor: { type, id, name: token_name ?? rule_name ?? user_name },
    from: isTime && from ? iso(from) : from,
    to: isTime && to ? iso(to) : to,
    edited_at: row.edited_at && iso(row.edited_at),
  };
}

/** A time as PostgreSQL writes it, in ISO 8601. */
const iso = (time: string): string => new Date(time).toISOString();

interface Comment {
  findingId: string;
  id: string;
  actorId: string;
  body: string;
  /** The ids of the users that it mentions. */
  mentions: readonly string[];
  now: string;
}

/** A comment as a parameter. Most comments mention nobody, and null keeps them out of the index. */
const toParams = ({ mentions, ...comment }: Comment) => ({
  ...comment,
  mentions: mentions.length > 0 ? arrayText(mentions) : null,
});

type CommentParams = ReturnType<typeof toParams>;

const addStatement = orgStatement<CommentParams, { id: string }>(
  (tables, $) => sql`
with added as (
  insert into ${tables.findingEvents} (finding_id, at, id, kind, actor_id, note, mentions)
  select id, ${$.now}::timestamptz, ${$.id}::uuid, 'comment', ${$.actorId}::uuid, ${$.body}, ${$.mentions}::uuid[]
  from ${tables.findings}
  -- So that a request which deletes the finding waits.
  where id = ${$.findingId}::uuid and ${isStaying(tables)} for key share returning id
), touched as (${touchCounts(tables, sql`${$.findingId}::uuid`)})
select id from added`,
);

/** Adds a comment. @returns false if the finding does not exist, or its project moves to another organization */
export async function addComment(client: SqlClient, tables: OrgTables, comment: Comment): Promise<boolean> {
  return (await addStatement(tables).run(client, toParams(comment))).length > 0;
}

type CommentKey = Pick<Comment, 'findingId' | 'id'>;

const editStatement = orgStatement<CommentParams, { at: string }>(
  (tables, $) => sql`
with edited as (
  update ${tables.findingEvents} set note = ${$.body}, edited_at = ${$.now}::timestamptz,
    mentions = ${$.mentions}::uuid[]
  where finding_id = ${$.findingId}::uuid and id = ${$.id}::uuid and kind = 'comment' and actor_id = ${$.actorId}::uuid
  returning at, finding_id
), touched as (${touchCounts(tables, sql`(select finding_id from edited)`)})
select at from edited`,
);

/** Changes the text of an actor's comment. @returns when it was written; undefined if there is no such comment of this actor */
export async function editComment(
  client: SqlClient,
  tables: OrgTables,
  comment: Comment,
): Promise<string | undefined> {
  const [row] = await editStatement(tables).run(client, toParams(comment));
  return row && iso(row.at);
}

const removeStatement = orgStatement<CommentKey & { actorId: string }, object>(
  (tables, $) => sql`
with removed as (
  delete from ${tables.findingEvents} where finding_id = ${$.findingId}::uuid and id = ${$.id}::uuid and kind = 'comment'
    and actor_id = ${$.actorId}::uuid returning finding_id
), touched as (${touchCounts(tables, sql`(select finding_id from removed)`)})
select 1 from removed`,
);

/** Removes an actor's comment. @returns false if there is no such comment of this actor */
export async function removeComment(
  client: SqlClient,
  tables: OrgTables,
  comment: CommentKey & { actorId: string },
): Promise<boolean> {
  return (await removeStatement(tables).run(client, comment)).length > 0;
}

const ownerStatement = orgStatement<CommentKey, { actor_id: string }>(
  ({ findingEvents: e }, $) => sql`
select actor_id from ${e} where finding_id = ${$.findingId}::uuid and id = ${$.id}::uuid and kind = 'comment'`,
);

/** Whether a comment of any author exists. */
export async function hasComment(client: SqlClient, tables: OrgTables, key: CommentKey): Promise<boolean> {
  return (await ownerStatement(tables).run(client, key)).length > 0;
}
