import { userInfo } from 'node:os';
import { eq } from 'drizzle-orm';
import type { Database, Tx } from '../../../db/client.ts';
import { createIds } from '../../../db/ids.ts';
import { mailedTokens, mfaDevices, users } from '../../../db/schema/accounts.ts';
import { revokePersonalTokens, revokeSessions, revokeSessionsInBatches } from '../../accounts/accounts.ts';
import { switchMfaOff } from '../../accounts/mfa/devices.ts';
import { endMfaLogins } from '../../accounts/mfa/logins.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import type { Logger } from '../../logger.ts';
import { createQueuedMails } from '../../mail/queued-mails.ts';
import { mfaReset } from '../../mail/templates/changes.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { type AccountSummary, findUser } from './account.ts';

/** The result of a command that changes an account. */
export interface AccountChange {
  id: string;
  email: string;
  changed: boolean;
  sessions_ended: number;
}

/** Locks an account's row until the transaction ends. */
async function lockUser(tx: Tx, name: string): Promise<AccountSummary> {
  const { id } = await findUser(tx, name);
  await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('no key update');
  return findUser(tx, id);
}

/** Ends logins that wait for a second factor, then the sessions, including that of a login that completed meanwhile. */
async function endSignIns(tx: Tx, userId: string, now: Date): Promise<number> {
  await endMfaLogins(tx, userId);
  return revokeSessions(tx, userId, now);
}

/** The operating system user that runs the command, for the log. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/**
 * Disables an account: it cannot sign in, its sessions and personal access tokens end, and mailed links and unfinished logins
 * stop working. API tokens it has created stay valid, because they belong to their organizations.
 */
export async function disableUser({ db }: Database, log: Logger, name: string): Promise<AccountChange> {
  const now = new Date();
  const account = await db.transaction(async (tx) => {
    const { id, email, disabled_at } = await lockUser(tx, name);
    if (disabled_at === null) await tx.update(users).set({ disabledAt: now }).where(eq(users.id, id));
    await tx.delete(mailedTokens).where(eq(mailedTokens.userId, id));
    await endMfaLogins(tx, id);
    await revokePersonalTokens(tx, id);
    return { id, email, changed: disabled_at === null };
  });
  // The sessions are invalid since the commit, even if this process dies before it has revoked them.
  const change = { ...account, sessions_ended: await revokeSessionsInBatches(db, account.id, now) };
  logChange(log, 'account_disabled', change);
  return change;
}

/** Enables an account. Ends sessions that began while it was being disabled. */
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

/** Ends an account's sessions and its logins that wait for a second factor. */
export async function endSessions({ db }: Database, log: Logger, name: string): Promise<AccountChange> {
  const { id, email } = await findUser(db, name);
  await endMfaLogins(db, id);
  const sessions_ended = await revokeSessionsInBatches(db, id, new Date());
  const change = { id, email, changed: sessions_ended > 0, sessions_ended };
  logChange(log, 'sessions_ended', change);
  return change;
}

/** Removes an account's second factors and recovery codes, disables MFA, and notifies the owner by mail. */
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
    const removed = await tx
      .delete(mfaDevices)
      .where(eq(mfaDevices.userId, id))
      .returning({ id: mfaDevices.id });
    const unchanged = { id, email, changed: false, sessions_ended: 0, factors_removed: 0 };
    if (removed.length === 0 && !mfa_enabled) return unchanged;
    await switchMfaOff(tx, id);
    await mails.write(tx, email, mfaReset({ name: person, at: clock() }));
    return { ...unchanged, changed: true, factors_removed: removed.length };
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
