import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../../citus.ts';
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
  /** The scan that caused it. A deleted one has an id only. */
  scan: { id: string; name: string | null; ref: string | null } | null;
}

/** An entry as the statements read it. */
export interface ActivityRow extends Omit<ActivityEntry, 'actor' | 'scan'> {
  scan_id: string | null;
  scan_name: string | null;
  scan_ref: string | null;
  actor_id: string | null;
  token_name: string | null;
  rule_name: string | null;
  user_name: string | null;
  total: number;
}

/** Where a finding is missing that is one of the state's refs. */
const missingRefs = ({ findingRefs, series }: OrgTables, $: { findingId: Placeholder }): SQL =>
  sql`${findingRefs} r join ${series} e on e.id = r.series_id and e.tracked
  where r.finding_id = ${$.findingId}::uuid and r.missing_since is not null`;

/** Scans of a series end in about the order in which they were registered. */
const MAX_CANDIDATES = 20;

/** Why a finding is missing is not written: `finding_refs` says it, and the scan that completed then. */
const activityStatement = orgStatement<{ findingId: string } & Window, ActivityRow>(
  (tables, $) => sql`
with events as (
  select id, at, kind, actor_id, "from", "to", reason, note, edited_at, array_to_json(mentions) as mentions, scan_id
  from ${tables.findingEvents}
  where finding_id = ${$.findingId}::uuid
  union all
  select id, created_at, 'created', created_by, null, null, null, null, null, null, scan_id from ${tables.findings}
  where id = ${$.findingId}::uuid
  union all
  select md5(m.finding_id::text || m.series_id || extract(epoch from m.missing_since))::uuid, m.missing_since, 'missing',
    null, null, null, null, 'A scan' || coalesce(' of ' || nullif(m.ref, ''), '') || ' looked for findings of its source and did not report it.',
    null, null, (
      select c.scan_id from (
        select s.scan_id, s.completed_at from ${tables.scans} s where s.series_id = m.series_id and s.created_at <= m.missing_since
        order by s.created_at desc, s.scan_id desc limit ${sql.raw(String(MAX_CANDIDATES))}
      ) c where c.completed_at = m.missing_since limit 1)
  from (select r.finding_id, r.series_id, r.missing_since, e.ref from ${missingRefs(tables, $)}) m
), page as (
  select *, (count(*) over ())::int as total from events
  order by at desc, kind = 'created', kind = 'missing', id desc limit ${$.limit}::bigint offset ${$.offset}::bigint
)
select page.*, t.name as token_name, r.name as rule_name, u.name as user_name,
  s.name as scan_name, s.target ->> 'ref' as scan_ref
from page
left join ${tables.apiTokens} t on t.id = page.actor_id
left join ${tables.rules} r on r.id = page.actor_id
left join ${users} u on u.id = page.actor_id
left join ${tables.scans} s on s.scan_id = page.scan_id
order by page.at desc, page.kind = 'created', page.kind = 'missing', page.id desc`,
);

const countStatement = orgStatement<{ findingId: string }, { total: number }>(
  (tables, $) => sql`
select ((select count(*) from ${tables.findingEvents} where finding_id = ${$.findingId}::uuid) + 1
  + (select count(*) from ${missingRefs(tables, $)}))::int as total
from ${tables.findings} where id = ${$.findingId}::uuid`,
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

export function toEntry(read: ActivityRow): ActivityEntry {
  const { total: _, actor_id: id, token_name, rule_name, user_name, from, to, ...others } = read;
  const { scan_id, scan_name, scan_ref, ...row } = others;
  const type = id === null ? 'system' : token_name !== null ? 'token' : rule_name !== null ? 'rule' : 'user';
  const isTime = row.kind === 'due_at' || row.kind === 'accepted_until';
  return {
    ...row,
    at: iso(row.at),
    actor: { type, id, name: token_name ?? rule_name ?? user_name },
    from: isTime && from ? iso(from) : from,
    to: isTime && to ? iso(to) : to,
    edited_at: row.edited_at && iso(row.edited_at),
    scan: scan_id === null ? null : { id: scan_id, name: scan_name, ref: scan_ref },
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
), told as (
  insert into ${tables.events} (id, at, type, subject, actor_id, finding_ids)
  select id, ${$.now}::timestamptz, 'finding.commented', id::text, ${$.actorId}::uuid, array[${$.findingId}::uuid]
  from added ${onItsWorker(tables)}
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

const findingStatement = orgStatement<{ findingId: string }, object>(
  ({ findings }, $) => sql`select 1 from ${findings} where id = ${$.findingId}::uuid`,
);

/** Whether a finding exists that may have comments. */
export async function hasFinding(client: SqlClient, tables: OrgTables, findingId: string): Promise<boolean> {
  return (await findingStatement(tables).run(client, { findingId })).length > 0;
}
