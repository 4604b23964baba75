import { sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { type AUDIT_ACTORS, MAX_NAME, MAX_USER_AGENT } from '../schema/audit.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, type SqlClient } from '../statements.ts';
import { type Content, contentDigest, digestOf, FIRST_HASH, type Names, newSalt } from './chain.ts';

/** An entry to write. */
export interface NewEntry {
  id: string;
  at: Date;
  action: string;
  actor: { type: (typeof AUDIT_ACTORS)[number]; id: string; name: string };
  target: { type: string; id: string; name: string };
  /** Fields with their values before and after. */
  changes: Readonly<Record<string, { from?: unknown; to?: unknown }>>;
  ip: string;
  userAgent: string;
  requestId: string;
}

/** Larger changes are left out. */
const MAX_CHANGES = 16_384;

interface Row extends Content {
  digest: string;
  names: string;
}

/*
 * The lock of the head makes the writers of one organization follow each other, from this statement to the end of their transactions.
 * It is the last statement of each, so nobody waits for another lock while holding this one. Each entry is an event, too.
 */
const append = orgStatement<Row, { seq: number }>(
  ({ auditEntries, auditHead, auditNames, events, ...tables }, $) => sql`
with head as (
  update ${auditHead} set seq = seq + 1,
    hash = encode(sha256(decode(hash, 'hex') || int8send(seq + 1) || decode(${$.digest}::text, 'hex')), 'hex')
  where id = 1 returning seq, hash
), names as materialized (
  select head.seq, n.* from head
  cross join json_to_recordset(${$.names}::text::json) as n(side text, salt text, name text, ip text, user_agent text)
), named as (
  insert into ${auditNames} (seq, side, salt, name, ip, user_agent)
  select seq, side, salt, name, ip, user_agent from names ${onItsWorker(tables)}
), entry as materialized (
  select seq, ${$.id}::uuid as id, ${$.at}::timestamptz as at, ${$.action}::text as action, ${$.actorType}::text as actor_type,
    ${$.actorId}::uuid as actor_id, ${$.actorDigest}::text as actor_digest, ${$.targetType}::text as target_type,
    ${$.targetId}::text as target_id, ${$.targetDigest}::text as target_digest, ${$.changes}::text::json as changes,
    ${$.requestId}::text as request_id, hash
  from head
), inserted as (
  insert into ${auditEntries} (seq, id, at, action, actor_type, actor_id, actor_digest, target_type, target_id, target_digest,
    changes, request_id, hash)
  select seq, id, at, action, actor_type, actor_id, actor_digest, target_type, target_id, target_digest, changes, request_id, hash
  from entry ${onItsWorker(tables)}
  returning seq
), told as (
  insert into ${events} (id, at, type, subject, actor_id)
  select id, at, action, id::text, actor_id from entry ${onItsWorker(tables)}
)
select seq::float8 as seq from inserted`,
);

const startChain = orgStatement<object, object>(
  ({ auditHead }) => sql`
insert into ${auditHead} (id, seq, hash, expired_seq, expired_hash)
values (1, 0, ${sql.raw(`'${FIRST_HASH}'`)}, 0, ${sql.raw(`'${FIRST_HASH}'`)}) on conflict do nothing`,
);

/** Removes what PostgreSQL's text cannot hold, and cuts. */
const cut = (text: string, max: number) => [...text.replaceAll('\0', '')].slice(0, max).join('');

/** Appends an entry to the log of an organization, as the last statement of the caller's transaction. */
export async function appendEntry(client: SqlClient, tables: OrgTables, entry: NewEntry): Promise<void> {
  const { actor, target } = entry;
  const actorNames: Names = {
    salt: newSalt(),
    name: cut(actor.name, MAX_NAME),
    ip: cut(entry.ip, 45),
    userAgent: cut(entry.userAgent, MAX_USER_AGENT),
  };
  const targetNames: Names = { salt: newSalt(), name: cut(target.name, MAX_NAME), ip: '', userAgent: '' };
  const text = JSON.stringify(entry.changes);
  const content: Content = {
    id: entry.id,
    at: entry.at.toISOString(),
    action: entry.action,
    actorType: actor.type,
    actorId: actor.id,
    actorDigest: digestOf(actorNames),
    targetType: target.type,
    targetId: cut(target.id, 100),
    targetDigest: digestOf(targetNames),
    // PostgreSQL's JSON takes no NUL.
    changes: text.length > MAX_CHANGES || text.includes('\\u0000') ? '{"truncated":{}}' : text,
    requestId: entry.requestId,
  };
  const toRow = (side: string, { userAgent, ...names }: Names) => ({ side, ...names, user_agent: userAgent });
  const names = JSON.stringify([toRow('actor', actorNames), toRow('target', targetNames)]);
  const row = { ...content, names, digest: contentDigest(content) };
  const [written] = await append(tables).run(client, row);
  if (written) return;
  await startChain(tables).run(client, {});
  const [first] = await append(tables).run(client, row);
  if (!first) throw new Error('the audit log has no head');
}
