import { sql } from 'drizzle-orm';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, type SqlClient } from '../statements.ts';
import { type Content, chainHash, contentDigest, digestOf, FIRST_HASH } from './chain.ts';

interface Stored extends Content {
  seq: number;
  hash: string;
  actor: { salt: string; name: string; ip: string; userAgent: string } | null;
  target: { salt: string; name: string; ip: string; userAgent: string } | null;
}

const PAGE = 1_000;

const names = (side: string) =>
  sql.raw(
    `case when ${side}.seq is not null then json_build_object('salt', ${side}.salt, 'name', ${side}.name, 'ip', ${side}.ip, 'userAgent', ${side}.user_agent) end`,
  );

/** One index scan for each entry of a page: a join may read the names of all entries for each page. */
const namesOf = (names: OrgTables['auditNames'], as: string, side: string) => sql`
left join lateral (
  select * from ${names} n where n.seq = e.seq and n.side = ${sql.raw(`'${side}'`)} limit 1
) ${sql.raw(as)} on true`;

const nextPage = orgStatement<{ after: number; last: number }, Stored>(
  ({ auditEntries, auditNames }, $) => sql`
select e.seq::float8 as seq, e.id, ${timeText(sql`e.at`)} as at, e.action, e.actor_type as "actorType", e.actor_id as "actorId",
  e.actor_digest as "actorDigest", e.target_type as "targetType", e.target_id as "targetId", e.target_digest as "targetDigest",
  e.changes::text as changes, e.request_id as "requestId", e.hash, ${names('a')} as actor, ${names('t')} as target
from (
  select * from ${auditEntries} where seq > ${$.after}::bigint and seq <= ${$.last}::bigint order by seq limit ${sql.raw(String(PAGE))}
) e ${namesOf(auditNames, 'a', 'actor')} ${namesOf(auditNames, 't', 'target')} order by e.seq`,
);

const readHead = orgStatement<object, { seq: number; hash: string; expiredSeq: number; expiredHash: string }>(
  ({ auditHead }) => sql`
select seq::float8 as seq, hash, expired_seq::float8 as "expiredSeq", expired_hash as "expiredHash" from ${auditHead} where id = 1`,
);

const countEntries = orgStatement<object, { count: number }>(
  ({ auditEntries }) => sql`select count(*)::float8 as count from ${auditEntries}`,
);

/** The result of a verification. */
export interface Verified {
  entries: number;
  /** The hash of the newest entry. Compare it with a hash that was noted earlier. */
  hash: string;
  seq: number;
  /** The first fault. Unset: the log is complete and unchanged. */
  fault?: string;
}

/**
 * Verifies the chain of an organization from the oldest entry to the newest. Entries that are written meanwhile are left out.
 * Reads a thousand entries at a time, in a transaction that sees one state.
 */
export async function verifyChain(client: SqlClient, tables: OrgTables): Promise<Verified> {
  const [head] = await readHead(tables).run(client, {});
  if (!head) {
    const [{ count = 0 } = {}] = await countEntries(tables).run(client, {});
    const fault = count > 0 ? 'the head of the chain is missing' : undefined;
    return { entries: 0, hash: FIRST_HASH, seq: 0, ...(fault && { fault }) };
  }
  let { expiredSeq: seq, expiredHash: hash } = head;
  let entries = 0;
  const result = (fault?: string): Verified => ({ entries, hash, seq, ...(fault && { fault }) });
  for (;;) {
    const page = await nextPage(tables).run(client, { after: seq, last: head.seq });
    for (const entry of page) {
      const fault = faultOf(entry, seq, hash);
      if (fault) return result(fault);
      ({ seq, hash } = entry);
      entries++;
    }
    if (page.length < PAGE) break;
  }
  if (seq !== head.seq) return result(`entry ${seq + 1} is missing`);
  if (hash !== head.hash) return result('the head of the chain has another hash than the newest entry');
  return result();
}

function faultOf(entry: Stored, before: number, hash: string): string | undefined {
  const { seq, actor, target } = entry;
  if (seq !== before + 1) return `entry ${before + 1} is missing`;
  if (chainHash(hash, seq, contentDigest(entry)) !== entry.hash) return `entry ${seq} was changed`;
  if (actor && digestOf(actor) !== entry.actorDigest) return `the actor of entry ${seq} was changed`;
  if (target && digestOf(target) !== entry.targetDigest) return `the target of entry ${seq} was changed`;
  return undefined;
}
