import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

import { shared } from './shared-schema.ts';
import type { NOTIFICATION_KINDS, NOTIFICATION_TIMES } from './values.ts';

/*
 * Accounts of people: addresses, sessions, second factors, mailed links and limits on attempts.
 */

export const users = shared.table('users', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  avatarUrl: text('avatar_url').notNull().default(''),
  /** PHC string; null on a placeholder account, which cannot log in. */
  passwordHash: text('password_hash'),
  mfaEnabled: boolean('mfa_enabled').notNull().default(false),
  /** Number of sign-ins by password. A sign-in that waited for others learns from it how many it has missed. */
  signIns: bigint('sign_ins', { mode: 'number' }).notNull().default(0),
  /** The user handle of the account's passkeys (WebAuthn): 32 random bytes, base64url. Null until the first one is added. */
  passkeyHandle: text('passkey_handle'),
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
    // An address belongs to the account that has it as primary or verified it; unverified secondaries claim nothing.
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
    /** The longest time between two requests since the sign-in or the latest step-up. */
    idleSeconds: integer('idle_seconds').notNull().default(0),
    /** The passkey that signed in without a password. Such a session counts as MFA as long as the account has the passkey. */
    passkeyId: uuid('passkey_id').references((): AnyPgColumn => mfaDevices.id, { onDelete: 'set null' }),
    /** The connection that signed in, which may be deleted (`sso_connections`). Null: signed in otherwise. */
    ssoConnectionId: uuid('sso_connection_id'),
    /** The provider said that it used several factors, and the connection trusted it. */
    ssoMfa: boolean('sso_mfa').notNull().default(false),
    /** When the user signed in at the provider, if that was before the session. */
    authenticatedAt: time('authenticated_at'),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_passkey').on(t.passkeyId).where(sql`${t.passkeyId} is not null`),
    // Bounds the work of ending the oldest, however often the account signs in.
    index('sessions_kept').on(t.userId, t.createdAt, t.id).where(sql`${t.revokedAt} is null`),
  ],
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

export const MFA_TYPES = ['totp', 'email', 'passkey'] as const;

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
    /** The credential id of a passkey, base64url. This column and the next four are null for other devices. */
    credentialId: text('credential_id'),
    /** The public key of a passkey in COSE format, base64url. */
    publicKey: text('public_key'),
    /** The last signature counter of a passkey. Authenticators without a counter send 0. */
    signCount: bigint('sign_count', { mode: 'number' }),
    /** How browsers reach a passkey's authenticator. */
    transports: text('transports').array(),
    /** A passkey signs in without a password. Otherwise it is a second factor only. */
    signsIn: boolean('signs_in'),
  },
  (t) => [
    index('mfa_devices_user').on(t.userId),
    uniqueIndex('mfa_devices_email').on(t.emailId),
    uniqueIndex('mfa_devices_credential').on(t.credentialId),
  ],
);

/** Challenges of passkeys that were used, until they expire: each works once. */
export const usedChallenges = shared.table(
  'used_challenges',
  {
    /** SHA-256 of the challenge, hex. */
    hash: text('hash').primaryKey(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [index('used_challenges_expiry').on(t.expiresAt)],
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
    /** The sign-in at a provider that waits for the second factor, sealed (`lib/sso/sessions.ts`). */
    sso: text('sso'),
  },
  (t) => [index('mfa_logins_user').on(t.userId), index('mfa_logins_expiry').on(t.expiresAt)],
);

/**
 * Changes of the primary address that can be undone by the link mailed to the old one. The addresses are text, because
 * an attacker with access to the account may have removed the old one.
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

type NotificationTimes = Record<(typeof NOTIFICATION_KINDS)[number], (typeof NOTIFICATION_TIMES)[number]>;

/** The mails about findings that an account has chosen. An account without a row gets none. */
export const notificationSettings = shared.table('notification_settings', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  kinds: jsonb('kinds').$type<NotificationTimes>().notNull(),
  /** Such as `Europe/Berlin`, for `hour` and the times in mails. */
  timeZone: text('time_zone').notNull(),
  /** The hour at which daily and weekly mails are sent. */
  hour: integer('hour').notNull(),
  updatedAt: time('updated_at').notNull(),
});

/** Counters of `SVC_AUTH_LIMITS`, as rate-limiter-flexible keeps them. */
export const rateLimits = shared.table('rate_limits', {
  key: text('key').primaryKey(),
  points: integer('points').notNull(),
  expire: time('expire'),
});
