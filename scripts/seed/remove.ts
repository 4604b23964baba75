import type { Sql } from '../../db/pool/query.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';

interface Org {
  id: string;
}

/**
 * Removes accounts that this run has made, the organizations that they created, and accounts without a password that only
 * these organizations had invited. One transaction for each organization: schemas have many tables, and each takes locks.
 */
export async function removeAccounts(sql: Sql, userIds: readonly string[]): Promise<void> {
  const ids = `{${userIds.join(',')}}`;
  const orgs = await sql.unsafe<Org[]>('select id from shared.orgs where created_by = any ($1::uuid[])', [
    ids,
  ]);
  for (const { id } of orgs) {
    await sql.begin(async (tx) => {
      await tx.unsafe(
        `delete from shared.users u using shared.memberships m
          where m.org_id = $1 and u.id = m.user_id and u.password_hash is null
            and not exists (select from shared.memberships other where other.user_id = u.id and other.org_id <> $1)`,
        [id],
      );
      await tx.unsafe(`drop schema if exists "${orgSchemaName(id)}" cascade`);
      await tx.unsafe('delete from shared.orgs where id = $1', [id]);
    });
  }
  await sql.unsafe('delete from shared.users where id = any ($1::uuid[])', [ids]);
}
