import { and, eq, isNull, lt } from 'drizzle-orm';
import { refusesWrites } from '../../../../db/errors.ts';
import { sessions } from '../../../../db/schema/accounts.ts';
import { memberships } from '../../../../db/schema/orgs.ts';
import type { CookieCall, MemberCall, SessionMemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Records when the session was last active. */
export const activity = middleware<CookieCall>([], function activity(c, next) {
  const call = c.get('call');
  return isDue(call) ? recordActivity(call).then(next) : next();
});

/** Records when the session was last active, and a member's first visit to the organization. */
export const memberActivity = middleware<SessionMemberCall>([], function memberActivity(c, next) {
  const call = c.get('call');
  const writes: Promise<void>[] = [];
  if (isDue(call)) writes.push(recordActivity(call));
  if (call.membership.firstVisit) writes.push(recordFirstVisit(call));
  return writes.length === 0 ? next() : Promise.all(writes).then(next);
});

/** Writing `last_active_at` at most once a minute saves a write per request. */
const PRECISION_MS = 60_000;

/** Times of use that are later need no update yet. */
export const dueBefore = (now: Date) => new Date(now.getTime() - PRECISION_MS);

/** Whether the session's `last_active_at` is at least a minute old. */
export const isDue = ({ now, session }: CookieCall): boolean => session.lastActiveAt <= dueBefore(now);

/** Sets the session's `last_active_at`. The request succeeds even if the database is read-only. */
export async function recordActivity({ db, now, log, session }: CookieCall): Promise<void> {
  const before = dueBefore(now);
  await db
    .update(sessions)
    .set({ lastActiveAt: now })
    .where(and(eq(sessions.id, session.id), lt(sessions.lastActiveAt, before), isNull(sessions.revokedAt)))
    .catch((error) => {
      if (!refusesWrites(error)) throw error;
      log.debug('last_active_at was not set', { error });
    });
}

/**
 * Confirms the membership of an invited member whose address was verified before the invitation. From then on the
 * organization sees the member's name.
 */
export async function recordFirstVisit({ db, now, log, org, user }: MemberCall): Promise<void> {
  await db
    .update(memberships)
    .set({ confirmedAt: now })
    .where(
      and(
        eq(memberships.orgId, org.id),
        eq(memberships.userId, user.id),
        eq(memberships.confirmedAt, memberships.createdAt),
      ),
    )
    .catch((error) => {
      if (!refusesWrites(error)) throw error;
      log.debug('the first visit was not recorded', { error });
    });
}
