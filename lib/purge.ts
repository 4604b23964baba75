import { lt } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import {
  emailCodes,
  mailedTokens,
  mfaLogins,
  primaryEmailChanges,
  rateLimits,
  sessions,
} from '../db/shared.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes rows that expired more than a day ago: sessions, sign-ins that waited for a code, mailed links and codes, undo links
 * and counters of limits.
 */
export async function purgeExpired(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DAY_MS);
  await db.delete(sessions).where(lt(sessions.expiresAt, before));
  await db.delete(mailedTokens).where(lt(mailedTokens.expiresAt, before));
  await db.delete(emailCodes).where(lt(emailCodes.expiresAt, before));
  await db.delete(mfaLogins).where(lt(mfaLogins.expiresAt, before));
  await db.delete(primaryEmailChanges).where(lt(primaryEmailChanges.expiresAt, before));
  await db.delete(rateLimits).where(lt(rateLimits.expire, before));
}
