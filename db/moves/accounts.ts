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

/** What the primary addresses of accounts prove. */
export interface Proofs {
  /** Accounts that have verified it. */
  verified: ReadonlySet<string>;
  /** Accounts that nobody can sign in to yet: whoever has the address is the person who was invited. */
  placeholders: ReadonlySet<string>;
}

/** Anybody can register with an address of somebody else. */
export async function readProofs(client: SqlClient, ids: readonly string[]): Promise<Proofs> {
  const rows = await run<{ id: string; verified: boolean; placeholder: boolean }>(
    client,
    sql`select u.id, e.verified_at is not null as verified, u.password_hash is null as placeholder
      from ${users} u join ${userEmails} e on e.user_id = u.id and e.is_primary where u.id = any (${arrayText(ids)}::uuid[])`,
  );
  const idsOf = (of: 'verified' | 'placeholder') =>
    new Set(rows.filter((row) => row[of]).map(({ id }) => id));
  return { verified: idsOf('verified'), placeholders: idsOf('placeholder') };
}

/**
 * Those of some accounts of which another account here claims an address. A claim that was not verified gives way to one that was
 * (`lib/accounts/claim.ts`).
 */
export async function conflictingAccounts(client: SqlClient, { emails }: AccountRows): Promise<Set<string>> {
  const claims = emails.filter(({ is_primary, verified_at }) => is_primary || verified_at !== null);
  const list = claims.map(({ email, verified_at }) => ({ email, verified: verified_at !== null }));
  const rows = await run<{ email: string }>(
    client,
    sql`select c.email from json_to_recordset(${JSON.stringify(list)}::text::json) as c(email text, verified boolean)
      join ${userEmails} e on e.email = c.email and (e.is_primary or e.verified_at is not null)
      where e.verified_at is not null or not c.verified`,
  );
  const taken = new Set(rows.map(({ email }) => email));
  return new Set(claims.filter(({ email }) => taken.has(email)).map(({ user_id }) => user_id));
}

/**
 * Those of some accounts that both cells have, whose password, second factor or lock differs: it was changed in one of them only. Nothing of
 * them is copied, because a database that was taken over would open accounts of the other cell.
 */
export async function differingSignIns(
  { source, target }: Record<'source' | 'target', SqlClient>,
  ids: readonly string[],
): Promise<Set<string>> {
  const read = async (client: SqlClient) => {
    const rows = await run<{ id: string; state: string }>(
      client,
      sql`select id, json_build_array(password_hash, mfa_enabled, disabled_at is null)::text as state
        from ${users} where id = any (${arrayText(ids)}::uuid[])`,
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  };
  const [here, there] = [await read(source), await read(target)];
  return new Set(ids.filter((id) => here.get(id) !== there.get(id)));
}

/** Inserts copies of accounts, which must not exist. */
export async function insertAccounts(
  tx: SqlClient,
  { users: people, emails, devices, codes }: AccountRows,
): Promise<void> {
  await releaseAddresses(
    tx,
    emails.flatMap(({ email, verified_at }) => (verified_at === null ? [] : [email])),
  );
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

/** Takes verified addresses from accounts that claim them without that, as when an address is verified. */
async function releaseAddresses(tx: SqlClient, emails: readonly string[]): Promise<void> {
  await run(
    tx,
    sql`update ${userEmails} set email = id || '@released.invalid' where is_primary and verified_at is null
      and email in (select value from json_array_elements_text(${JSON.stringify(emails)}::text::json))`,
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
