import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
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

/** Records when the session and the member were last active, and a member's first visit to the organization. */
export const memberActivity = middleware<SessionMemberCall>([], function memberActivity(c, next) {
  const call = c.get('call');
  const writes: Promise<void>[] = [];
  if (isDue(call)) writes.push(recordActivity(call));
  writes.push(...recordVisit(call));
  return writes.length === 0 ? next() : Promise.all(writes).then(next);
});

/** An hour is exact enough to find members who no longer use the organization. */
const VISIT_PRECISION_MS = 60 * 60_000;

/** Records that a member uses the organization, if that is due. @returns the writes */
export function recordVisit(call: MemberCall): Promise<void>[] {
  const { firstVisit, visitedAt } = call.membership;
  const before = new Date(call.now.getTime() - VISIT_PRECISION_MS);
  const isVisitDue = visitedAt === null || visitedAt <= before;
  return [
    ...(firstVisit ? [recordFirstVisit(call)] : []),
    ...(isVisitDue ? [recordLastVisit(call, before)] : []),
  ];
}

/** Sets the membership's `last_active_at`. It is left as it is while another transaction has locked the membership. */
async function recordLastVisit({ db, now, log, org, user }: MemberCall, before: Date): Promise<void> {
  const own = and(eq(memberships.orgId, org.id), eq(memberships.userId, user.id));
  const due = db
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(own, or(isNull(memberships.lastActiveAt), lt(memberships.lastActiveAt, before))))
    .for('no key update', { skipLocked: true });
  await db
    .update(memberships)
    .set({ lastActiveAt: now })
    .where(and(own, inArray(memberships.userId, due)))
    .catch((error) => {
      if (!refusesWrites(error)) throw error;
      log.debug('last_active_at of the member was not set', { error });
    });
}

/** Writing `last_active_at` at most once a minute saves a write per request. */
const PRECISION_MS = 60_000;

/** Times of use that are later need no update yet. */
export const dueBefore = (now: Date) => new Date(now.getTime() - PRECISION_MS);

/** Whether the session's `last_active_at` is at least a minute old. */
export const isDue = ({ now, session }: CookieCall): boolean => session.lastActiveAt <= dueBefore(now);

/** The longest time without a request, at a request. */
const idleUntil = (now: Date) => {
  const at = sql.param(now, sessions.lastActiveAt);
  return sql`greatest(${sessions.idleSeconds}, extract(epoch from ${at} - ${sessions.lastActiveAt})::int)`;
};

/** Sets the session's `last_active_at`. The request succeeds even if the database is read-only. */
export async function recordActivity({ db, now, log, session }: CookieCall): Promise<void> {
  const before = dueBefore(now);
  await db
    .update(sessions)
    .set({ lastActiveAt: now, idleSeconds: idleUntil(now) })
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
async function recordFirstVisit({ db, now, log, org, user }: MemberCall): Promise<void> {
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
