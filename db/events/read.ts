import { type SQL, sql } from 'drizzle-orm';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';

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

const columns: SQL = sql`e.id, e.seq::float8 as seq, ${timeText(sql`e.at`)} as at, e.type, e.subject, e.actor_id,
  array_to_json(e.finding_ids) as finding_ids`;

const afterStatement = orgStatement<{ after: number; limit: number }, StoredEvent>(
  ({ events }, $) => sql`
select ${columns} from ${events} e where e.seq > ${$.after}::bigint order by e.seq limit ${$.limit}::bigint`,
);

/** Reads published events behind a position, in their order. */
export const readEvents = (
  client: SqlClient,
  tables: OrgTables,
  page: { after: number; limit: number },
): Promise<StoredEvent[]> => afterStatement(tables).run(client, page);

const byIdStatement = orgStatement<{ ids: string }, StoredEvent>(
  ({ events }, $) =>
    sql`select ${columns} from ${events} e where e.id = any (${$.ids}::uuid[]) order by e.seq`,
);

/** Reads the events with these ids, except those that were removed. */
export async function readEventsById(
  client: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<StoredEvent[]> {
  return ids.length > 0 ? byIdStatement(tables).run(client, { ids: arrayText(ids) }) : [];
}
