import { lt, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { BATCH_ROWS, inBatches } from '../../db/batches.ts';
import type { Db } from '../../db/client.ts';
import {
  emailCodes,
  mailedTokens,
  mfaLogins,
  primaryEmailChanges,
  rateLimits,
  sessions,
  usedChallenges,
} from '../../db/schema/accounts.ts';
import { declinedInvitations, invitationLinks, orgUndoLinks } from '../../db/schema/orgs.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Purged tables, each with its primary key and its expiry column. */
const EXPIRING: readonly (readonly [table: PgTable, key: PgColumn, expires: PgColumn])[] = [
  [sessions, sessions.id, sessions.expiresAt],
  [mailedTokens, mailedTokens.tokenHash, mailedTokens.expiresAt],
  [emailCodes, emailCodes.id, emailCodes.expiresAt],
  [mfaLogins, mfaLogins.id, mfaLogins.expiresAt],
  [usedChallenges, usedChallenges.hash, usedChallenges.expiresAt],
  [primaryEmailChanges, primaryEmailChanges.tokenHash, primaryEmailChanges.expiresAt],
  [orgUndoLinks, orgUndoLinks.tokenHash, orgUndoLinks.expiresAt],
  [invitationLinks, invitationLinks.tokenHash, invitationLinks.expiresAt],
  [declinedInvitations, declinedInvitations.hash, declinedInvitations.expiresAt],
  [rateLimits, rateLimits.key, rateLimits.expire],
];

/**
 * Deletes rows that expired more than a day ago: sessions, sign-ins that waited for a code, mailed links and codes, undo links,
 * declined invitations and counters of limits. It works in batches, and leaves rows that somebody else has locked to the next time.
 */
export async function purgeExpired(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DAY_MS);
  for (const [table, key, expires] of EXPIRING) {
    await inBatches(async () => {
      const expired = db
        .select({ key })
        .from(table)
        .where(lt(expires, before))
        .limit(BATCH_ROWS)
        .for('update', { skipLocked: true });
      const deleted = await db.delete(table).where(sql`${key} = any(array${expired})`);
      return deleted.count;
    });
  }
}
