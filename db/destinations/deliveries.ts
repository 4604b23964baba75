import { and, eq, gt, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import { BATCH_ROWS } from '../batches.ts';
import type { Tx } from '../client.ts';
import type { Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { run } from '../statements.ts';

/** The oldest test of a destination that has not been sent yet, found among pending deliveries (index `deliveries_due`). */
export async function pendingTest(
  tx: Tx,
  { deliveries: d }: OrgTables,
  destinationId: string,
): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: d.id })
    .from(d)
    .where(and(eq(d.destinationId, destinationId), isNull(d.eventId), isNotNull(d.nextAt)))
    .orderBy(d.nextAt)
    .limit(1);
  return row?.id;
}

/** Adds a test that is due. */
export async function addTest(
  tx: Tx,
  { deliveries: d }: OrgTables,
  { destinationId, id, at }: { destinationId: string; id: string; at: Date },
): Promise<void> {
  await tx.insert(d).values({ destinationId, id, createdAt: at, state: 'pending', nextAt: at });
}

/**
 * Makes a delivery due, with all its attempts. It is due since it was created, so that it comes before newer ones.
 * @returns whether it was not due
 */
export async function repeatDelivery(
  tx: Tx,
  { deliveries: d }: OrgTables,
  { destinationId, id, now }: { destinationId: string; id: string; now: Date },
): Promise<boolean> {
  const changed = await tx
    .update(d)
    .set({ state: 'pending', nextAt: sql`${d.createdAt}`, attempts: 0 })
    .where(
      and(
        eq(d.destinationId, destinationId),
        eq(d.id, id),
        or(ne(d.state, 'pending'), isNull(d.nextAt), gt(d.nextAt, now)),
      ),
    )
    .returning({ id: d.id });
  return changed.length > 0;
}

/** Makes the pending deliveries of a destination due that wait for their next attempt: at most {@link BATCH_ROWS}, the next ones first. */
export async function hastenDeliveries(
  tx: Tx,
  { deliveries: d }: OrgTables,
  { destinationId, now }: { destinationId: string; now: Date },
): Promise<void> {
  const waiting = tx
    .select({ id: d.id })
    .from(d)
    .where(and(eq(d.destinationId, destinationId), eq(d.state, 'pending'), gt(d.nextAt, now)))
    .orderBy(d.nextAt)
    .limit(BATCH_ROWS);
  await tx
    .update(d)
    .set({ nextAt: now })
    .where(and(eq(d.destinationId, destinationId), sql`${d.id} = any(array${waiting})`));
}

/** Batches that one request removes at the most: the others are removed with their age. */
const MOST_BATCHES = 20;

/** Removes the deliveries of a destination that was deleted, in batches. */
export async function removeDeliveries(
  client: Pick<Sql, 'unsafe'>,
  { deliveries: d }: OrgTables,
  destinationId: string,
): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const [row] = await run<{ removed: number }>(
      client,
      sql`
with removed as (
  delete from ${d} where destination_id = ${destinationId}::uuid and id = any(array(
    select id from ${d} where destination_id = ${destinationId}::uuid limit ${sql.raw(String(BATCH_ROWS))}))
  returning 1
)
select count(*)::int as removed from removed`,
    );
    if ((row?.removed ?? 0) < BATCH_ROWS) return;
  }
}
