import { sql } from 'drizzle-orm';
import { index, type PgSchema, primaryKey, text, uniqueIndex, uuid, varchar } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { ISSUE_STATES, TOLD_STATES } from './values.ts';

/** The issues that findings have at issue trackers (`db/issues/`). */
export function issueTables(schema: PgSchema) {
  const issues = schema.table(
    'issues',
    {
      /** Also the marker in the text of an issue that the service creates. */
      id: uuid('id').primaryKey(),
      /** The integration, of `shared.destinations`. It is missing in an organization that was restored from a backup. */
      destinationId: uuid('destination_id').notNull(),
      /** `12` or `WEB-12`. Null until the issue is created. */
      key: text('key'),
      url: text('url'),
      state: varchar('state', { length: 10, enum: ISSUE_STATES }).notNull(),
      /** The status in the words of the tracker, when it was read. */
      status: text('status'),
      /** Why nothing was done. */
      outcome: text('outcome'),
      /** When the tracker was asked last. */
      checkedAt: time('checked_at'),
      /** The latest state of its findings that was told there. A change is told once, whatever people do there afterwards. */
      told: varchar('told', { length: 10, enum: TOLD_STATES }).notNull(),
      /** The latest regression that was told there. Later ones are news. */
      toldAt: time('told_at').notNull(),
      /** When the service tried last to create it. Null: never, or the issue was linked. */
      triedAt: time('tried_at'),
      /** A user or a token. */
      createdBy: uuid('created_by').notNull(),
      createdAt: time('created_at').notNull(),
    },
    // Addresses are long. Issues of another project, which the integration had before, may have the same keys.
    (t) => [uniqueIndex('issues_url').on(t.destinationId, sql`md5(${t.url})`)],
  );

  /** The findings of issues. A finding has at most one issue of an integration: the key is the claim. */
  const findingIssues = schema.table(
    'finding_issues',
    {
      findingId: uuid('finding_id').notNull(),
      destinationId: uuid('destination_id').notNull(),
      issueId: uuid('issue_id').notNull(),
    },
    (t) => [
      primaryKey({ name: 'finding_issues_pk', columns: [t.findingId, t.destinationId] }),
      index('finding_issues_issue').on(t.issueId),
      index('finding_issues_destination').on(t.destinationId),
    ],
  );

  return { issues, findingIssues };
}
