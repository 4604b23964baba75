import { sql } from 'drizzle-orm';
import { destinations as t } from '../../db/schema/destinations.ts';
import { LEASE_MS } from '../deliveries/dispatcher.ts';

/**
 * The columns that make a destination due now. A time that is near may be the end of a lease: it stays, and the process that has the
 * lease sees `wakes`.
 */
export function wakeColumns(now: Date) {
  const leaseEnd = sql.param(new Date(now.getTime() + LEASE_MS), t.dueAt);
  return {
    wakes: sql`${t.wakes} + 1`,
    dueAt: sql`case when ${t.dueAt} <= ${leaseEnd} then ${t.dueAt} else ${sql.param(now, t.dueAt)} end`,
  };
}
