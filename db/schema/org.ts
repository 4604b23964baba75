import { type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  json,
  pgSchema,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';
import { findingColumns } from '../findings/fields.ts';
import { auditTables } from './audit.ts';
import { ciTables } from './ci.ts';
import { time } from './columns.ts';
import { eventTables } from './events.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { issueTables } from './issues.ts';
import type { OrgSchemaName } from './org-schema.ts';
import { triageTables } from './triage.ts';
import {
  FINDING_STATUSES,
  PERSONAS,
  PROJECT_ROLES,
  SCAN_STATUSES,
  type ScanTarget,
  SEVERITIES,
  type SeverityCounts,
  TRANSFER_SIDES,
} from './values.ts';

/** DDL takes no parameters, so the values stand in the text. */
const oneOf = (column: string, values: readonly string[]) =>
  sql.raw(`"${column}" in (${values.map((value) => `'${value}'`).join(', ')})`);

/** Stands for the schema of the extension pg_trgm, which may be any. */
export const TRIGRAM_SCHEMA = 'trigram_schema';

/** The text that is searched for words; a line break keeps a word from being found across two columns. */
export const searchedText = ({
  title,
  ...others
}: Record<'title' | 'file' | 'cve' | 'ruleId', AnyPgColumn>): SQL => {
  const rest = [others.file, others.cve, others.ruleId].map((text) => sql`coalesce(${text}, '')`);
  return sql`(${sql.join([title, ...rest], sql` || E'\\n' || `)})`;
};

/** The rule of a finding: `rule_id`, otherwise its title. */
export const ruleOf = ({ ruleId, title }: Record<'ruleId' | 'title', AnyPgColumn | SQL>): SQL =>
  sql`coalesce(nullif(${ruleId}, ''), ${title})`;

/** The part of a text that is indexed. */
export const startOf = (text: AnyPgColumn | SQL): SQL => sql`left(${text}, 200)`;

/** When a token expires, as the index of active tokens has it: with one range for those that never do, too. */
export const expiryOf = ({ expiresAt }: { expiresAt: AnyPgColumn | SQL }): SQL =>
  sql`coalesce(${expiresAt}, 'infinity')`;

const { id, projectId, fingerprint, ...others } = findingColumns;
/** In the order that the first migration gave them. */
const FINDING_COLUMNS = { id, projectId, fingerprint, ...others };

/**
 * The tables of one organization. Calling this takes about 0.4 ms, so callers cache the result (`perOrg`).
 *
 * A table whose widest row (of four bytes a character) is below 2 KB has no TOAST table, which saves an organization some
 * 12 KB: hence `varchar` where all texts of a table are limited by the API, in characters as here.
 */
export function defineOrgTables(schemaName: OrgSchemaName) {
  const schema = pgSchema(schemaName);

  const projects = schema.table(
    'projects',
    {
      id: uuid('id').primaryKey(),
      name: varchar('name', { length: 200 }).notNull(),
      slug: varchar('slug', { length: 50 }).notNull(),
      createdAt: time('created_at').notNull(),
      /** After how many scans without it a finding is fixed; null: never. */
      closeAfterScans: integer('close_after_scans'),
      /** A repository or a template of links (`lib/projects/source-links.ts`). */
      sourceUrl: varchar('source_url', { length: 200 }),
      /** The slug before the latest change of it. Another project may have it as its slug by now. */
      formerSlug: varchar('former_slug', { length: 50 }),
      /** Set while its findings and scans are being removed (`db/projects/`). Such a project is not shown and takes no pushes. */
      deletedAt: time('deleted_at'),
      /**
       * Set while the project moves to another organization (`db/projects/transfer/`). `out`: it is shown and takes no writes. `in`: it
       * is not shown, and reserves its slug.
       */
      transfer: varchar('transfer', { length: 3, enum: TRANSFER_SIDES }),
      /** The default branch. Null: all refs count as the default branch. */
      defaultRef: text('default_ref'),
      /** Patterns of further refs that the state of findings follows (`db/scans/series.ts`). */
      trackedRefs: text('tracked_refs').array(),
      /** True for the project that `POST /projects/demo` made, otherwise null. */
      demo: boolean('demo'),
    },
    (t) => [uniqueIndex('projects_slug').on(t.slug)],
  );

  /** Scans that are compared with each other: of one project, persona, ref, target and category (`db/scans/series.ts`). */
  const series = schema.table(
    'series',
    {
      id: uuid('id').primaryKey(),
      /** Derived from what its scans have in common. It changes when a scan names what the earlier ones left out. */
      key: uuid('key').notNull(),
      projectId: uuid('project_id').notNull(),
      /** Empty for scans without a ref. */
      ref: text('ref').notNull(),
      /** Whether the state of findings follows it: it is of the default branch or a tracked ref. */
      tracked: boolean('tracked').notNull(),
      /** Unset while the state of its findings must be derived again (`settle` in `db/scans/series.ts`). */
      settled: boolean('settled').notNull(),
    },
    (t) => [uniqueIndex('series_key').on(t.key), index('series_project').on(t.projectId)],
  );

  const apiTokens = schema.table(
    'api_tokens',
    {
      id: uuid('id').primaryKey(),
      /** Null on an org-wide token. */
      projectId: uuid('project_id').references(() => projects.id),
      name: varchar('name', { length: 100 }).notNull(),
      prefix: varchar('prefix', { length: 12 }).notNull(),
      /** SHA-256 of the whole token, hex. */
      tokenHash: varchar('token_hash', { length: 64 }).notNull(),
      /** A user id of `shared`; no foreign key crosses schemas. */
      createdBy: uuid('created_by').notNull(),
      expiresAt: time('expires_at'),
      revoked: boolean('revoked').notNull().default(false),
      createdAt: time('created_at').notNull(),
      lastUsed: time('last_used'),
      /** Separated by commas (`lib/tokens/scopes.ts`). An array would give the table a TOAST table. */
      scopes: varchar('scopes', { length: 30 }).notNull().default('ingest'),
      /** The organization is deleted. Its restoration ends that. */
      suspended: boolean('suspended').notNull().default(false),
      /** When a mail told its creator that it expires. Null: not yet. */
      expiryToldAt: time('expiry_told_at'),
    },
    (t) => [
      index('api_tokens_prefix').on(t.prefix),
      // Bounds the work of counting active tokens, however many were revoked or have expired.
      index('api_tokens_active')
        .on(expiryOf({ expiresAt: sql.raw('"expires_at"') }))
        .where(sql`not "revoked"`),
    ],
  );

  const scans = schema.table(
    'scans',
    {
      scanId: text('scan_id').primaryKey(),
      projectId: uuid('project_id')
        .notNull()
        .references(() => projects.id),
      persona: text('persona', { enum: PERSONAS }).notNull(),
      name: text('name').notNull(),
      target: json('target').$type<ScanTarget>(),
      status: text('status', { enum: SCAN_STATUSES }).notNull(),
      errorMessage: text('error_message'),
      /** Null while the scan runs. */
      summary: json('summary').$type<SeverityCounts>(),
      createdAt: time('created_at').notNull(),
      completedAt: time('completed_at'),
      /** The sources of its findings; `''` for findings without one. Null while the scan runs, and in scans of earlier versions. */
      sources: text('sources').array(),
      /** Only for earlier versions that run during an upgrade. */
      closedAfter: integer('closed_after'),
      /** The commit of the scanned code. It is no part of the target, so that scans of different commits are comparable. */
      commit: text('commit'),
      /** Null only for scans that an earlier version registered during an upgrade. They are compared with none. */
      seriesId: uuid('series_id'),
      /** As in its series. Pushes lock the scan, so those in progress end before a change of it. */
      tracked: boolean('tracked').notNull().default(true),
      /** The scanners that ran, also those that found nothing. Null if the agent does not say. */
      declaredSources: text('declared_sources').array(),
    },
    (t) => [
      index('scans_series').on(t.seriesId, t.createdAt, t.scanId),
      index('scans_commit').on(t.seriesId, t.commit, t.createdAt),
      index('scans_newest').on(t.createdAt, t.scanId),
      index('scans_project').on(t.projectId, t.createdAt, t.scanId),
      check('scans_status', oneOf('status', SCAN_STATUSES)),
    ],
  );

  const findings = schema.table('findings', FINDING_COLUMNS, (t) => [
    uniqueIndex('findings_fingerprint').on(t.projectId, t.fingerprint),
    index('findings_scan').on(t.scanId),
    // These indexes have columns that a finding seen again keeps, so that it stays a HOT update.
    index('findings_severity').on(t.severity, t.status, t.id),
    index('findings_project').on(t.projectId, t.severity, t.status, t.id),
    index('findings_regressed').on(t.severity, t.status, t.id).where(sql`regressed`),
    // Any word of a search may be a source.
    index('findings_source').on(t.source).where(sql`source is not null`),
    index('findings_assignee').on(t.assigneeId).where(sql`assignee_id is not null`),
    // Overdue findings are counted without reading them.
    index('findings_overdue').on(t.dueAt).where(sql`due_at is not null and status in ('open', 'confirmed')`),
    // For similar findings. Limited, because an entry of an index has at most 2,704 bytes.
    index('findings_rule').on(startOf(ruleOf(t)), t.source),
    index('findings_file').on(startOf(t.file)).where(sql`file is not null`),
    index('findings_cve').on(t.cve).where(sql`cve is not null`),
    // All that the metrics read of resolved findings.
    index('findings_resolved')
      .on(
        sql`coalesce(${t.resolvedAt}, ${t.statusChangedAt})`,
        ...[t.severity, t.projectId, t.createdAt, t.dueAt, t.resolvedAt, t.statusChangedAt],
      )
      .where(sql`status not in ('open', 'confirmed') and not regressed and proposed is null`),
    // Counts by ranges of ids subtract these.
    index('findings_proposed').on(t.severity, t.status, t.id).where(sql`proposed`),
    // Made where PostgreSQL has pg_trgm, see db/migrations/search-index.ts. Its columns stay the same where a finding is seen again.
    index('findings_search').using(
      'gin',
      sql`${searchedText(t)} ${sql.raw(`"${TRIGRAM_SCHEMA}".gin_trgm_ops`)}`,
    ),
    check('findings_severity', oneOf('severity', SEVERITIES)),
    check('findings_status', oneOf('status', FINDING_STATUSES)),
  ]);

  /** Findings reported again under a scan other than their first. */
  const sightings = schema.table(
    'sightings',
    { scanId: varchar('scan_id', { length: 36 }).notNull(), findingId: uuid('finding_id').notNull() },
    (t) => [primaryKey({ name: 'sightings_pk', columns: [t.scanId, t.findingId] })],
  );

  /**
   * The roles of members in projects. They count for members whose access is limited to projects. A row with the nil id instead of a
   * project marks a limited member who has left.
   */
  const projectMembers = schema.table(
    'project_members',
    {
      userId: uuid('user_id').notNull(),
      projectId: uuid('project_id').notNull(),
      role: varchar('role', { enum: PROJECT_ROLES, length: 10 }).notNull(),
      createdAt: time('created_at').notNull(),
    },
    (t) => [
      primaryKey({ name: 'project_members_pk', columns: [t.userId, t.projectId] }),
      index('project_members_project').on(t.projectId, t.userId),
    ],
  );

  /** Where a finding is or was present: a row for each series of scans that reported it. */
  const findingRefs = schema.table(
    'finding_refs',
    {
      findingId: uuid('finding_id').notNull(),
      seriesId: uuid('series_id').notNull(),
      firstSeenAt: time('first_seen_at').notNull(),
      lastSeenAt: time('last_seen_at').notNull(),
      lastScanId: varchar('last_scan_id', { length: 36 }).notNull(),
      /** When a scan of the series completed without it; null while it is present. */
      missingSince: time('missing_since'),
    },
    (t) => [
      primaryKey({ name: 'finding_refs_pk', columns: [t.findingId, t.seriesId] }),
      index('finding_refs_series').on(t.seriesId, t.missingSince),
    ],
  );

  /** How many findings there are of a kind; kept by the statements that write findings. */
  const findingCounts = schema.table(
    'finding_counts',
    {
      projectId: uuid('project_id').notNull(),
      severity: varchar('severity', { enum: SEVERITIES, length: 20 }).notNull(),
      status: varchar('status', { enum: FINDING_STATUSES, length: 20 }).notNull(),
      count: bigint('count', { mode: 'number' }).notNull(),
      /** How many of them have regressed. */
      regressed: bigint('regressed', { mode: 'number' }).notNull().default(0),
      /** How many of them are proposed. */
      proposed: bigint('proposed', { mode: 'number' }).notNull().default(0),
    },
    (t) => [primaryKey({ name: 'finding_counts_pk', columns: [t.projectId, t.severity, t.status] })],
  );

  /** How many scans there are of a kind; kept by the statements that write scans. */
  const scanCounts = schema.table(
    'scan_counts',
    {
      projectId: uuid('project_id').notNull(),
      status: varchar('status', { enum: SCAN_STATUSES, length: 20 }).notNull(),
      count: bigint('count', { mode: 'number' }).notNull(),
    },
    (t) => [primaryKey({ name: 'scan_counts_pk', columns: [t.projectId, t.status] })],
  );

  const exploits = schema.table(
    'exploits',
    {
      id: uuid('id').notNull(),
      findingId: uuid('finding_id')
        .notNull()
        .references(() => findings.id),
      filename: text('filename').notNull(),
      language: text('language').notNull(),
      code: text('code').notNull(),
      createdAt: time('created_at').notNull(),
    },
    // An exploit is asked for by its finding, always.
    (t) => [primaryKey({ name: 'exploits_pk', columns: [t.findingId, t.id] })],
  );

  /** Flags that somebody has changed; all others are as `db/orgs/flags.ts` says. */
  const orgFlags = schema.table('feature_flags', {
    name: varchar('name', { length: 50 }).primaryKey(),
    /** Set by platform administrators. */
    provisioned: boolean('provisioned').notNull(),
    /** Set by the org's owner. */
    enabled: boolean('enabled').notNull(),
    description: varchar('description', { length: 400 }).notNull(),
  });

  /** Networks from which the organization may be used, as CIDR blocks. None: from everywhere. */
  const allowedNetworks = schema.table('allowed_networks', {
    network: varchar('network', { length: 43 }).primaryKey(),
  });

  return {
    schema,
    projects,
    projectMembers,
    apiTokens,
    scans,
    findings,
    ...triageTables(schema),
    series,
    sightings,
    findingRefs,
    findingCounts,
    scanCounts,
    exploits,
    orgFlags,
    allowedNetworks,
    idempotencyKeys: idempotencyKeys(schema),
    ...auditTables(schema),
    ...ciTables(schema),
    ...eventTables(schema),
    ...issueTables(schema),
  };
}

export type OrgTables = ReturnType<typeof defineOrgTables>;

/**
 * Settings of tables that Drizzle does not know, as statements on the template schema. A report that is pushed again updates all rows
 * of a page in one transaction. With half of each page free, the new versions fit beside the old ones (HOT) and no index changes.
 */
export const storageSettings = (templateSchema: string): string[] =>
  ['findings', 'finding_refs'].map(
    (table) => `ALTER TABLE "${templateSchema}"."${table}" SET (fillfactor = 50);`,
  );
