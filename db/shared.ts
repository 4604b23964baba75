import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgSchema, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** What all organizations share: accounts, organizations, memberships, global flags and settings. */
export const shared = pgSchema('shared');

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const PLANS = ['free', 'pro', 'enterprise'] as const;

export const users = shared.table('users', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  avatarUrl: text('avatar_url').notNull().default(''),
  /** PHC string; null on a placeholder account, which cannot log in. */
  passwordHash: text('password_hash'),
  mfaEnabled: boolean('mfa_enabled').notNull().default(false),
  createdAt: time('created_at').notNull(),
});

export const userEmails = shared.table(
  'user_emails',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Trimmed and lower-cased. */
    email: text('email').notNull(),
    isPrimary: boolean('is_primary').notNull().default(false),
    verifiedAt: time('verified_at'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    // An address belongs to whoever has it as primary or verified it; unverified secondaries claim nothing.
    uniqueIndex('user_emails_claimed').on(t.email).where(sql`${t.isPrimary} or ${t.verifiedAt} is not null`),
    uniqueIndex('user_emails_primary').on(t.userId).where(sql`${t.isPrimary}`),
    uniqueIndex('user_emails_once').on(t.userId, t.email),
  ],
);

export const sessions = shared.table(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    ipAddress: text('ip_address').notNull(),
    userAgent: text('user_agent').notNull(),
    browser: text('browser').notNull(),
    os: text('os').notNull(),
    deviceType: text('device_type').notNull(),
    createdAt: time('created_at').notNull(),
    lastActiveAt: time('last_active_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
  },
  (t) => [index('sessions_user').on(t.userId)],
);

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
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('orgs_schema_version').on(t.schemaVersion)],
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
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ name: 'memberships_pk', columns: [t.orgId, t.userId] }),
    index('memberships_user').on(t.userId),
  ],
);

export const featureFlags = shared.table('feature_flags', {
  name: text('name').primaryKey(),
  enabled: boolean('enabled').notNull(),
  description: text('description').notNull(),
});

export const settings = shared.table('settings', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});

/** What has been applied to `shared` itself. */
export const migrations = shared.table('migrations', {
  name: text('name').primaryKey(),
  hash: text('hash').notNull(),
  appliedAt: time('applied_at').notNull(),
});

/** What has been applied to which org's schema; kept here, so that an empty org costs no table for it. */
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
