import { and, eq, isNull, lt } from 'drizzle-orm';
import { refusesWrites } from '../../../db/errors.ts';
import { sessions } from '../../../db/schema/accounts.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import type { CookieCall, MemberCall } from '../call.ts';
import { middleware } from './middleware.ts';

/** Notes when the session was last active. */
export const activity = middleware<CookieCall>([], function activity(c, next) {
  const call = c.get('call');
  return isDue(call) ? noteActivity(call).then(next) : next();
});

/** Notes when the session was last active, and a member's first visit to the organization. */
export const memberActivity = middleware<MemberCall>([], function memberActivity(c, next) {
  const call = c.get('call');
  const writes: Promise<void>[] = [];
  if (isDue(call)) writes.push(noteActivity(call));
  if (call.session.firstVisit) writes.push(noteFirstVisit(call));
  return writes.length === 0 ? next() : Promise.all(writes).then(next);
});

/** `last_active_at` is at most this old: it is not written on every request. */
const PRECISION_MS = 60_000;

const dueBefore = (now: Date) => new Date(now.getTime() - PRECISION_MS);

/** Whether the session's activity has not been noted for a minute. */
export const isDue = ({ now, session }: CookieCall): boolean => session.lastActiveAt <= dueBefore(now);

/** Sets the session's `last_active_at`. A database that takes no writes does not fail the request. */
export async function noteActivity({ db, now, log, session }: CookieCall): Promise<void> {
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

/** From now on the organization sees the name of a member who was invited by an address they had verified before. */
async function noteFirstVisit({ db, now, log, org, user }: MemberCall): Promise<void> {
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
      log.debug('the first visit was not noted', { error });
    });
}
