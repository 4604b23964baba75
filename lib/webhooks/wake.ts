import { sql } from 'drizzle-orm';
import { destinations as t } from '../../db/schema/destinations.ts';

/** The columns that make a destination due now. One that is leased, by an odd number of `leases`, is due when the lease ends. */
export const wakeColumns = (now: Date) => ({
  wakes: sql`${t.wakes} + 1`,
  dueAt: sql`case when ${t.leases} % 2 = 1 and ${t.dueAt} is not null then ${t.dueAt}
    else least(${t.dueAt}, ${sql.param(now, t.dueAt)}) end`,
});
