import { integer, text, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { shared } from './shared-schema.ts';

/** Deleted accounts of which organizations or the mail queue may still have something (`db/accounts/erasure.ts`). */
export const accountErasures = shared.table('account_erasures', {
  userId: uuid('user_id').primaryKey(),
  /** The addresses that the account had verified. */
  emails: text('emails').array().notNull(),
  deletedAt: time('deleted_at').notNull(),
  /** Organizations that it was a member of, as far as they are still to be erased in the first pass. They come first. */
  firstOrgIds: uuid('first_org_ids').array().notNull(),
  /** The progress of the current pass through all organizations: nothing is left up to this one. */
  doneOrgId: uuid('done_org_id'),
  /** Passes that are complete. */
  passes: integer('passes').notNull().default(0),
  /** No other process erases it until then, by the clock of the database. */
  leaseUntil: time('lease_until').notNull(),
});
