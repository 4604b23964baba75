import { count, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { eventPositions as p, destinations as t } from '../../db/schema/destinations.ts';

/** Has the events of an organization published from now on. Findings that were due before are not reported as overdue. */
export async function follow(tx: Tx, orgId: string, now: Date): Promise<void> {
  await tx
    .insert(p)
    .values({ orgId, seq: 0, checkAt: now, overdueUntil: now })
    .onConflictDoUpdate({
      target: p.orgId,
      set: {
        checkAt: sql`excluded.check_at`,
        overdueUntil: sql`case when ${p.checkAt} is null then excluded.overdue_until else ${p.overdueUntil} end`,
      },
    });
}

/**
 * Deletes a destination, and ends the publishing of events with the last one of the organization. Locks the position first, in the
 * order of the publisher.
 */
export async function deleteDestination(
  tx: Tx,
  { id, orgId }: Pick<typeof t.$inferSelect, 'id' | 'orgId'>,
): Promise<void> {
  await tx.select({ orgId: p.orgId }).from(p).where(eq(p.orgId, orgId)).for('update');
  await tx.delete(t).where(eq(t.id, id));
  const [left] = await tx.select({ count: count() }).from(t).where(eq(t.orgId, orgId));
  if (left?.count === 0) await tx.update(p).set({ checkAt: null }).where(eq(p.orgId, orgId));
}
