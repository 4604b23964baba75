import { sql } from 'drizzle-orm';
import { eraseNames } from '../audit/erase.ts';
import { eraseInDeletions } from '../deletions/purge.ts';
import { retried } from '../errors.ts';
import { changeFindings } from '../findings/triage/triage.ts';
import { increaseVersion } from '../policies/version.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement } from '../statements.ts';
import { type Mention, type Position, readMentions, redactMention, START } from './mentions.ts';

/*
 * Erases the personal data that an organization stores. The ids of the authors of changes and tokens stay, because they name nobody.
 * Each statement is for all persons, so that many cost about as much as one.
 */

const FINDINGS = 250;
const CHANGES = 100;

/** As an array of PostgreSQL. */
type OfUsers = { userIds: string };

const removeViews = orgStatement<OfUsers, object>(
  ({ savedViews }, $) =>
    sql`delete from ${savedViews} where owner_id = any (${$.userIds}::uuid[]) and not shared`,
);

const removeFromProjects = orgStatement<OfUsers, object>(
  ({ projectMembers }, $) => sql`delete from ${projectMembers} where user_id = any (${$.userIds}::uuid[])`,
);

const revokeTokens = orgStatement<OfUsers, object>(
  ({ apiTokens: t }, $) =>
    sql`update ${t} set revoked = true where created_by = any (${$.userIds}::uuid[]) and not revoked`,
);

/** A rule without another action would do nothing, so it is switched off. Processes read the rules again. */
const removeFromRules = orgStatement<OfUsers, object>(
  (tables, $) => sql`
with changed as (
  update ${tables.rules} set actions = (actions::jsonb - 'assignee_id')::json,
    enabled = enabled and actions::jsonb ?| array['status', 'due_days']
  where actions ->> 'assignee_id' = any (${$.userIds}::text[]) returning 1
), increased as (${increaseVersion(tables, sql`changed`)})
select 1 from changed`,
);

const assignedFindings = orgStatement<OfUsers, { id: string; change_id: string | null }>(
  ({ findings: f }, $) => sql`
select id, change_id from ${f} where assignee_id = any (${$.userIds}::uuid[]) limit ${sql.raw(String(FINDINGS))}`,
);

/** Undoing a change would assign its findings to the person again. */
const removeFromChanges = orgStatement<{ after: string; quoted: string }, { id: string }>(
  ({ changes }, $) => sql`
with page as materialized (
  select id from ${changes} where id > ${$.after}::uuid order by id limit ${sql.raw(String(CHANGES))} for update
), redacted as (
  update ${changes} set fields = regexp_replace(fields::text, ${$.quoted}, 'null', 'g')::json,
    what = regexp_replace(what::text, ${$.quoted}, 'null', 'g')::json
  where id = any (array(select id from page)) and (fields::text ~ ${$.quoted} or what::text ~ ${$.quoted})
)
select id from page order by id`,
);

export interface EraseOptions {
  userIds: readonly string[];
  now: Date;
  nextId: () => string;
  /** Whether the organization revokes the API tokens of former members. */
  revokesTokens: boolean;
  /** A text without the name of a user in mentions. */
  withoutMention: (text: string, userId: string) => string;
}

/**
 * Removes persons from the tables of an organization, in batches. It may be left off after each, and begins again then.
 * @returns yields after each batch
 */
export async function* eraseInOrg(
  client: Sql,
  tables: OrgTables,
  { userIds, now, nextId, revokesTokens, withoutMention }: EraseOptions,
): AsyncGenerator<void> {
  const ofUsers = { userIds: arrayText(userIds) };
  if (revokesTokens) await revokeTokens(tables).run(client, ofUsers);
  await removeViews(tables).run(client, ofUsers);
  await removeFromProjects(tables).run(client, ofUsers);
  await eraseNames(tables).run(client, ofUsers);
  await retried(() => removeFromRules(tables).run(client, ofUsers));
  for (;;) {
    const assigned = await assignedFindings(tables).run(client, ofUsers);
    if (assigned.length === 0) break;
    // Findings that somebody changes meanwhile are read again.
    const changes = assigned.map(({ id, change_id }) => ({ id, assignee_id: null, if_change_id: change_id }));
    await changeFindings(client, tables, changes, { now, actorId: null, changeId: nextId() });
    yield;
  }
  const quoted = `"(?:${userIds.join('|')})"`;
  for (let after: string | undefined = START.id; after !== undefined; ) {
    const page = await removeFromChanges(tables).run(client, { after, quoted });
    after = page.length < CHANGES ? undefined : page.at(-1)?.id;
    if (after !== undefined) yield;
  }
  yield* eraseInDeletions(client, tables, userIds);
  for (let after: Position | undefined = START; after; ) {
    const { mentions, next } = await readMentions(client, tables, { userIds, after });
    for (const mention of mentions) await redact(client, tables, mention, { userIds, withoutMention });
    after = next;
    if (after) yield;
  }
}

/** Removes from a text each user that it mentions. */
async function redact(
  client: Sql,
  tables: OrgTables,
  mention: Mention,
  { userIds, withoutMention }: Pick<EraseOptions, 'userIds' | 'withoutMention'>,
): Promise<void> {
  let { note } = mention;
  const lower = note.toLowerCase();
  for (const userId of userIds.filter((id) => lower.includes(`](${id})`))) {
    const text = withoutMention(note, userId);
    await redactMention(client, tables, { ...mention, note }, { userId, text });
    note = text;
  }
}
