import { and, not, or, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isServed } from '../../db/events/served.ts';
import { areBehind } from '../../db/orgs/tables.ts';
import { destinations } from '../../db/schema/destinations.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { run } from '../../db/statements.ts';
import { collectsNoMore } from '../mail/queued-mails.ts';
import type { Backlog } from '../metrics/reports.ts';

/** Counting ends here: it must not cost more, the more there is to do. */
const MOST = 10_000;

/** @param version of an organization's schema that is up to date */
export async function readBacklog(db: Db | Tx, version: number): Promise<Backlog> {
  const isDue = sql`${outgoingMails.nextAttemptAt} <= now()`;
  // A mail that still collects notices does not wait for the provider. One that has collected some waits since it is due.
  const since = sql<Date>`case when ${collectsNoMore} then ${outgoingMails.createdAt} else ${outgoingMails.nextAttemptAt} end`;
  // Most digests are not due. Two indexes skip them.
  const mails = db
    .select({ since: since.as('since') })
    .from(outgoingMails)
    .where(and(not(outgoingMails.isBulk), or(collectsNoMore, isDue)))
    .unionAll(
      db
        .select({ since: since.as('since') })
        .from(outgoingMails)
        .where(and(outgoingMails.isBulk, isDue)),
    )
    .unionAll(db.select({ since: sql<Date>`${mailQueue.createdAt}`.as('since') }).from(mailQueue))
    .limit(MOST);
  const behind = db.select({ one: sql`1` }).from(orgs).where(areBehind(version)).limit(MOST);
  const [row] = await run<{ mails: number; oldest: number; waiting: number; orgs: number }>(
    db,
    sql`
select w.mails, greatest(0, extract(epoch from clock_timestamp() - w.since))::float8 as oldest,
  greatest(0, extract(epoch from clock_timestamp() - (select due_at from ${destinations} d
    where d.due_at <= now() and d.enabled and ${isServed(sql`d.org_id`, version)} order by d.due_at limit 1)))::float8 as waiting,
  (select count(*)::int from ${behind} o) as orgs
from (select count(*)::int as mails, min(m.since) as since from ${mails} m) w`,
  );
  return {
    ...{ mails: row?.mails ?? 0, oldestMailS: row?.oldest ?? 0 },
    ...{ oldestDestinationS: row?.waiting ?? 0, orgsBehind: row?.orgs ?? 0 },
  };
}
