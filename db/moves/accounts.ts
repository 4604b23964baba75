import { sql } from 'drizzle-orm';
import { mfaDevices, recoveryCodes, userEmails, users } from '../schema/accounts.ts';
import { personalTokens } from '../schema/personal-tokens.ts';
import { arrayText, run, type SqlClient } from '../statements.ts';

/*
 * A member without an account in the other cell gets a copy: with its id, addresses, password and second factors. Sessions stay, because
 * one that is ended in one cell would go on in the other.
 */

/** Rows as JSON. */
export interface AccountRows {
  users: { id: string }[];
  emails: { user_id: string; email: string; is_primary: boolean; verified_at: string | null }[];
  devices: { user_id: string }[];
  codes: { user_id: string }[];
}

/** Reads accounts. */
export async function readAccounts(client: SqlClient, ids: readonly string[]): Promise<AccountRows> {
  const list = arrayText(ids);
  const [row] = await run<Record<keyof AccountRows, string>>(
    client,
    sql`select
      (select coalesce(json_agg(t), '[]')::text from ${users} t where id = any (${list}::uuid[])) as users,
      (select coalesce(json_agg(t), '[]')::text from ${userEmails} t where user_id = any (${list}::uuid[])) as emails,
      (select coalesce(json_agg(t), '[]')::text from ${mfaDevices} t where user_id = any (${list}::uuid[])) as devices,
      (select coalesce(json_agg(t), '[]')::text from ${recoveryCodes} t where user_id = any (${list}::uuid[])) as codes`,
  );
  if (!row) throw new Error('no row');
  return Object.fromEntries(
    Object.entries(row).map(([name, text]) => [name, JSON.parse(text)]),
  ) as unknown as AccountRows;
}

/** Those of some accounts of which another account here has an address, as its primary one or verified. */
export async function conflictingAccounts(client: SqlClient, { emails }: AccountRows): Promise<Set<string>> {
  const claims = emails.filter(({ is_primary, verified_at }) => is_primary || verified_at !== null);
  const rows = await run<{ email: string }>(
    client,
    sql`select email from ${userEmails} where (is_primary or verified_at is not null)
      and email in (select value from json_array_elements_text(${JSON.stringify(claims.map(({ email }) => email))}::text::json))`,
  );
  const taken = new Set(rows.map(({ email }) => email));
  return new Set(claims.filter(({ email }) => taken.has(email)).map(({ user_id }) => user_id));
}

/** Inserts copies of accounts, which must not exist. */
export async function insertAccounts(
  tx: SqlClient,
  { users: people, emails, devices, codes }: AccountRows,
): Promise<void> {
  for (const [table, rows] of [
    [users, people],
    [userEmails, emails],
    [mfaDevices, devices],
    [recoveryCodes, codes],
  ] as const)
    await run(
      tx,
      sql`insert into ${table} select * from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::text::json)`,
    );
}

/** Inserts personal tokens of members, which work in one organization only. */
export async function insertPersonalTokens(tx: SqlClient, rows: readonly unknown[]): Promise<void> {
  if (rows.length === 0) return;
  await run(
    tx,
    sql`insert into ${personalTokens}
      select * from json_populate_recordset(null::${personalTokens}, ${JSON.stringify(rows)}::text::json)
      on conflict do nothing`,
  );
}
