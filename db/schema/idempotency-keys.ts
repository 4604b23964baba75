import { boolean, integer, type PgSchema, primaryKey, uuid, varchar } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** The results of pushes of requests with an idempotency key (`db/findings/ingest/idempotency.ts`). */
export const idempotencyKeys = (schema: PgSchema) =>
  schema.table(
    'idempotency_keys',
    {
      /** The first half of the SHA-256 of the key. */
      key: uuid('key').notNull(),
      /** Position of the push in the request; -1 in the row that claims the key. */
      position: integer('position').notNull(),
      /** When the key was claimed. */
      createdAt: time('created_at').notNull(),
      /** In the row that claims the key: the first half of the SHA-256 of the request. */
      body: uuid('body'),
      /** False if the push's scan was not registered. */
      hasScan: boolean('has_scan'),
      /** Null, as the columns below, if the push's scan was not registered or another project's. */
      findingId: uuid('finding_id'),
      deduplicated: boolean('deduplicated'),
      regressed: boolean('regressed'),
      /** The status of the finding after the push. */
      status: varchar('status', { length: 20 }),
    },
    (t) => [primaryKey({ name: 'idempotency_keys_pk', columns: [t.key, t.position] })],
  );
