import { type SQL, sql } from 'drizzle-orm';
import type { Window } from '../findings/lists/pages.ts';
import { runSearch, type SearchLimits } from '../findings/lists/search.ts';
import type { Transactions } from '../pool/query.ts';
import { timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import type { DELIVERY_STATES } from '../schema/values.ts';
import { type DrizzleClient, run } from '../statements.ts';

type State = (typeof DELIVERY_STATES)[number];

/** A delivery. Properties are absent that it does not have. */
export interface ReadDelivery {
  id: string;
  event?: { id: string; type: string; at: string };
  state: State;
  attempts: number;
  created_at: string;
  next_at?: string;
  tried_at?: string;
  status?: number;
  duration_ms?: number;
  response?: string;
  error?: string;
}

/** Deliveries behind a page that are counted, so that the count costs no more than the page. */
const COUNTED_AHEAD = 10_000;

/** A delivery `d` as JSON, with its event `e`. */
const shown = sql`json_strip_nulls(json_build_object('id', d.id,
  'event', case when e.id is null then null else json_build_object('id', e.id, 'type', e.type, 'at', ${timeText(sql`e.at`)}) end,
  'state', d.state, 'attempts', d.attempts, 'created_at', ${timeText(sql`d.created_at`)},
  'next_at', case when d.state = 'pending' then ${timeText(sql`d.next_at`)} end,
  'tried_at', ${timeText(sql`d.tried_at`)}, 'status', d.status, 'duration_ms', d.duration_ms,
  'response', d.response, 'error', d.error))`;

const rowsWith = ({ deliveries, events }: OrgTables, where: SQL) =>
  sql`from ${deliveries} d left join ${events} e on e.id = d.event_id where ${where}`;

/** A page of the deliveries of a destination, newest first. `total` counts at most 10,000 deliveries behind the page. */
export async function readDeliveries(
  client: Transactions,
  tables: OrgTables,
  { destinationId, states }: { destinationId: string; states?: readonly State[] | undefined },
  { limit, offset }: Window,
  limits: SearchLimits,
): Promise<{ total: number; deliveries: ReadDelivery[] }> {
  const inStates =
    states === undefined
      ? sql``
      : sql`and state in (${sql.join(
          states.map((state) => sql`${state}`),
          sql`, `,
        )})`;
  const rows = await runSearch<{ total: number; delivery: ReadDelivery | null }>(
    client,
    sql`
with found as materialized (
  select created_at, id from ${tables.deliveries} where destination_id = ${destinationId}::uuid ${inStates}
  order by created_at desc, id desc limit ${offset + limit + COUNTED_AHEAD}::bigint
), page as materialized (
  select id from found order by created_at desc, id desc limit ${limit}::bigint offset ${offset}::bigint
), shown as (
  select d.created_at, d.id, ${shown} as delivery
  ${rowsWith(tables, sql`d.destination_id = ${destinationId}::uuid and d.id = any(array(select id from page))`)}
)
select counted.total, shown.delivery from (select count(*)::int as total from found) counted left join shown on true
order by shown.created_at desc, shown.id desc`,
    limits,
  );
  return { total: rows[0]?.total ?? 0, deliveries: rows.flatMap(({ delivery }) => delivery ?? []) };
}

/** A delivery of a destination; undefined if it does not exist. */
export async function readDelivery(
  client: DrizzleClient,
  tables: OrgTables,
  { destinationId, id }: { destinationId: string; id: string },
): Promise<ReadDelivery | undefined> {
  const where = sql`d.destination_id = ${destinationId}::uuid and d.id = ${id}::uuid`;
  const [row] = await run<{ delivery: ReadDelivery }>(
    client,
    sql`select ${shown} as delivery ${rowsWith(tables, where)}`,
  );
  return row?.delivery;
}
