import { sql } from 'drizzle-orm';
import { retried } from '../errors.ts';
import { changeFindings } from '../findings/triage/triage.ts';
import { increaseVersion } from '../policies/version.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement } from '../statements.ts';
import { type Position, readMentions, redactMention, START } from './mentions.ts';

/* What an organization stores about a person, besides the ids of the authors of changes and tokens, which name nobody. */

const FINDINGS = 250;
const CHANGES = 100;

type OfUser = { userId: string };

const removeViews = orgStatement<OfUser, object>(
  ({ savedViews }, $) => sql`delete from ${savedViews} where owner_id = ${$.userId}::uuid and not shared`,
);

/** A rule without another action would do nothing, so it is switched off. Processes read the rules again. */
const removeFromRules = orgStatement<OfUser, object>(
  ({ policyVersions, rules }, $) => sql`
with changed as (
  update ${rules} set actions = (actions::jsonb - 'assignee_id')::json,
    enabled = enabled and actions::jsonb ?| array['status', 'due_days']
  where actions ->> 'assignee_id' = ${$.userId} returning 1
)
${increaseVersion(policyVersions, sql`changed`)}`,
);

const assignedFindings = orgStatement<OfUser, { id: string; change_id: string | null }>(
  ({ findings: f }, $) => sql`
select id, change_id from ${f} where assignee_id = ${$.userId}::uuid limit ${sql.raw(String(FINDINGS))}`,
);

/** Undoing a change would assign its findings to the person again. */
const removeFromChanges = orgStatement<OfUser & { after: string; quoted: string }, { id: string }>(
  ({ changes }, $) => sql`
with page as materialized (
  select id from ${changes} where id > ${$.after}::uuid order by id limit ${sql.raw(String(CHANGES))} for update
), redacted as (
  update ${changes} set fields = replace(fields::text, ${$.quoted}, 'null')::json,
    what = replace(what::text, ${$.quoted}, 'null')::json
  where id = any (array(select id from page))
    and (strpos(fields::text, ${$.quoted}) > 0 or strpos(what::text, ${$.quoted}) > 0)
)
select id from page order by id`,
);

export interface EraseOptions {
  userId: string;
  now: Date;
  nextId: () => string;
  /** A text without the name of the user in mentions. */
  withoutMention: (text: string) => string;
}

/**
 * Removes a person from the tables of an organization, in batches. It may be left off after each, and begins again then.
 * @returns yields after each batch
 */
export async function* eraseInOrg(
  client: Sql,
  tables: OrgTables,
  { userId, now, nextId, withoutMention }: EraseOptions,
): AsyncGenerator<void> {
  await removeViews(tables).run(client, { userId });
  await retried(() => removeFromRules(tables).run(client, { userId }));
  for (;;) {
    const assigned = await assignedFindings(tables).run(client, { userId });
    if (assigned.length === 0) break;
    // Those that somebody changes meanwhile are read again.
    const changes = assigned.map(({ id, change_id }) => ({ id, assignee_id: null, if_change_id: change_id }));
    await changeFindings(client, tables, changes, { now, actorId: null, changeId: nextId() });
    yield;
  }
  const quoted = `"${userId}"`;
  for (let after: string | undefined = START.id; after !== undefined; ) {
    const page = await removeFromChanges(tables).run(client, { userId, after, quoted });
    after = page.length < CHANGES ? undefined : page.at(-1)?.id;
    if (after !== undefined) yield;
  }
  for (let after: Position | undefined = START; after; ) {
    const { mentions, next } = await readMentions(client, tables, { userId, after });
    for (const mention of mentions)
      await redactMention(client, tables, mention, { userId, text: withoutMention(mention.note) });
    after = next;
    if (after) yield;
  }
}
