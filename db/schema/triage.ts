import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  json,
  type PgSchema,
  primaryKey,
  text,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import {
  type ChangedFields,
  DELETION_STATES,
  EVENT_KINDS,
  type RuleActions,
  type RuleConditions,
  TRIAGE_REASONS,
} from './values.ts';

/** The tables of an organization that record decisions about findings. */
export function triageTables(schema: PgSchema) {
  /** Changes of findings, besides their creation (`db/findings/triage/activity.ts`). */
  const findingEvents = schema.table(
    'finding_events',
    {
      findingId: uuid('finding_id').notNull(),
      at: time('at').notNull(),
      id: uuid('id').notNull(),
      /** The events of one request have the same id, in all findings. */
      changeId: uuid('change_id'),
      kind: text('kind', { enum: EVENT_KINDS }).notNull(),
      /** A token, a user or a rule; null for the service. */
      actorId: uuid('actor_id'),
      from: text('from'),
      to: text('to'),
      reason: text('reason', { enum: TRIAGE_REASONS }),
      note: text('note'),
      /** Comments only. */
      editedAt: time('edited_at'),
      /** The members that a comment mentions; null if there are none. */
      mentions: uuid('mentions').array(),
      /** The scan that caused it. */
      scanId: varchar('scan_id', { length: 36 }),
    },
    (t) => [
      primaryKey({ name: 'finding_events_pk', columns: [t.findingId, t.at, t.id] }),
      // This index covers the few comments that mention somebody.
      index('finding_events_mentions').using('gin', t.mentions).where(sql`mentions is not null`),
      // The activity of all findings, and that of an actor. Kinds are compared without reading the rows.
      index('finding_events_newest').on(t.at, t.id, t.kind),
      index('finding_events_actor').on(t.actorId, t.at, t.id),
    ],
  );

  /** Changes of the last 30 days that can be undone (`db/findings/changes/`). */
  const changes = schema.table(
    'changes',
    {
      /** `change_id` of the events. */
      id: uuid('id').primaryKey(),
      at: time('at').notNull(),
      /** A user or a token; null for the service. */
      actorId: uuid('actor_id'),
      /** At most 500. */
      findingIds: uuid('finding_ids').array().notNull(),
      /** The new values that all findings have in common. */
      what: json('what').$type<ChangedFields>().notNull(),
      /** The fields of each finding before and after the change. */
      fields: json('fields').notNull(),
      undoneAt: time('undone_at'),
      /** The rule that the user applied, if the change is a rule's. */
      ruleId: uuid('rule_id'),
    },
    (t) => [
      index('changes_actor').on(t.actorId, t.id),
      index('changes_rule').on(t.ruleId, t.id).where(sql`rule_id is not null`),
    ],
  );

  /** Days after which findings are due, by severity (`db/policies/due-dates.ts`). */
  const dueDates = schema.table('due_dates', {
    /** The nil UUID for the organization. */
    projectId: uuid('project_id').primaryKey(),
    critical: integer('critical'),
    high: integer('high'),
    medium: integer('medium'),
    low: integer('low'),
    info: integer('info'),
  });

  /** Rules for new findings (`db/rules/`). A deleted rule keeps its row, because the activity of findings shows its name. */
  const rules = schema.table('rules', {
    id: uuid('id').primaryKey(),
    position: integer('position').notNull(),
    name: text('name').notNull(),
    enabled: boolean('enabled').notNull(),
    conditions: json('conditions').$type<RuleConditions>().notNull(),
    actions: json('actions').$type<RuleActions>().notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    deletedAt: time('deleted_at'),
  });

  /** The findings that a rule changed when they were pushed, until that is undone (`db/rules/undo.ts`). */
  const ruleChanges = schema.table(
    'rule_changes',
    { ruleId: uuid('rule_id').notNull(), findingId: uuid('finding_id').notNull() },
    (t) => [primaryKey({ name: 'rule_changes_pk', columns: [t.ruleId, t.findingId] })],
  );

  /** Has one row as soon as due dates or rules were set. Every change of what pushes depend on increases `version`. */
  const policyVersions = schema.table('policy_versions', {
    id: integer('id').primaryKey(),
    version: integer('version').notNull(),
  });

  /** Lists of findings that members have saved (`lib/views/`). */
  const savedViews = schema.table(
    'saved_views',
    {
      id: uuid('id').primaryKey(),
      ownerId: uuid('owner_id').notNull(),
      name: text('name').notNull(),
      query: text('query').notNull(),
      shared: boolean('shared').notNull(),
      createdAt: time('created_at').notNull(),
    },
    (t) => [index('saved_views_owner').on(t.ownerId)],
  );

  /** Deletions of the last 30 days, which can be undone (`db/deletions/`). */
  const deletions = schema.table('deletions', {
    id: uuid('id').primaryKey(),
    at: time('at').notNull(),
    actorId: uuid('actor_id').notNull(),
    state: varchar('state', { enum: DELETION_STATES, length: 10 }).notNull(),
    /** The findings to delete. Empty once they are deleted. */
    findingIds: uuid('finding_ids').array().notNull(),
    /** How many they are. */
    selected: integer('selected').notNull(),
    /** How many of them were looked at. */
    position: integer('position').notNull().default(0),
    /** How many of them were deleted. */
    findings: integer('findings').notNull().default(0),
    /** How many of those were restored. */
    restored: integer('restored').notNull().default(0),
    /** The deleted scan; the columns below are null without one. */
    scanId: text('scan_id'),
    projectId: uuid('project_id'),
    /** The row of the scan. */
    scan: json('scan'),
    /** The row of its series, which ends with its last scan. */
    series: json('series'),
    /** The findings that the scan saw again. */
    seen: uuid('seen').array(),
    /** The projects of the findings and of the scan. Null in deletions that were made before this column. */
    projectIds: uuid('project_ids').array(),
  });

  /** The findings of deletions, with everything that belonged to them (`db/deletions/`). */
  const deletedFindings = schema.table(
    'deleted_findings',
    {
      deletionId: uuid('deletion_id').notNull(),
      findingId: uuid('finding_id').notNull(),
      projectId: uuid('project_id').notNull(),
      /** The rows of the finding, by table. */
      data: json('data').notNull(),
      /** The length of the data, which is expensive to read. */
      bytes: integer('bytes').notNull(),
    },
    (t) => [
      primaryKey({ name: 'deleted_findings_pk', columns: [t.deletionId, t.findingId] }),
      index('deleted_findings_project').on(t.projectId),
    ],
  );

  return {
    findingEvents,
    changes,
    deletions,
    deletedFindings,
    dueDates,
    rules,
    ruleChanges,
    policyVersions,
    savedViews,
  };
}
