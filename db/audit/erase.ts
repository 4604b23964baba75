import { sql } from 'drizzle-orm';
import { orgStatement } from '../statements.ts';

/**
 * Removes names, addresses and user agents of users. The entries stay with the ids, and the chain with the digests. The last condition
 * follows from the others: by it, indexes find the entries.
 */
export const eraseNames = orgStatement<{ userIds: string }, object>(
  ({ auditEntries: e, auditNames }, $) => sql`
delete from ${auditNames} n using ${e} e where e.seq = n.seq and (
  (n.side = 'actor' and e.actor_id = any (${$.userIds}::uuid[]))
  or (n.side = 'target' and e.target_type = 'member' and e.target_id = any (${$.userIds}::text[])))
  and (e.actor_id = any (${$.userIds}::uuid[]) or e.target_id = any (${$.userIds}::text[]))`,
);
