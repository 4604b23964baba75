import { sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { type FindingStatus, ISSUE_REQUESTED, type IssueState, type TriageReason } from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';
import { hasUnresolved } from './conditions.ts';

/*
 * An issue is noted with its findings before it exists at the tracker, in one transaction with the event that makes the outbox create it.
 * Two requests for one finding follow each other, because both lock the finding.
 */

/** A finding that may get an issue. */
export interface ClaimableFinding {
  id: string;
  project_id: string;
  status: FindingStatus;
  regressed: boolean;
  reason: TriageReason | null;
  /** Null: a scan of the default branch, or of a tracked ref, has reported it. */
  proposed: boolean | null;
}

const lock = orgStatement<{ ids: string }, ClaimableFinding>(
  ({ findings, projects }, $) => sql`
select f.id, f.project_id, f.status, f.regressed, f.reason, f.proposed from ${findings} f where f.id = any (${$.ids}::uuid[])
  and exists (select 1 from ${projects} p where p.id = f.project_id and p.deleted_at is null and p.transfer is null)
order by f.project_id, f.fingerprint for no key update`,
);

/** Locks findings in the order of pushes. Findings of projects that are deleted or move are missing. */
export const lockClaimable = (
  tx: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<ClaimableFinding[]> => lock(tables).run(tx, { ids: arrayText(ids) });

/** The issue that a finding has already. */
export interface ClaimedIssue {
  finding_id: string;
  id: string;
  state: IssueState;
  url: string | null;
  /** When it was asked for, or the tracker was asked last. */
  asked_at: string;
}

const claimed = orgStatement<{ ids: string; destinationId: string }, ClaimedIssue>(
  ({ findingIssues, issues }, $) => sql`
select l.finding_id, i.id, i.state, i.url, ${timeText(sql`coalesce(i.checked_at, i.created_at)`)} as asked_at from ${findingIssues} l join ${issues} i on i.id = l.issue_id
where l.finding_id = any (${$.ids}::uuid[]) and l.destination_id = ${$.destinationId}::uuid`,
);

/** The issues of an integration that findings have. */
export const readClaimed = (
  tx: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
  destinationId: string,
): Promise<ClaimedIssue[]> => claimed(tables).run(tx, { ids: arrayText(ids), destinationId });

/** An issue that somebody asks for. */
export interface IssueClaim {
  id: string;
  at: Date;
  destinationId: string;
  actorId: string;
  findingIds: readonly string[];
  /** The projects of the integration. Null: all. */
  projectIds: readonly string[] | null;
  /** An issue that exists at the tracker. */
  linked?: { key: string; url: string } | undefined;
}

interface Values {
  id: string;
  at: string;
  destinationId: string;
  actorId: string;
  key: string | null;
  url: string | null;
}

const insert = orgStatement<Values, { id: string }>(
  ({ issues }, $) => sql`
insert into ${issues} (id, destination_id, key, url, state, told, told_at, created_by, created_at)
values (${$.id}::uuid, ${$.destinationId}::uuid, ${$.key}, ${$.url}, 'pending', 'resolved', ${$.at}::timestamptz, ${$.actorId}::uuid, ${$.at}::timestamptz)
on conflict do nothing returning id`,
);

/** Locked, so that nobody removes the last finding of the issue meanwhile. */
const known = orgStatement<{ destinationId: string; url: string | null }, { id: string }>(
  ({ issues }, $) => sql`
select id from ${issues} where destination_id = ${$.destinationId}::uuid and md5(url) = md5(${$.url}::text) for key share`,
);

const link = orgStatement<
  { ids: string; issueId: string; destinationId: string; eventId: string; at: string; actorId: string },
  object
>((tables, $) => {
  const { events, findingIssues } = tables;
  return sql`
with linked as (
  insert into ${findingIssues} (finding_id, destination_id, issue_id)
  select id, ${$.destinationId}::uuid, ${$.issueId}::uuid from unnest(${$.ids}::uuid[]) f(id) ${onItsWorker(tables)}
  -- The link of an issue that was removed at the same time may be left.
  on conflict (finding_id, destination_id) do update set issue_id = excluded.issue_id
), told as (
  insert into ${events} (id, at, type, subject, actor_id)
  select ${$.eventId}::uuid, ${$.at}::timestamptz, ${sql.raw(`'${ISSUE_REQUESTED}'`)}, ${$.issueId}::text, ${$.actorId}::uuid
  from (select 1) one ${onItsWorker(tables)}
)
select 1`;
});

/**
 * The state of its findings when it gets them is nothing to tell: an issue that is created for resolved findings stays open, and one that
 * is linked stays as it is.
 */
const settle = orgStatement<{ id: string; projects: string | null }, object>(
  (tables, $) => sql`
update ${tables.issues} i set
  told = case when ${hasUnresolved(tables, $.projects)} then 'open' when i.key is null then 'resolved' else i.told end,
  told_at = greatest(i.told_at, (select max(f.regressed_at) from ${tables.findingIssues} l join ${tables.findings} f on f.id = l.finding_id
    where l.issue_id = i.id))
where i.id = ${$.id}::uuid`,
);

const settled = (
  tx: SqlClient,
  tables: OrgTables,
  { id, projectIds }: Pick<IssueClaim, 'id' | 'projectIds'>,
): Promise<object[]> => settle(tables).run(tx, { id, projects: projectIds && arrayText(projectIds) });

/**
 * Notes an issue with its findings, which must be locked and have none, and has the outbox create it, or read it if it is linked.
 * @returns its id, which is another one if the integration has the linked issue already; undefined if that was removed just now
 */
export async function claimIssue(
  tx: SqlClient,
  tables: OrgTables,
  { id, at, destinationId, actorId, findingIds, projectIds, linked }: IssueClaim,
  eventId: string,
): Promise<string | undefined> {
  const common = { destinationId, actorId, at: at.toISOString() };
  const { key = null, url = null } = linked ?? {};
  const [made] = await insert(tables).run(tx, { ...common, id, key, url });
  const [found] = made ? [made] : await known(tables).run(tx, { destinationId, url });
  if (!found) return undefined;
  const ids = arrayText(findingIds);
  await link(tables).run(tx, { ...common, ids, issueId: found.id, eventId });
  await settled(tx, tables, { id: found.id, projectIds });
  return found.id;
}

const retry = orgStatement<{ id: string; eventId: string; at: string; actorId: string }, object>(
  (tables, $) => sql`
with reset as (
  update ${tables.issues} set state = 'pending', outcome = null, checked_at = ${$.at}::timestamptz
  where id = ${$.id}::uuid and state in ('failed', 'pending') returning id
), told as (
  insert into ${tables.events} (id, at, type, subject, actor_id)
  select ${$.eventId}::uuid, ${$.at}::timestamptz, ${sql.raw(`'${ISSUE_REQUESTED}'`)}, id::text, ${$.actorId}::uuid
  from reset ${onItsWorker(tables)}
)
select 1`,
);

const findingsOf = orgStatement<{ id: string }, { id: string; project_id: string }>(
  ({ findingIssues, findings }, $) => sql`
select f.id, f.project_id from ${findingIssues} l join ${findings} f on f.id = l.finding_id where l.issue_id = ${$.id}::uuid order by f.id`,
);

/** The findings of an issue. */
export const readFindingsOf = (
  tx: SqlClient,
  tables: OrgTables,
  id: string,
): Promise<{ id: string; project_id: string }[]> => findingsOf(tables).run(tx, { id });

/** Has the outbox work again on an issue that was not created or read. */
export async function retryIssue(
  tx: SqlClient,
  tables: OrgTables,
  { id, at, actorId, projectIds }: Pick<IssueClaim, 'id' | 'at' | 'actorId' | 'projectIds'>,
  eventId: string,
): Promise<void> {
  await retry(tables).run(tx, { id, eventId, actorId, at: at.toISOString() });
  await settled(tx, tables, { id, projectIds });
}

const lockIssue = orgStatement<{ id: string; findingId: string }, { url: string | null }>(
  ({ findingIssues, issues }, $) => sql`
select i.url from ${issues} i where i.id = ${$.id}::uuid
  and exists (select 1 from ${findingIssues} l where l.finding_id = ${$.findingId}::uuid and l.issue_id = i.id) for update`,
);

const unlink = orgStatement<{ id: string; findingId: string }, object>(
  ({ findingIssues }, $) => sql`
delete from ${findingIssues} where finding_id = ${$.findingId}::uuid and issue_id = ${$.id}::uuid`,
);

const removeUnused = orgStatement<{ id: string }, object>(
  ({ findingIssues, issues }, $) => sql`
delete from ${issues} where id = ${$.id}::uuid
  and not exists (select 1 from ${findingIssues} l where l.issue_id = ${$.id}::uuid)`,
);

/**
 * Takes an issue from a finding, in a transaction. An issue without findings is forgotten, and stays at the tracker.
 * @returns undefined if the finding does not have it
 */
export async function unlinkIssue(
  tx: SqlClient,
  tables: OrgTables,
  { id, findingId }: { id: string; findingId: string },
): Promise<{ url: string | null } | undefined> {
  const [issue] = await lockIssue(tables).run(tx, { id, findingId });
  if (!issue) return undefined;
  await unlink(tables).run(tx, { id, findingId });
  await removeUnused(tables).run(tx, { id });
  return issue;
}
