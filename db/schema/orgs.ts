import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  integer,
  json,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { time } from './columns.ts';
import { shared } from './shared-schema.ts';

/*
 * Organizations, their members, and which migrations their schemas have. The data of an organization is in its own schema.
 */

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

export const PLANS = ['free', 'pro', 'enterprise'] as const;

/** The effects on the API tokens of a member whose role is lowered, or who is no longer a member. */
export const ROLE_LOSS_RULES = ['keep', 'limit', 'revoke'] as const;

/** Whether a member reaches all projects, or those of `project_members`. Owners reach all. */
export const PROJECT_ACCESS = ['all', 'assigned'] as const;

export type ProjectAccess = (typeof PROJECT_ACCESS)[number];

/** Members who may create API tokens of a project. */
export const PROJECT_TOKEN_CREATORS = ['any_member', 'members', 'admins'] as const;

export const orgs = shared.table(
  'orgs',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    slug: text('slug').notNull().unique('orgs_slug'),
    plan: text('plan', { enum: PLANS }).notNull(),
    customDomain: text('custom_domain').unique('orgs_custom_domain'),
    /** Number of org migrations applied to this org's schema. */
    schemaVersion: integer('schema_version').notNull(),
    /** Whether the migration of the schema left out indexes that are not created yet (`db/migrations/indexes.ts`). */
    lacksIndexes: boolean('lacks_indexes').notNull().default(false),
    /** Whether API tokens made by viewers may confirm fixes (status `verified`). */
    viewerTokensVerify: boolean('viewer_tokens_verify').notNull().default(true),
    tokensOnRoleLoss: text('tokens_on_role_loss', { enum: ROLE_LOSS_RULES }).notNull().default('limit'),
    /** Null: as the deployment has it, see `lib/orgs/security-settings.ts`. */
    projectTokenCreators: text('project_token_creators', { enum: PROJECT_TOKEN_CREATORS }),
    /** The longest lifetime of API tokens with other scopes than `ingest`, in days. Null: no limit. */
    maxTokenDays: integer('max_token_days'),
    /** Members confirm who they are after this time without a request. Null: never. */
    sessionIdleMinutes: integer('session_idle_minutes'),
    /** Members confirm who they are this long after a sign-in or step-up. Null: not before their session ends. */
    sessionMaxHours: integer('session_max_hours'),
    /** Counts against the quota of this account, also after the organization has changed its owner. */
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    /** Set when the account of the creator is deleted: its organizations then keep one share and one storage quota in common. */
    shareId: uuid('share_id'),
    /** Whether it never had an API token or a member besides its creator, so that its slugs are free after its purge. */
    isUnused: boolean('is_unused').notNull().default(false),
    /** In strict mode it is removed then if its creator has not verified the address (`lib/orgs/unverified.ts`). */
    verifyBy: time('verify_by'),
    /** When its owners were told of `verifyBy`. */
    verifyWarnedAt: time('verify_warned_at'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    index('orgs_schema_version').on(t.schemaVersion),
    index('orgs_created_by').on(t.createdBy),
    index('orgs_share').on(t.shareId),
    index('orgs_verify_by').on(t.verifyBy).where(sql`${t.verifyBy} is not null`),
    index('orgs_verify_unwarned')
      .on(t.verifyBy)
      .where(sql`${t.verifyBy} is not null and ${t.verifyWarnedAt} is null`),
  ],
);

export const memberships = shared.table(
  'memberships',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role', { enum: ROLES }).notNull(),
    projectAccess: text('project_access', { enum: PROJECT_ACCESS }).notNull().default('all'),
    /** The address an invitation went to; null for the creator of the organization and for older rows. */
    invitedEmail: text('invited_email'),
    /**
     * When the account verified `invitedEmail`. An address that was verified before the invitation is confirmed at
     * `createdAt`, and at the member's first visit later than that.
     */
    confirmedAt: time('confirmed_at'),
    /**
     * Somebody registered the invited address without the mailed link: no access, in default mode too, until a password is set by
     * a link that is mailed to the address.
     */
    isHeld: boolean('is_held').notNull().default(false),
    /** Until when an admin can accept to become an owner (`lib/members/ownership.ts`). */
    ownerOfferUntil: time('owner_offer_until'),
    /** The owner who offers it. The offer ends when this user is no longer an owner. */
    ownerOfferBy: uuid('owner_offer_by'),
    createdAt: time('created_at').notNull(),
    /** Since when an owner has had the role; null: since `createdAt`. */
    ownerSince: time('owner_since'),
    /** When the member last used the organization, exact to an hour; null: not since this was recorded. */
    lastActiveAt: time('last_active_at'),
    /** The connection whose role mapping gave the role, and takes it. Null: a person gave it. */
    mappedBy: uuid('mapped_by').references((): AnyPgColumn => ssoConnections.id, { onDelete: 'set null' }),
    /** An owner who may sign in without single sign-on, although the organization requires it. */
    breakGlass: boolean('break_glass').notNull().default(false),
    /** Provisioning gave the role by groups or as the default, and takes it (`lib/scim/roles.ts`). */
    roleProvisioned: boolean('role_provisioned').notNull().default(false),
    /** Since when provisioning has taken all access from the member, who keeps role and assignments. Null: not. */
    suspendedAt: time('suspended_at'),
  },
  (t) => [
    primaryKey({ name: 'memberships_pk', columns: [t.orgId, t.userId] }),
    index('memberships_user').on(t.userId),
    index('memberships_mapped').on(t.mappedBy).where(sql`${t.mappedBy} is not null`),
  ],
);

/** Whether a member reaches only the projects of `project_members`. Owners reach all. */
export const isLimited = sql<boolean>`(${memberships.projectAccess} = 'assigned' and ${memberships.role} <> 'owner')`;

/** Names of the claims that a connection reads. */
export interface SsoClaims {
  email: string;
  name: string;
  groups: string;
}

/** The roles that connections can give. Owners are made by owners. */
export const MAPPED_ROLES = ['admin', 'member', 'viewer'] as const;

export type MappedRole = (typeof MAPPED_ROLES)[number];

export interface RoleMapping {
  group: string;
  role: MappedRole;
}

/** OpenID Connect providers that sign in to an organization. */
export const ssoConnections = shared.table(
  'sso_connections',
  {
    id: uuid('id').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    issuer: text('issuer').notNull(),
    clientId: text('client_id').notNull(),
    /** Sealed when there is a key for it. Null: a public client. */
    clientSecret: text('client_secret'),
    scopes: text('scopes').notNull(),
    claims: json('claims').$type<SsoClaims>().notNull(),
    /** Domains of addresses that lead to this connection, once the organization has proven them. */
    domains: text('domains').array().notNull(),
    /** The role of a person without a mapped group. Null: no access. */
    defaultRole: text('default_role', { enum: MAPPED_ROLES }),
    roleMapping: json('role_mapping').$type<RoleMapping[]>().notNull(),
    enabled: boolean('enabled').notNull(),
    requireSso: boolean('require_sso').notNull(),
    /** The access of people who join by it. */
    projectAccess: text('project_access', { enum: PROJECT_ACCESS }).notNull().default('all'),
    trustMfa: boolean('trust_mfa').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('sso_connections_org').on(t.orgId), index('sso_connections_issuer').on(t.issuer, t.clientId)],
);

/** Domains that organizations have named, and those that they have proven to control by a DNS record. */
export const orgDomains = shared.table(
  'org_domains',
  {
    id: uuid('id').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    domain: text('domain').notNull(),
    /** The value of the DNS record. */
    token: text('token').notNull(),
    verifiedAt: time('verified_at'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('org_domains_once').on(t.orgId, t.domain),
    uniqueIndex('org_domains_proven').on(t.domain).where(sql`${t.verifiedAt} is not null`),
  ],
);

/** The migrations applied to each organization's schema; kept here, so that an empty organization costs no table for it. */
export const orgMigrations = shared.table(
  'org_migrations',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    hash: text('hash').notNull(),
    appliedAt: time('applied_at').notNull(),
  },
  (t) => [primaryKey({ name: 'org_migrations_pk', columns: [t.orgId, t.name] })],
);

/** Findings whose risk is accepted until a time, after which they are open again (`db/findings/triage/accepted-risks.ts`). */
export const acceptedRisks = shared.table(
  'accepted_risks',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    findingId: uuid('finding_id').notNull(),
    /** The finding's `accepted_until` or earlier. */
    dueAt: time('due_at').notNull(),
    /** Before the latest change of the finding that accepts its risk. */
    notedAt: time('noted_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'accepted_risks_pk', columns: [t.orgId, t.findingId] }),
    index('accepted_risks_due').on(t.dueAt),
  ],
);

/** Deletions that are in progress or being undone, and those whose findings are being removed for good (`db/deletions/`). */
export const deletionJobs = shared.table(
  'deletion_jobs',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    deletionId: uuid('deletion_id').notNull(),
    /** No other process goes on with it until then, by the clock of the database. */
    leaseUntil: time('lease_until').notNull(),
  },
  (t) => [primaryKey({ name: 'deletion_jobs_pk', columns: [t.orgId, t.deletionId] })],
);

/** Deleted projects whose findings and scans are still to be removed (`db/projects/`). */
export const projectPurges = shared.table(
  'project_purges',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    projectId: uuid('project_id').notNull(),
    /** No other process removes them until then, by the clock of the database. */
    leaseUntil: time('lease_until').notNull(),
  },
  (t) => [primaryKey({ name: 'project_purges_pk', columns: [t.orgId, t.projectId] })],
);

/** Projects that move to another organization (`db/projects/transfer/`). */
export const projectTransfers = shared.table(
  'project_transfers',
  {
    projectId: uuid('project_id').primaryKey(),
    sourceId: uuid('source_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    targetId: uuid('target_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** The slug that it gets in the target. */
    slug: text('slug').notNull(),
    startedAt: time('started_at').notNull(),
    /** Findings at the start, and how many of them the current attempt has copied. */
    findings: integer('findings').notNull(),
    copied: integer('copied').notNull().default(0),
    /** Attempts so far, and why the latest one failed. */
    attempts: integer('attempts').notNull().default(0),
    error: text('error'),
    /** The project stays. */
    cancelled: boolean('cancelled').notNull().default(false),
    /** No other process moves it until then, by the clock of the database. */
    leaseUntil: time('lease_until').notNull(),
  },
  (t) => [index('project_transfers_source').on(t.sourceId), index('project_transfers_target').on(t.targetId)],
);

/** Reports that are being imported (`db/scans/imports.ts`). */
export const reportImports = shared.table('report_imports', {
  id: uuid('id').primaryKey(),
  orgId: uuid('org_id')
    .notNull()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  scanId: text('scan_id').notNull(),
  /** By the clock of the database. Not indexed, because it changes often; the table is small. */
  leaseUntil: time('lease_until').notNull(),
});

/** The use of storage by each organization, as it was measured last (`db/storage/usage.ts`). */
export const orgUsage = shared.table('org_usage', {
  orgId: uuid('org_id')
    .primaryKey()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  rows: bigint('rows', { mode: 'number' }).notNull(),
  measuredAt: time('measured_at').notNull(),
});

/** Deleted organizations, until they are purged (`db/orgs/deletion.ts`). */
export const orgDeletions = shared.table('org_deletions', {
  orgId: uuid('org_id')
    .primaryKey()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  deletedAt: time('deleted_at').notNull(),
  /** An owner can restore the organization until then, and a purge begins later. */
  purgeAt: time('purge_at').notNull(),
  /** When the owners were told that the purge is near. Null: not yet, so it is not purged. */
  warnedAt: time('warned_at'),
  /** A purge has begun: the organization cannot be restored. */
  purging: boolean('purging').notNull().default(false),
  /** No other process purges it until then, by the clock of the database. */
  leaseUntil: time('lease_until').notNull(),
});

/** Mailed links that give an owner back the role and undo the deletion of the organization (`lib/orgs/undo.ts`). */
export const orgUndoLinks = shared.table(
  'org_undo_links',
  {
    /** SHA-256 of the token in the link, hex. */
    tokenHash: text('token_hash').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** The owner who got the mail. */
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The membership of the owner, which may be gone. */
    invitedEmail: text('invited_email'),
    confirmedAt: time('confirmed_at'),
    memberSince: time('member_since').notNull(),
    ownerSince: time('owner_since'),
    usedAt: time('used_at'),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('org_undo_links_org').on(t.orgId, t.userId),
    index('org_undo_links_user').on(t.userId),
    index('org_undo_links_expiry').on(t.expiresAt),
  ],
);

/** Mailed links that decline an invitation (`lib/members/declining.ts`). */
export const invitationLinks = shared.table(
  'invitation_links',
  {
    /** SHA-256 of the token in the link, hex. */
    tokenHash: text('token_hash').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('invitation_links_org').on(t.orgId, t.userId),
    index('invitation_links_user').on(t.userId),
    index('invitation_links_expiry').on(t.expiresAt),
  ],
);

/** Addresses that declined an invitation: the organization cannot invite them for a while (`lib/members/declining.ts`). */
export const declinedInvitations = shared.table(
  'declined_invitations',
  {
    /** SHA-256 of the id of the organization and the address, hex. */
    hash: text('hash').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('declined_invitations_org').on(t.orgId),
    index('declined_invitations_expiry').on(t.expiresAt),
  ],
);

/**
 * Slugs that no other organization can have: agents may still send findings to them. Former slugs lead to their organization;
 * those of purged organizations lead nowhere.
 */
export const reservedSlugs = shared.table(
  'reserved_slugs',
  {
    slug: text('slug').primaryKey(),
    orgId: uuid('org_id').references(() => orgs.id, { onDelete: 'set null' }),
    reservedAt: time('reserved_at').notNull(),
    /** Unused. Development versions with cells read it, which may run beside this one during an upgrade. */
    movedTo: text('moved_to'),
  },
  (t) => [index('reserved_slugs_org').on(t.orgId)],
);

/** How long organizations keep findings and scans, and how far the removal of expired ones has come (`db/retention/`). */
export const retention = shared.table('retention', {
  orgId: uuid('org_id')
    .primaryKey()
    .references(() => orgs.id, { onDelete: 'cascade' }),
  /** Days; null: for ever. */
  resolvedFindings: integer('resolved_findings'),
  scans: integer('scans'),
  /** The next turn, by the clock of the database. A process that removes rows moves it on, so that others leave them alone. */
  dueAt: time('due_at').notNull(),
  /** The last finding that the current run has looked at. Null: at the start. */
  position: uuid('position'),
});
