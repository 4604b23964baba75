import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { orgs } from './orgs.ts';
import { shared } from './shared-schema.ts';
import { SEVERITIES } from './values.ts';

/** The chat services. */
export const CHAT_KINDS = ['slack', 'teams', 'discord', 'mattermost'] as const;

/** The issue trackers. */
export const TRACKER_KINDS = ['github', 'gitlab', 'jira'] as const;

/** The reactions of an integration when all findings of an issue are resolved. */
export const RESOLVED_RULES = ['close', 'comment', 'nothing'] as const;

/** The reactions of an integration when somebody closes an issue at the tracker. */
export const CLOSED_RULES = ['fixed', 'nothing'] as const;

/** The place and the form of the issues of a tracker. */
export interface StoredTracker {
  /** A repository or project, or the key of a Jira project. */
  project: string;
  labels: string[];
  /** Jira: the type of issues. */
  issue_type?: string | undefined;
  /** Jira Cloud: the account of the token. */
  email?: string | undefined;
  /** Unset: `close`. */
  on_resolved?: (typeof RESOLVED_RULES)[number] | undefined;
  /** Unset: `nothing`. */
  on_closed?: (typeof CLOSED_RULES)[number] | undefined;
}

/** The receivers of events. `mail`: the members of the organization, as they chose; one destination for all of them. */
export const DESTINATION_KINDS = ['webhook', ...CHAT_KINDS, ...TRACKER_KINDS, 'mail'] as const;

/** Why the service has switched a destination off. */
export const DISABLED_REASONS = ['failing', 'gone', 'unauthorized'] as const;

/** The receivers of an organization's events. Its table `deliveries` has the events to send. */
export const destinations = shared.table(
  'destinations',
  {
    id: uuid('id').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    kind: text('kind', { enum: DESTINATION_KINDS }).notNull(),
    /** The name of an integration. */
    name: text('name'),
    /** A chat service: the origin of its address. `mail`: `mailto:`. */
    url: text('url').notNull(),
    /** Signs what is sent to a webhook; the address of a chat service; the token of a tracker. Sealed when there is a key for it. Empty for `mail`. */
    secret: text('secret').notNull(),
    /** Signs beside `secret` until then. */
    formerSecret: text('former_secret'),
    formerSecretUntil: time('former_secret_until'),
    /** Set for trackers. */
    tracker: jsonb('tracker').$type<StoredTracker>(),
    /** Types of events, `member.*` or `audit.*`. */
    events: text('events').array().notNull(),
    /** Null: all projects, and what concerns no project. */
    projectIds: uuid('project_ids').array(),
    mutedProjectIds: uuid('muted_project_ids').array(),
    minSeverity: text('min_severity', { enum: SEVERITIES }),
    enabled: boolean('enabled').notNull(),
    disabledReason: text('disabled_reason', { enum: DISABLED_REASONS }),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    /** When a delivery is due, or a lease ends. Null: no delivery is pending. */
    dueAt: time('due_at'),
    /** Incremented with each new delivery, so that a process that finds no more due ones does not overlook it. */
    wakes: integer('wakes').notNull().default(0),
    /** Incremented at the beginning and the end of each lease: odd while it is leased. */
    leases: integer('leases').notNull().default(0),
    /** Attempts that failed in a row, and since when. */
    failures: integer('failures').notNull().default(0),
    failingSince: time('failing_since'),
  },
  (t) => [
    index('destinations_org').on(t.orgId),
    index('destinations_due').on(t.dueAt),
    uniqueIndex('destinations_mail').on(t.orgId).where(sql`${t.kind} = 'mail'`),
  ],
);

/** The progress of publishing the events of organizations that somebody follows. */
export const eventPositions = shared.table(
  'event_positions',
  {
    orgId: uuid('org_id')
      .primaryKey()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** The position of the latest event that was published. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    /** When a process looks for events that no process has published. Null: the organization has no destinations. */
    checkAt: time('check_at'),
    /** Findings that were due before have been reported as overdue. */
    overdueUntil: time('overdue_until').notNull(),
  },
  (t) => [index('event_positions_check').on(t.checkAt)],
);
