import { bigint, index, integer, type PgSchema, primaryKey, text, uuid, varchar } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { DELIVERY_STATES } from './values.ts';

/** The events of an organization (`db/events/`), and their deliveries to destinations. */
export function eventTables(schema: PgSchema) {
  /**
   * The statement that causes an event writes it. A row has references only: the content is read when it is sent, so that it has nothing
   * that was deleted meanwhile.
   */
  const events = schema.table(
    'events',
    {
      id: uuid('id').primaryKey(),
      /** The position in the order of commits, without gaps. Null until `publish` sets it. */
      seq: bigint('seq', { mode: 'number' }),
      at: time('at').notNull(),
      /** Such as `scan.completed`, or the action of an entry of the audit log: each entry is an event. */
      type: varchar('type', { length: 50 }).notNull(),
      /** The scan, change, comment or entry of the audit log. Null: rules decided about new findings. */
      subject: varchar('subject', { length: 36 }),
      /** A user, a token or a rule; null for the service. */
      actorId: uuid('actor_id'),
      /** At most 500. Null if it is not about findings. */
      findingIds: uuid('finding_ids').array(),
    },
    // Entries without a position are in this index, too.
    (t) => [index('events_seq').on(t.seq, t.at, t.id)],
  );

  /** Events that are sent, or were sent, to a destination (`shared.destinations`). */
  const deliveries = schema.table(
    'deliveries',
    {
      destinationId: uuid('destination_id').notNull(),
      /** Derived from the event and the destination. */
      id: uuid('id').notNull(),
      /** Null: a test. */
      eventId: uuid('event_id'),
      createdAt: time('created_at').notNull(),
      state: varchar('state', { length: 10, enum: DELIVERY_STATES }).notNull(),
      /** When a pending one is due. */
      nextAt: time('next_at'),
      attempts: integer('attempts').notNull().default(0),
      /** The latest attempt. */
      triedAt: time('tried_at'),
      durationMs: integer('duration_ms'),
      /** The status of the response; null if there was none. */
      status: integer('status'),
      /** The beginning of the response. */
      response: text('response'),
      /** Why it failed. */
      error: text('error'),
    },
    (t) => [
      primaryKey({ name: 'deliveries_pk', columns: [t.destinationId, t.id] }),
      index('deliveries_newest').on(t.destinationId, t.createdAt, t.id),
      index('deliveries_due').on(t.destinationId, t.nextAt),
    ],
  );

  return { events, deliveries };
}
