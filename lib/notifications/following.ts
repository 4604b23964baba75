import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { notificationSettings as s } from '../../db/schema/accounts.ts';
import { destinations as d, eventPositions } from '../../db/schema/destinations.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { arrayText } from '../../db/statements.ts';
import { deleteDestination, follow } from '../events/following.ts';
import { MAIL_EVENTS } from './kinds.ts';
import { hasJoined, isWanting } from './subscribers.ts';

/*
 * The mails of an organization's members are one destination of its events. It exists while a member has chosen mails: choosing creates
 * it, a periodic task creates it after any other change of members, and the first event after the last such member has left deletes it.
 */

/** Organizations that one statement reads. */
const BATCH = 1_000;

/**
 * Has the events of organizations mailed from now on whose members have chosen mails.
 * @param userId only the organizations of this member
 * @returns the organizations that had no such destination, or one for other events
 */
export async function startMails(db: Db, now: Date, userId?: string): Promise<string[]> {
  const started: string[] = [];
  for (;;) {
    const isCurrent = sql`${d.events} = ${arrayText(MAIL_EVENTS)}::text[]`;
    const page = await db
      .selectDistinct({ orgId: memberships.orgId })
      .from(memberships)
      .innerJoin(s, eq(s.userId, memberships.userId))
      .leftJoin(d, and(eq(d.orgId, memberships.orgId), eq(d.kind, 'mail'), isCurrent))
      .where(
        and(
          ...[isNull(d.id), isWanting, hasJoined],
          userId === undefined ? undefined : eq(memberships.userId, userId),
        ),
      )
      .orderBy(asc(memberships.orgId))
      .limit(BATCH);
    for (const { orgId } of page) {
      await retried(() => db.transaction((tx) => start(tx, orgId, now)));
      started.push(orgId);
    }
    if (page.length < BATCH) return started;
  }
}

async function start(tx: Tx, orgId: string, now: Date): Promise<void> {
  // Locks the position, so that nobody deletes the destination meanwhile.
  await follow(tx, orgId, now);
  await tx
    .insert(d)
    .values({
      ...{ id: crypto.randomUUID(), orgId, kind: 'mail', url: 'mailto:', secret: '', enabled: true },
      ...{ events: MAIL_EVENTS, createdAt: now, updatedAt: now },
    })
    .onConflictDoUpdate({
      target: d.orgId,
      targetWhere: sql`kind = 'mail'`,
      set: { events: sql`excluded.events`, updatedAt: sql`excluded.updated_at` },
    });
}

/** Ends the mails of an organization, unless a member has chosen some. @returns whether it has ended them */
export async function endMails(tx: Tx, orgId: string): Promise<boolean> {
  await tx
    .select({ orgId: eventPositions.orgId })
    .from(eventPositions)
    .where(eq(eventPositions.orgId, orgId))
    .for('update');
  const [wanting] = await tx
    .select({ userId: s.userId })
    .from(s)
    .innerJoin(memberships, eq(memberships.userId, s.userId))
    .where(and(eq(memberships.orgId, orgId), isWanting, hasJoined))
    .limit(1);
  if (wanting) return false;
  const [row] = await tx
    .select({ id: d.id, orgId: d.orgId })
    .from(d)
    .where(and(eq(d.orgId, orgId), eq(d.kind, 'mail')));
  if (row) await deleteDestination(tx, row);
  return row !== undefined;
}
