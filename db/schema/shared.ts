import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
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
  /** Number of sign-ins by password. A sign-in that waited for others learns from it how many it has missed. */
  signIns: bigint('sign_ins', { mode: 'number' }).notNull().default(0),
  /** Set by an operator: a disabled account cannot sign in, and its sessions no longer work. */
  disabledAt: time('disabled_at'),
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
    /** When its user last proved the password again (and the second factor, with MFA on). */
    steppedUpAt: time('stepped_up_at'),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    // Bounds the work of ending the oldest, however often the account signs in.
    index('sessions_kept').on(t.userId, t.createdAt, t.id).where(sql`${t.revokedAt} is null`),
  ],
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
    /** Whether API tokens made by viewers may confirm fixes (status `verified`). */
    viewerTokensVerify: boolean('viewer_tokens_verify').notNull().default(true),
    /** Counts against the quota of this account, whoever owns the organization now. */
    createdBy: uuid('created_by').references(() => users.id, { onDelete: 'set null' }),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('orgs_schema_version').on(t.schemaVersion), index('orgs_created_by').on(t.createdBy)],
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
    /** The address an invitation went to; null for the creator of the organization and for older rows. */
    invitedEmail: text('invited_email'),
    /**
     * When the account verified `invitedEmail`. An address that was verified before the invitation is confirmed at
     * `createdAt`, and at the member's first visit later than that.
     */
    confirmedAt: time('confirmed_at'),
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

export const MAILED_TOKEN_PURPOSES = ['reset_password', 'verify_email'] as const;

/** Links that were mailed and not used yet; using one deletes it. */
export const mailedTokens = shared.table(
  'mailed_tokens',
  {
    /** SHA-256 of the token, hex. */
    tokenHash: text('token_hash').primaryKey(),
    /** A token works for its own purpose only. */
    purpose: text('purpose', { enum: MAILED_TOKEN_PURPOSES }).notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The address it was sent to. */
    emailId: uuid('email_id')
      .notNull()
      .references(() => userEmails.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('mailed_tokens_user').on(t.userId), index('mailed_tokens_email').on(t.emailId)],
);

export const MFA_TYPES = ['totp', 'email'] as const;

export const mfaDevices = shared.table(
  'mfa_devices',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text('type', { enum: MFA_TYPES }).notNull(),
    name: text('name').notNull(),
    /** The address of an e-mail device. */
    emailId: uuid('email_id').references(() => userEmails.id, { onDelete: 'cascade' }),
    /** The secret of a TOTP device, sealed when there is a key for it. */
    secret: text('secret'),
    verified: boolean('verified').notNull(),
    /** The last time step a code was taken from: a code is not taken twice. */
    lastStep: integer('last_step'),
    lastUsedAt: time('last_used_at'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('mfa_devices_user').on(t.userId), uniqueIndex('mfa_devices_email').on(t.emailId)],
);

/** Sign-ins that wait for the second factor, one per `mfa_token`. Completing one deletes it, and so does a new password. */
export const mfaLogins = shared.table(
  'mfa_logins',
  {
    /** The `jti` of the `mfa_token`. */
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Wrong codes so far. */
    failures: integer('failures').notNull().default(0),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('mfa_logins_user').on(t.userId), index('mfa_logins_expiry').on(t.expiresAt)],
);

/**
 * Changes of the primary address that can be undone by the link mailed to the old one. The addresses are text, because
 * whoever took over the account may have removed the old one.
 */
export const primaryEmailChanges = shared.table(
  'primary_email_changes',
  {
    /** SHA-256 of the token in the link, hex. */
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    oldEmail: text('old_email').notNull(),
    /** The account had verified the old address: it is restored even if another account has claimed it without that. */
    oldEmailVerified: boolean('old_email_verified').notNull().default(false),
    newEmail: text('new_email').notNull(),
    changedAt: time('changed_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    index('primary_email_changes_user').on(t.userId),
    index('primary_email_changes_expiry').on(t.expiresAt),
  ],
);

/** Codes that were mailed and not used yet; using one deletes it. */
export const emailCodes = shared.table(
  'email_codes',
  {
    id: uuid('id').primaryKey(),
    deviceId: uuid('device_id')
      .notNull()
      .references(() => mfaDevices.id, { onDelete: 'cascade' }),
    /** The sign-in or the session that asked for it; null on rows of older versions. */
    purpose: uuid('purpose'),
    /** Keyed hash: six digits would be guessed from a plain one. */
    codeHash: text('code_hash').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [uniqueIndex('email_codes_once').on(t.deviceId, t.purpose)],
);

export const recoveryCodes = shared.table(
  'recovery_codes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of user and code, hex. */
    codeHash: text('code_hash').notNull(),
    usedAt: time('used_at'),
  },
  (t) => [primaryKey({ name: 'recovery_codes_pk', columns: [t.userId, t.codeHash] })],
);

/** Mails that are still to be sent; written in the transaction that causes them, deleted when the provider took them. */
export const outgoingMails = shared.table(
  'outgoing_mails',
  {
    id: uuid('id').primaryKey(),
    /** Recipient and content as JSON, encrypted: a mail has links that open accounts, and whom they belong to. */
    sealed: text('sealed').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When it is due; moved on by whoever takes it, so that others leave it alone meanwhile. */
    nextAttemptAt: time('next_attempt_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('outgoing_mails_due').on(t.nextAttemptAt)],
);

/** What versions before `outgoing_mails` write, in clear. Their mails are sent from here; nothing is added. */
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
    /** When it is due; moved on by whoever takes it, so that others leave it alone meanwhile. */
    nextAttemptAt: time('next_attempt_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [index('mail_queue_due').on(t.nextAttemptAt)],
);

/** Counters of `SVC_AUTH_LIMITS`, as rate-limiter-flexible keeps them. */
export const rateLimits = shared.table('rate_limits', {
  key: text('key').primaryKey(),
  points: integer('points').notNull(),
  expire: time('expire'),
});
