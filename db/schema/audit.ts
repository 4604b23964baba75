import {
  bigint,
  index,
  integer,
  json,
  type PgSchema,
  primaryKey,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** The kinds of actors. */
export const AUDIT_ACTORS = ['user', 'token'] as const;

/** Longer texts are cut. With these, the table of names needs no TOAST table. */
export const MAX_NAME = 200;
export const MAX_USER_AGENT = 200;

/** The tables of the audit log of an organization (`db/audit/`). */
export function auditTables(schema: PgSchema) {
  /** Append-only: nobody but a superuser may change or remove rows ({@link auditRights}). */
  const auditEntries = schema.table(
    'audit_entries',
    {
      /** The position in the chain, without gaps. */
      seq: bigint('seq', { mode: 'number' }).primaryKey(),
      id: uuid('id').notNull(),
      at: time('at').notNull(),
      action: varchar('action', { length: 50 }).notNull(),
      actorType: varchar('actor_type', { length: 10, enum: AUDIT_ACTORS }).notNull(),
      actorId: uuid('actor_id').notNull(),
      /** SHA-256 of the actor's name and address, with the salt in `audit_names`. */
      actorDigest: varchar('actor_digest', { length: 64 }).notNull(),
      targetType: varchar('target_type', { length: 20 }).notNull(),
      targetId: varchar('target_id', { length: 100 }).notNull(),
      targetDigest: varchar('target_digest', { length: 64 }).notNull(),
      /** The text is part of the hash. */
      changes: json('changes').notNull(),
      requestId: varchar('request_id', { length: 128 }).notNull(),
      /** SHA-256 of the hash before it, the position and the other columns. */
      hash: varchar('hash', { length: 64 }).notNull(),
    },
    (t) => [
      uniqueIndex('audit_entries_id').on(t.id),
      index('audit_entries_action').on(t.action, t.id),
      index('audit_entries_actor').on(t.actorId, t.id),
      index('audit_entries_target').on(t.targetId, t.id),
    ],
  );

  /** The personal data of entries, which is removed with an account. The entries keep a digest. */
  const auditNames = schema.table(
    'audit_names',
    {
      seq: bigint('seq', { mode: 'number' }).notNull(),
      side: varchar('side', { length: 6, enum: ['actor', 'target'] }).notNull(),
      salt: varchar('salt', { length: 32 }).notNull(),
      name: varchar('name', { length: MAX_NAME }).notNull(),
      ip: varchar('ip', { length: 45 }).notNull(),
      userAgent: varchar('user_agent', { length: MAX_USER_AGENT }).notNull(),
    },
    (t) => [primaryKey({ name: 'audit_names_pk', columns: [t.seq, t.side] })],
  );

  /** One row: the end of the chain, and its beginning after entries have expired. */
  const auditHead = schema.table('audit_head', {
    id: integer('id').primaryKey(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    hash: varchar('hash', { length: 64 }).notNull(),
    /** The last entry that has expired. */
    expiredSeq: bigint('expired_seq', { mode: 'number' }).notNull(),
    expiredHash: varchar('expired_hash', { length: 64 }).notNull(),
  });

  return { auditEntries, auditNames, auditHead };
}

/** The statements that make the entries append-only, also for their owner. A table is created with all rights. */
export const auditRights = (schemaName: string): string[] => [
  `REVOKE UPDATE, DELETE, TRUNCATE ON "${schemaName}"."audit_entries" FROM CURRENT_USER;`,
];
