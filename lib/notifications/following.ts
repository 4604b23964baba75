import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { notificationSettings as s } from '../../db/schema/accounts.ts';
import { destinations as d, eventPositions } from '../../db/schema/destinations.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { deleteDestination, follow } from '../events/following.ts';
import { MAIL_EVENTS } from './kinds.ts';

/*
 * The mails of an organization's members are one destination of its events. It exists while a member has chosen mails: choosing creates
 * it, and so does joining. Switching off deletes it, and so does the first event after the last such member has left.
 */

/** Whether settings have a kind that is on. */
export const isWanting: SQL = sql`jsonb_path_exists(${s.kinds}, '$.* ? (@ != "off")')`;

/** The organizations of a person, in the order in which transactions lock them. */
export async function orgsOf(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .select({ id: memberships.orgId })
    .from(memberships)
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.orgId));
  return rows.map(({ id }) => id);
}

/** Has the events of an organization mailed from now on. */
export async function startMails(tx: Tx, orgId: string, now: Date): Promise<void> {
  // Locks the position, so that nobody deletes the destination meanwhile.
  await follow(tx, orgId, now);
  await tx
    .insert(d)
    .values({
      ...{ id: crypto.randomUUID(), orgId, kind: 'mail', url: 'mailto:', secret: '', enabled: true },
      ...{ events: MAIL_EVENTS, createdAt: now, updatedAt: now },
    })
    .onConflictDoNothing();
}

/** Ends the mails of an organization, unless a member has chosen some. */
export async function endMails(tx: Tx, orgId: string): Promise<void> {
  await tx
    .select({ orgId: eventPositions.orgId })
    .from(eventPositions)
    .where(eq(eventPositions.orgId, orgId))
    .for('update');
  const [wanting] = await tx
    .select({ userId: s.userId })
    .from(s)
    .innerJoin(memberships, eq(memberships.userId, s.userId))
    .where(and(eq(memberships.orgId, orgId), isWanting))
    .limit(1);
  if (wanting) return;
  const [row] = await tx
    .select({ id: d.id, orgId: d.orgId })
    .from(d)
    .where(and(eq(d.orgId, orgId), eq(d.kind, 'mail')));
  if (row) await deleteDestination(tx, row);
}

/**
 * Starts the mails of an organization that a person joins, if the person has chosen some. Call it after the membership is inserted, in the
 * same transaction: the change of settings locks the account, which the membership refers to, so that one of them sees the other.
 */
export async function startMailsOf(
  tx: Tx,
  { orgId, userId, now }: { orgId: string; userId: string; now: Date },
): Promise<void> {
  const [wanting] = await tx
    .select({ userId: s.userId })
    .from(s)
    .where(and(eq(s.userId, userId), isWanting));
  if (wanting) await startMails(tx, orgId, now);
}
