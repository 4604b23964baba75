import { userInfo } from 'node:os';
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, or } from 'drizzle-orm';
import type { Database, Db, Tx } from '../../db/client.ts';
import { createIds } from '../../db/ids.ts';
import {
  mailedTokens,
  mfaDevices,
  mfaLogins,
  sessions,
  userEmails,
  users,
} from '../../db/schema/accounts.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { revokeSessions, revokeSessionsInBatches } from '../accounts/accounts.ts';
import { endMfaLogins } from '../accounts/mfa/logins.ts';
import { countRecoveryCodes, deleteRecoveryCodes } from '../accounts/mfa/recovery-codes.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Logger } from '../logger.ts';
import { createQueuedMails } from '../mail/queued-mails.ts';
import { mfaReset } from '../mail/templates/changes.ts';
import { logOperatorEvent } from '../security-events.ts';
import { AdminError, oneLine } from './error.ts';

/** An account as an operator sees it. */
export interface AccountSummary {
  id: string;
  name: string;
  email: string;
  mfa_enabled: boolean;
  /** It has a password; an invited account has none until its owner sets one. */
  has_password: boolean;
  disabled_at: Date | null;
  created_at: Date;
}

/** With everything an investigation needs, and nothing that opens the account. */
export interface AccountDetails extends AccountSummary {
  emails: { email: string; is_primary: boolean; verified_at: Date | null }[];
  memberships: { org: string; role: string; invited_email: string | null; since: Date }[];
  sessions: {
    id: string;
    ip_address: string;
    browser: string;
    os: string;
    device_type: string;
    created_at: Date;
    last_active_at: Date;
    expires_at: Date;
  }[];
  factors: { id: string; type: string; name: string; verified: boolean; last_used_at: Date | null }[];
  recovery_codes: number;
  /** Active API tokens that the account made in its organizations. They belong to the organization. */
  tokens: {
    org: string;
    id: string;
    name: string;
    project_id: string | null;
    expires_at: Date | null;
    last_used: Date | null;
    created_at: Date;
  }[];
}

/** What a command did to an account. */
export interface AccountChange {
  id: string;
  email: string;
  changed: boolean;
  sessions_ended: number;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The account with this id, or with this address as its primary or a verified one. An unverified secondary
 * address names nobody: otherwise anyone could make the operator act on the wrong account.
 * @throws AdminError when there is none
 */
async function findUser(db: Db | Tx, name: string): Promise<AccountSummary> {
  const text = name.trim().toLowerCase();
  const [found] = UUID.test(text)
    ? [{ id: text }]
    : await db
        .select({ id: userEmails.userId })
        .from(userEmails)
        .where(
          and(
            eq(userEmails.email, text),
            or(eq(userEmails.isPrimary, true), isNotNull(userEmails.verifiedAt)),
          ),
        );
  const [user] = found
    ? await db
        .select({
          id: users.id,
          name: users.name,
          email: userEmails.email,
          mfa_enabled: users.mfaEnabled,
          password_hash: users.passwordHash,
          disabled_at: users.disabledAt,
          created_at: users.createdAt,
        })
        .from(users)
        .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
        .where(eq(users.id, found.id))
    : [];
  if (!user) throw new AdminError(`there is no account "${oneLine(name)}"`);
  const { password_hash, ...shown } = user;
  return { ...shown, has_password: password_hash !== null };
}

/** An account with its addresses, memberships, live sessions, factors and API tokens. */
export async function showUser({ db }: Database, name: string, now = new Date()): Promise<AccountDetails> {
  const account = await findUser(db, name);
  const { id } = account;
  const joined = await db
    .select({
      orgId: orgs.id,
      org: orgs.slug,
      role: memberships.role,
      invited_email: memberships.invitedEmail,
      since: memberships.createdAt,
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .where(eq(memberships.userId, id))
    .orderBy(asc(orgs.slug));
  return {
    ...account,
    emails: await db
      .select({
        email: userEmails.email,
        is_primary: userEmails.isPrimary,
        verified_at: userEmails.verifiedAt,
      })
      .from(userEmails)
      .where(eq(userEmails.userId, id))
      .orderBy(desc(userEmails.isPrimary), asc(userEmails.email)),
    memberships: joined.map(({ orgId: _, ...membership }) => membership),
    sessions: await db
      .select({
        id: sessions.id,
        ip_address: sessions.ipAddress,
        browser: sessions.browser,
        os: sessions.os,
        device_type: sessions.deviceType,
        created_at: sessions.createdAt,
        last_active_at: sessions.lastActiveAt,
        expires_at: sessions.expiresAt,
      })
      .from(sessions)
      .where(and(eq(sessions.userId, id), isNull(sessions.revokedAt), gt(sessions.expiresAt, now)))
      .orderBy(desc(sessions.createdAt)),
    factors: await db
      .select({
        id: mfaDevices.id,
        type: mfaDevices.type,
        name: mfaDevices.name,
        verified: mfaDevices.verified,
        last_used_at: mfaDevices.lastUsedAt,
      })
      .from(mfaDevices)
      .where(eq(mfaDevices.userId, id))
      .orderBy(asc(mfaDevices.id)),
    recovery_codes: await countRecoveryCodes(db, id),
    tokens: await tokensOf(db, id, joined, now),
  };
}

/** One organization at a time: a statement reads one organization's tables. */
async function tokensOf(db: Db, userId: string, joined: { orgId: string; org: string }[], now: Date) {
  const tokens: AccountDetails['tokens'] = [];
  for (const { orgId, org } of joined) {
    const { apiTokens: t } = defineOrgTables(orgSchemaName(orgId));
    const rows = await db
      .select({
        id: t.id,
        name: t.name,
        project_id: t.projectId,
        expires_at: t.expiresAt,
        last_used: t.lastUsed,
        created_at: t.createdAt,
      })
      .from(t)
      .where(
        and(eq(t.createdBy, userId), eq(t.revoked, false), or(isNull(t.expiresAt), gt(t.expiresAt, now))),
      )
      .orderBy(asc(t.id));
    tokens.push(...rows.map((row) => ({ org, ...row })));
  }
  return tokens;
}

/** Locks an account's row, so that servers change it before or after this transaction, not during it. */
async function lockUser(tx: Tx, name: string): Promise<AccountSummary> {
  const { id } = await findUser(tx, name);
  await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('no key update');
  return findUser(tx, id);
}

/** Ends sign-ins that wait for the second factor, then sessions: a sign-in that completed meanwhile ends with them. */
async function endSignIns(tx: Tx, userId: string, now: Date): Promise<number> {
  await endMfaLogins(tx, userId);
  return revokeSessions(tx, userId, now);
}

/** The system user that runs the command, for the log. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/**
 * Disables an account: it cannot sign in, its sessions end, mailed links and sign-ins under way stop working. What it
 * made stays, and so do its API tokens, which belong to their organizations.
 */
export async function disableUser({ db }: Database, log: Logger, name: string): Promise<AccountChange> {
  const now = new Date();
  const account = await db.transaction(async (tx) => {
    const { id, email, disabled_at } = await lockUser(tx, name);
    if (disabled_at === null) await tx.update(users).set({ disabledAt: now }).where(eq(users.id, id));
    await tx.delete(mailedTokens).where(eq(mailedTokens.userId, id));
    await endMfaLogins(tx, id);
    return { id, email, changed: disabled_at === null };
  });
  // From the commit on they do not work, even when this process dies before it has ended them.
  const change = { ...account, sessions_ended: await revokeSessionsInBatches(db, account.id, now) };
  logChange(log, 'account_disabled', change);
  return change;
}

/** Enables an account again. A session that began while it was being disabled ends. */
export async function enableUser({ db }: Database, log: Logger, name: string): Promise<AccountChange> {
  const found = await findUser(db, name);
  const before = found.disabled_at === null ? 0 : await revokeSessionsInBatches(db, found.id, new Date());
  const change = await db.transaction(async (tx) => {
    const { id, email, disabled_at } = await lockUser(tx, found.id);
    if (disabled_at === null) return { id, email, changed: false, sessions_ended: before };
    await tx.update(users).set({ disabledAt: null }).where(eq(users.id, id));
    return { id, email, changed: true, sessions_ended: before + (await endSignIns(tx, id, new Date())) };
  });
  logChange(log, 'account_enabled', change);
  return change;
}

/** Ends an account's sessions, and its sign-ins that wait for a second factor. */
export async function endSessions({ db }: Database, log: Logger, name: string): Promise<AccountChange> {
  const { id, email } = await findUser(db, name);
  await endMfaLogins(db, id);
  const sessions_ended = await revokeSessionsInBatches(db, id, new Date());
  const change = { id, email, changed: sessions_ended > 0, sessions_ended };
  logChange(log, 'sessions_ended', change);
  return change;
}

/** Removes an account's factors and recovery codes, switches MFA off, and mails the owner about it. */
export async function resetMfa(
  { db }: Database,
  log: Logger,
  name: string,
  box: SecretBox,
): Promise<AccountChange & { factors_removed: number }> {
  const clock = () => new Date();
  const mails = createQueuedMails({ db, box, log, clock, nextId: createIds(clock) });
  const change = await db.transaction(async (tx) => {
    const { id, email, name: person, mfa_enabled } = await lockUser(tx, name);
    const devices = await tx.select({ id: mfaDevices.id }).from(mfaDevices).where(eq(mfaDevices.userId, id));
    const unchanged = { id, email, changed: false, sessions_ended: 0, factors_removed: 0 };
    if (devices.length === 0 && !mfa_enabled) return unchanged;
    await tx.delete(mfaDevices).where(
      inArray(
        mfaDevices.id,
        devices.map((device) => device.id),
      ),
    );
    await deleteRecoveryCodes(tx, id);
    await tx.delete(mfaLogins).where(eq(mfaLogins.userId, id));
    await tx.update(users).set({ mfaEnabled: false }).where(eq(users.id, id));
    await mails.write(tx, email, mfaReset({ name: person, at: clock() }));
    return { ...unchanged, changed: true, factors_removed: devices.length };
  });
  logChange(log, 'mfa_reset', change);
  return change;
}

function logChange(
  log: Logger,
  event: 'account_disabled' | 'account_enabled' | 'sessions_ended' | 'mfa_reset',
  { id, changed, sessions_ended }: AccountChange,
): void {
  logOperatorEvent(log, event, { account: id, operator: operator(), changed, sessions: sessions_ended });
}
