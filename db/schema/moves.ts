import { boolean, integer, json, text, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { shared } from './shared-schema.ts';

/*
 * Organizations that move to the database of another cell (`db/moves/`). No foreign key: `org_moves` outlives the organization here.
 */

/** In the cell that an organization leaves. */
export const orgMoves = shared.table('org_moves', {
  orgId: uuid('org_id').primaryKey(),
  slug: text('slug').notNull(),
  /** The name of the other cell. */
  cell: text('cell').notNull(),
  /** The copy in the other cell has the same id. */
  copyId: uuid('copy_id').notNull(),
  startedAt: time('started_at').notNull(),
  /** When the organization was taken out of service here. Null: it can be cancelled. */
  movedAt: time('moved_at'),
  /** What `shared` had of the organization then, until the other cell has it. */
  rows: json('rows'),
});

/** In the cell that gets an organization, until it serves it. */
export const orgArrivals = shared.table('org_arrivals', {
  orgId: uuid('org_id').primaryKey(),
  copyId: uuid('copy_id').notNull(),
  /** Nobody else gets it meanwhile. */
  slug: text('slug'),
  /** How many migrations the tables of the copy have had. */
  schemaVersion: integer('schema_version'),
  /** The accounts of members here, by their ids in the other cell, where they differ. */
  accounts: json('accounts').$type<Record<string, string>>().notNull(),
  /** All rows are copied, and indexes and keys are created. */
  ready: boolean('ready').notNull().default(false),
});
