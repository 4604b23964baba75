import { sql } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import { userEmails, users } from '../../../db/schema/accounts.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { arrayText, run, type SqlClient } from '../../../db/statements.ts';
import { AdminError, oneLine } from '../error.ts';
import { findUser } from '../users/account.ts';
import type { MemberRow } from './verify.ts';

export interface SkippedMember {
  email: string | null;
  role: Role;
  reason: 'no account' | 'already a member';
}

export interface Members {
  restored: (MemberRow & { account: string })[];
  skipped: SkippedMember[];
  /** The ids that accounts have here, by those in the backup, where they differ. */
  ids: Map<string, string>;
}

/**
 * Finds the accounts of members: the one with the same id, or else the one that has verified the primary address of the member. An
 * address that was not verified proves nothing.
 */
export async function findMembers(client: SqlClient, members: readonly MemberRow[]): Promise<Members> {
  const existing = await existingUsers(
    client,
    members.map(({ user_id }) => user_id),
  );
  const others = members.filter(({ user_id }) => !existing.has(user_id));
  const byEmail = await verifiedBy(
    client,
    others.flatMap(({ email }) => email ?? []),
  );
  const found: Members = { restored: [], skipped: [], ids: new Map() };
  const taken = new Set<string>();
  for (const member of members.toSorted(
    (a, b) => Number(existing.has(b.user_id)) - Number(existing.has(a.user_id)),
  )) {
    const { user_id, email, role } = member;
    const account = existing.has(user_id) ? user_id : byEmail.get(email ?? '');
    if (account !== undefined && account !== user_id) found.ids.set(user_id, account);
    if (account === undefined || taken.has(account)) {
      const reason = account === undefined ? 'no account' : 'already a member';
      found.skipped.push({ email, role, reason });
      continue;
    }
    taken.add(account);
    found.restored.push({ ...member, account });
  }
  return found;
}

/**
 * The account that becomes an owner: by its id, or by an address that it has verified. Anybody can register with an address of
 * somebody else.
 * @throws AdminError if there is none
 */
export async function findOwner({ db, sql: client }: Database, name: string): Promise<string> {
  const { id } = await findUser(db, name);
  const address = name.trim().toLowerCase();
  if (address === id) return id;
  const holder = (await verifiedBy(client, [address])).get(address);
  if (holder === id) return id;
  throw new AdminError(
    `the account ${id} has not verified "${oneLine(name)}": name it by its id if it is the right one`,
  );
}

/** Selects the ids that belong to accounts. */
export async function existingUsers(client: SqlClient, ids: readonly string[]): Promise<Set<string>> {
  const rows = await run<{ id: string }>(
    client,
    sql`select id from ${users} where id = any (${arrayText(ids)}::uuid[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

async function verifiedBy(client: SqlClient, emails: readonly string[]): Promise<Map<string, string>> {
  const rows = await run<{ email: string; user_id: string }>(
    client,
    sql`select email, user_id from ${userEmails} where verified_at is not null
      and email in (select value from json_array_elements_text(${JSON.stringify(emails)}::text::json))`,
  );
  return new Map(rows.map(({ email, user_id }) => [email, user_id]));
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Replaces the ids of accounts in a row, wherever they stand: in columns, JSON and mentions. */
export const withIds = (line: string, ids: ReadonlyMap<string, string>): string =>
  ids.size === 0 ? line : line.replace(UUID, (id) => ids.get(id.toLowerCase()) ?? id);
