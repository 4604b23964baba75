import { sql } from 'drizzle-orm';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

/** An event as it is stored: what happened to what. `details.ts` and `scans.ts` read the content. */
export interface StoredEvent {
  id: string;
  /** The position. Null until the event is published. */
  seq: number | null;
  /** ISO 8601. */
  at: string;
  type: string;
  subject: string | null;
  actor_id: string | null;
  finding_ids: string[] | null;
}

/** The most that a page has, except that it has one event whatever its size. */
export interface EventPageSize {
  events: number;
  /** The findings of its events. */
  findings: number;
  scans: number;
}

const afterStatement = orgStatement<EventPageSize & { after: number }, StoredEvent>(
  ({ events }, $) => sql`
select id, seq, at, type, subject, actor_id, finding_ids from (
  select e.id, e.seq::float8 as seq, ${timeText(sql`e.at`)} as at, e.type, e.subject, e.actor_id, array_to_json(e.finding_ids) as finding_ids,
    row_number() over so_far as events, sum(coalesce(cardinality(e.finding_ids), 0)) over so_far as findings,
    count(*) filter (where e.type in ('scan.completed', 'scan.failed')) over so_far as scans
  from (select * from ${events} where seq > ${$.after}::bigint order by seq limit ${$.events}::bigint) e
  window so_far as (order by e.seq rows unbounded preceding)
) e
where events = 1 or (findings <= ${$.findings}::bigint and scans <= ${$.scans}::bigint) order by seq`,
);

/** Reads the first published events behind a position, in their order. The result is empty only if all were removed. */
export const readEvents = (
  client: SqlClient,
  tables: OrgTables,
  page: EventPageSize & { after: number },
): Promise<StoredEvent[]> => afterStatement(tables).run(client, page);
