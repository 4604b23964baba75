import { type AccountRows, conflictingAccounts, readAccounts } from '../../../db/moves/accounts.ts';
import type { SqlClient } from '../../../db/statements.ts';
import { findMembers } from '../backup/members.ts';
import type { MemberRow } from '../backup/verify.ts';

/** The accounts of members in the other cell. */
export interface MatchedMembers {
  /** The ids that accounts have there, by those here, where they differ. */
  ids: Record<string, string>;
  /** Accounts to copy. */
  copies: AccountRows;
  /** Members without an account there, because another account has one of their addresses. */
  leftOut: MemberRow[];
}

/**
 * Matches members with accounts of the other cell: by id, or else by a primary address that the account there has verified. The others are
 * copied.
 */
export async function matchMembers(
  { source, target }: Record<'source' | 'target', SqlClient>,
  members: readonly MemberRow[],
): Promise<MatchedMembers> {
  const { restored, ids } = await findMembers(target, members);
  const found = new Set(restored.map(({ user_id }) => user_id));
  // Members with two accounts here and one there have it once.
  const missing = members.filter(({ user_id }) => !found.has(user_id) && !ids.has(user_id));
  const accounts = await readAccounts(
    source,
    missing.map(({ user_id }) => user_id),
  );
  const conflicts = await conflictingAccounts(target, accounts);
  const isCopied = (id: string) => !conflicts.has(id);
  return {
    ids: Object.fromEntries(ids),
    copies: {
      users: accounts.users.filter(({ id }) => isCopied(id)),
      emails: accounts.emails.filter(({ user_id }) => isCopied(user_id)),
      devices: accounts.devices.filter(({ user_id }) => isCopied(user_id)),
      codes: accounts.codes.filter(({ user_id }) => isCopied(user_id)),
    },
    leftOut: missing.filter(({ user_id }) => conflicts.has(user_id)),
  };
}
