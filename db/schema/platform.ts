import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

import { shared } from './shared-schema.ts';

/*
 * Tables of the deployment: global flags and settings, applied migrations, commands of operators, mails that are still to be sent.
 */

export const featureFlags = shared.table('feature_flags', {
  name: text('name').primaryKey(),
  enabled: boolean('enabled').notNull(),
  description: text('description').notNull(),
});

export const settings = shared.table('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});

/** The migrations applied to `shared` itself. */
export const migrations = shared.table('migrations', {
  name: text('name').primaryKey(),
  hash: text('hash').notNull(),
  appliedAt: time('applied_at').notNull(),
});

/** Commands of operators that change something or export data, written before they do (`lib/admin/events.ts`). */
export const operatorEvents = shared.table(
  'operator_events',
  {
    /** UUID v7: the order in which they were run. */
    id: uuid('id').primaryKey(),
    at: time('at').notNull(),
    operator: text('operator').notNull(),
    command: text('command').notNull(),
    details: jsonb('details')
      .$type<{ arguments: Record<string, string>; events: Record<string, unknown>[] }>()
      .notNull(),
    /** Null until the command has ended. */
    outcome: text('outcome', { enum: ['done', 'failed'] }),
    /** When a server wrote it to its log. */
    loggedAt: time('logged_at'),
  },
  (t) => [index('operator_events_unlogged').on(t.id).where(sql`${t.loggedAt} is null`)],
);

/** Mails that are still to be sent; written in the transaction that causes them, deleted when the provider took them. */
export const outgoingMails = shared.table(
  'outgoing_mails',
  {
    id: uuid('id').primaryKey(),
    /**
     * Recipient and content as JSON, encrypted: a mail has links that open accounts, and their owners. A digest of notices that a member
     * has chosen has these instead, until it is sent.
     */
    sealed: text('sealed').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When it is due; moved on by the process that takes it, so that others leave it alone meanwhile. */
    nextAttemptAt: time('next_attempt_at').notNull(),
    createdAt: time('created_at').notNull(),
    /** Set: the mail collects notices until it is due. The hash of their recipient and subject matter. */
    collects: text('collects'),
    /** One of very many at once, such as a digest. Others go first. */
    isBulk: boolean('is_bulk').notNull().default(false),
    /** It lists as many notices as it can, and takes no more. */
    isFull: boolean('is_full').notNull().default(false),
  },
  (t) => [
    index('outgoing_mails_due').on(t.nextAttemptAt),
    index('outgoing_mails_urgent').on(t.nextAttemptAt).where(sql`not ${t.isBulk}`),
    // A mail that is being sent collects nothing more.
    uniqueIndex('outgoing_mails_collects').on(t.collects).where(sql`${t.attempts} = 0`),
  ],
);

/** Mails that versions before `outgoing_mails` write, in clear. They are sent from here; nothing is added. */
export const mailQueue = shared.table(
  'mail_queue',
  {
    id: uuid('id').primaryKey(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    html: text('html').notNull(),
    text: text('text').notNull(),
    /** The link in it, for the log of the local outbox. */
    link: text('link'),
    attempts: integer('attempts').notNull().default(0),
    /** When it is due; moved on by the process that takes it, so that others leave it alone meanwhile. */
    nextAttemptAt: time('next_attempt_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('mail_queue_due').on(t.nextAttemptAt)],
);
