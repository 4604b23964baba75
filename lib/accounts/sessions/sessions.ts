import { and, eq, isNull } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { sessions } from '../../../db/schema/accounts.ts';
import type { Config } from '../../config/config.ts';
import type { SessionUser } from './look-up.ts';

/** Sessions without a request since this time have expired. */
export const idleLimit = ({ sessionIdleMinutes }: Pick<Config, 'sessionIdleMinutes'>, now: Date): Date =>
  new Date(sessionIdleMinutes === 0 ? 0 : now.getTime() - sessionIdleMinutes * 60_000);

export async function endSession(db: Db, sessionId: string, now: Date): Promise<boolean> {
  const ended = await db
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)))
    .returning({ id: sessions.id });
  return ended.length > 0;
}

/** A user in API responses. */
export const toUser = ({
  id,
  email,
  name,
  avatarUrl,
  createdAt,
}: Omit<SessionUser, 'mfaEnabled' | 'emailVerified'>) => ({
  id,
  email,
  name,
  avatar_url: avatarUrl,
  created_at: createdAt.toISOString(),
});
