import { sql } from 'drizzle-orm';
import { retried } from '../errors.ts';
import { lowestIdAt } from '../ids.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, run } from '../statements.ts';

/*
 * Expired entries are removed from the old end of the chain. The head keeps the hash of the last one, with which the verification
 * begins. The service has the right to delete entries only in this transaction.
 */

const BATCH = 1_000;

const findExpired = orgStatement<{ before: string }, { last: number | null }>(
  ({ auditEntries, auditHead }, $) => sql`
select max(seq)::float8 as last from (
  select e.seq, e.id from ${auditEntries} e
  where e.seq > (select expired_seq from ${auditHead} where id = 1) order by e.seq limit ${sql.raw(String(BATCH))}
) oldest where id < ${$.before}::uuid`,
);

const moveStart = orgStatement<{ last: number }, object>(
  ({ auditEntries, auditHead }, $) => sql`
update ${auditHead} h set expired_seq = e.seq, expired_hash = e.hash from ${auditEntries} e
where h.id = 1 and e.seq = ${$.last}::bigint and h.expired_seq < e.seq`,
);

const removeEntries = orgStatement<{ last: number }, object>(
  ({ auditEntries }, $) => sql`delete from ${auditEntries} where seq <= ${$.last}::bigint`,
);

const removeNames = orgStatement<{ last: number }, object>(
  ({ auditNames }, $) => sql`delete from ${auditNames} where seq <= ${$.last}::bigint`,
);

/** Removes the entries of an organization that were written before a time, in batches. */
export async function expireEntries(client: Sql, tables: OrgTables, before: Date): Promise<void> {
  const table = sql`${tables.auditEntries}`;
  for (;;) {
    const [found] = await findExpired(tables).run(client, { before: lowestIdAt(before.getTime()) });
    const last = found?.last;
    if (!last) return;
    await retried(() =>
      client.begin(async (tx) => {
        await moveStart(tables).run(tx, { last });
        await run(tx, sql`grant delete on ${table} to current_user`);
        await removeEntries(tables).run(tx, { last });
        await removeNames(tables).run(tx, { last });
        await run(tx, sql`revoke delete on ${table} from current_user`);
      }),
    );
  }
}
