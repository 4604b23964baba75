import {
  type AccountRows,
  conflictingAccounts,
  readAccounts,
  readProofs,
} from '../../../db/moves/accounts.ts';
import type { SqlClient } from '../../../db/statements.ts';
import { findMembers, type Members } from '../backup/members.ts';
import type { MemberRow } from '../backup/verify.ts';

/** The accounts of members in the other cell. */
export interface MatchedMembers {
  /** The ids of all members, also of those who are left out. */
  known: ReadonlySet<string>;
  /** Those of members who have an account of their own there, or get one: two members may be one account there. */
  served: ReadonlySet<string>;
  /** The ids that accounts have there, by those here, where they differ. */
  ids: Record<string, string>;
  /** Accounts to copy. */
  copies: AccountRows;
  /** Members without an account there, because another account has one of their addresses. */
  leftOut: MemberRow[];
  /** Finds the accounts again, also those that were copied. */
  find(target: SqlClient): Promise<Members>;
  /** Whether an account here and one there are of the same person for sure. */
  isSame(here: string, there: string): boolean;
}

/**
 * Matches members with accounts of the other cell: by id, or else by a primary address that the account there has verified, if it was also
 * verified here, or if the member was invited by it. The others are copied.
 */
export async function matchMembers(
  { source, target }: Record<'source' | 'target', SqlClient>,
  members: readonly MemberRow[],
): Promise<MatchedMembers> {
  const { verified, placeholders } = await readProofs(
    source,
    members.map(({ user_id }) => user_id),
  );
  const isProven = ({ user_id, email, invited_email }: MemberRow) =>
    verified.has(user_id) || placeholders.has(user_id) || invited_email === email;
  const known = members.map((member) => (isProven(member) ? member : { ...member, email: null }));
  const find = (client: SqlClient) => findMembers(client, known);
  const { restored, ids } = await find(target);
  const found = new Set(restored.map(({ user_id }) => user_id));
  // Members with two accounts here and one there have it once.
  const missing = members.filter(({ user_id }) => !found.has(user_id) && !ids.has(user_id));
  const wanted = new Set(missing.map(({ user_id }) => user_id));
  const accounts = await readAccounts(source, [...wanted]);
  const conflicts = await conflictingAccounts(target, accounts);
  // The other database may answer with rows of accounts that were not asked for, which may exist here.
  const isCopied = (id: string) => wanted.has(id) && !conflicts.has(id);
  return {
    known: new Set(members.map(({ user_id }) => user_id)),
    served: new Set([...found, ...accounts.users.flatMap(({ id }) => (isCopied(id) ? [id] : []))]),
    ids: Object.fromEntries(ids),
    copies: {
      users: accounts.users.filter(({ id }) => isCopied(id)),
      emails: accounts.emails.filter(({ user_id }) => isCopied(user_id)),
      devices: accounts.devices.filter(({ user_id }) => isCopied(user_id)),
      codes: accounts.codes.filter(({ user_id }) => isCopied(user_id)),
    },
    leftOut: missing.filter(({ user_id }) => conflicts.has(user_id)),
    find,
    isSame: (here, there) => here === there || verified.has(here),
  };
}
